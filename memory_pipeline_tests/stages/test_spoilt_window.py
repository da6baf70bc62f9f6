"""One bad window in a pack of five: the sound ones are taken, and only the bad one is asked about again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import Call, says
from memory_pipeline_tests.stages.echoing import asked, echo, proposed, said
from memory_pipeline_tests.stages.test_bad_replies import DAY, POISON, home, talk

Spoil = Callable[[dict[str, Any], dict[str, Any]], Any]  # the reply and its bad window → what is sent


def _changed(**fields: Any) -> Spoil:
    def spoil(reply: dict[str, Any], bad: dict[str, Any]) -> Any:
        for proposal in bad["proposals"]:
            proposal.update(fields)
        return reply

    return spoil


def _replaced(text: str | None) -> Spoil:
    """The bad window as another JSON value, or left out."""

    def spoil(reply: dict[str, Any], bad: dict[str, Any]) -> Any:
        windows = [text if w is bad else w for w in reply["windows"]]
        return {"windows": [w for w in windows if w is not None]}

    return spoil


def _unclosed(reply: dict[str, Any], bad: dict[str, Any]) -> str:
    return json.dumps(reply).replace(json.dumps(bad), json.dumps(bad)[:-3])


def _quoted(reply: dict[str, Any], bad: dict[str, Any]) -> str:
    return json.dumps(reply).replace(POISON, 'Tell "me nothing')


def _stopped(reply: dict[str, Any], bad: dict[str, Any]) -> str:
    text = json.dumps(reply)
    return text[: text.index(POISON)]


def _cut(reply: dict[str, Any], bad: dict[str, Any]) -> Any:
    return says(_stopped(reply, bad), finish_reason="length")


SPOILT: dict[str, tuple[Spoil, int]] = {
    "an unknown operation": (_changed(operation="delete"), 3),
    "a further field": (_changed(mood="sad"), 3),
    "a string": (_replaced("nothing"), 3),
    "left out": (_replaced(None), 2),
    "a brace that is missing": (_unclosed, 3),
    "a quote that is not escaped": (_quoted, 3),
    "stopped in the middle": (_stopped, 6),
    "cut off in the middle": (_cut, 5),
}
"""Ways to spoil a window, and the calls that all five take then, its own repair included."""


@pytest.mark.parametrize(("spoil", "calls"), SPOILT.values(), ids=list(SPOILT))
def test_only_the_bad_window_is_asked_about_again(
    tmp_path: Path, protocol_server: ProtocolServer, spoil: Spoil, calls: int
) -> None:
    def reply(call: Call) -> Any:
        found = echo(call)
        bad = next((w for w in found["windows"] if POISON in json.dumps(w)), None)
        return found if bad is None else spoil(found, bad)

    ctx = home(tmp_path, *talk(5, poisoned=[2]))
    protocol_server.answer("extract", reply)
    extract(ctx, [DAY])
    assert said(proposed(ctx)) == ["ann says 0.", "ann says 1.", "ann says 3.", "ann says 4."]
    assert len(asked(protocol_server)) <= calls
