"""An open loop that is closed opens again when what closed it is withdrawn, and closes again when that comes back."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.curator import MemoryCurator
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import Call
from memory_pipeline_tests.stages.echoing import draft, windows_of
from memory_pipeline_tests.stages.talks import RUN, Pipeline, Turn, lines

BERLIN = "Europe/Berlin"
PLAN: Turn = ("2026-03-10T09:15:00", "I need to call mom on Friday.")
DONE: Turn = ("2026-03-11T18:00:00", "I called mom today.")
LOOP, EVENT = "Needs to call mom on 13 March 2026.", "Called mom on 11 March 2026."


@pytest.fixture
def pipeline(tmp_path: Path) -> Pipeline:
    """A plan that is done."""
    made = Pipeline(tmp_path)
    made.run(lines("u", [PLAN, DONE], BERLIN))
    assert status(made) == "closed"
    return made


def status(pipeline: Pipeline) -> str:
    (loop,) = (m for m in pipeline.reader(RUN).memories(user_id="u") if m["content"] == LOOP)
    return str(loop["status"])


def curator(pipeline: Pipeline) -> MemoryCurator:
    """The user's own hand, a day after the loop was closed."""
    at = datetime.fromisoformat("2026-03-12T10:00:00+01:00")
    return MemoryCurator(pipeline.settings, clock=lambda: at)


def listed(pipeline: Pipeline, content: str) -> str:
    (found,) = (m for m in pipeline.reader(RUN).memories(user_id="u") if m["content"] == content)
    return str(found["memory_id"])


def test_the_message_is_edited_and_edited_back(pipeline: Pipeline) -> None:
    other = (DONE[0], "I called dad today.")
    pipeline.run(lines("u", [PLAN, other], BERLIN))
    assert status(pipeline) == "active"
    assert "Needs to call mom" in follow_up(pipeline)
    pipeline.run(lines("u", [PLAN, (DONE[0], "I called mom today, finally.")], BERLIN))
    assert status(pipeline) == "closed"
    assert "Needs to call mom" not in follow_up(pipeline)


def follow_up(pipeline: Pipeline) -> str:
    at = datetime.fromisoformat("2026-03-12T10:00:00+01:00")
    return pipeline.reader(at).context("good morning", user_id="u").text


def test_the_closing_is_undone_and_stays_so(pipeline: Pipeline) -> None:
    curator(pipeline).undo(listed(pipeline, LOOP), user_id="u")
    assert status(pipeline) == "active"
    pipeline.run()
    assert status(pipeline) == "active"


def test_a_followed_up_loop_is_closed_by_done(tmp_path: Path) -> None:
    """The block that reminds of the loop is recalled into the session; "Done!" is no echo of it (KN-1)."""
    pipeline = Pipeline(tmp_path)
    plan = ("2026-03-10T09:15:00", "I need to send the quarterly report to Sam by Friday.")
    pipeline.run(lines("u", [plan], BERLIN))
    at = datetime.fromisoformat("2026-03-12T10:00:00+01:00")
    block = pipeline.reader(at).context("good morning", user_id="u", session_id="s-2026-03-12")
    assert "- Needs to send the quarterly report to Sam by 13 March 2026. (due 2026-03-13, tomorrow)" in block.text
    said = [
        plan,
        ("2026-03-12T10:00:00", "Good morning!"),
        ("2026-03-12T10:01:00", "A: Have you sent the quarterly report to Sam?"),
        ("2026-03-12T10:02:00", "Yes!"),
    ]
    pipeline.run(lines("u", said, BERLIN))
    (loop,) = pipeline.loops("u", BERLIN)
    assert loop.status == "closed", loop.reason


def test_a_hosted_model_closes_in_words_that_no_rule_knows(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    """The judge is shown the open loops beside a statement, and names the one that it shows to be done (DL-37)."""
    heard = "Finally heard mom's voice again, for an hour!"

    def extracted(call: Call) -> dict[str, Any]:
        windows = []
        for name, said in windows_of(call).items():
            loop = {"type": "open_loop", "content": "Needs to call mom.", "attribute": "plan", "value": "call mom"}
            event = {"type": "episodic_event", "content": "Heard mom's voice again for an hour."}
            made = [draft(alias, text, **(event if text == heard else loop)) for alias, text in said]
            windows.append({"window": name, "proposals": made})
        return {"windows": windows}

    def judged(call: Call) -> dict[str, Any]:
        loops = re.findall(r"^(k\d+) \|.*Needs to call mom", call.prompt, re.MULTILINE)
        closed = {"candidate": "c1", "action": "add", "target": None, "reason": "mom was called", "closes": loops[:1]}
        return {"judgements": [closed]}

    protocol_server.answer("extract", extracted)
    protocol_server.answer("consolidate", judged)
    pipeline = Pipeline(tmp_path, chat="openai", chat_retries=1)
    pipeline.run(lines("u", [("2026-03-10T09:15:00", "I need to call mom."), ("2026-03-11T18:00:00", heard)], BERLIN))
    (loop,) = pipeline.loops("u", BERLIN)
    assert (loop.status, loop.reason) == ("closed", "resolved: Heard mom's voice again for an hour.")
