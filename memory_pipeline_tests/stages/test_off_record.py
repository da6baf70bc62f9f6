"""What its writer asks not to be kept is in no layer of any read, however the plea is worded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from memory_pipeline import MemoryReader, Pipeline
from memory_pipeline.retrieval.store import guards
from memory_pipeline.retrieval.store.user_rows import MESSAGES

DAY = datetime(2026, 3, 10, 12, tzinfo=UTC)
KEPT = "I live in Leeds."
PLEAS = {
    "ann": ["I got a tattoo of an octopus, but pls forget I told you that", "An octopus! Where is the tattoo?"],
    "bea": ["I got a tattoo of an octopus.", "An octopus!", "Oops, forget I said that.", "The octopus tattoo is gone."],
    "cem": ["I like tea. I got a tattoo of an octopus, keep that off the record.", "An octopus!"],
}
QUESTIONS = ["Do I have a tattoo?", "What do you know about me?", "What about the octopus?"]
NAMED = re.compile("tattoo|octopus", re.I)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryReader]:
    home = tmp_path_factory.mktemp("home")
    with Pipeline.open(str(home)) as pipeline:
        pipeline.ingest([row for user, said in PLEAS.items() for row in _rows(user, [KEPT, "I see.", *said])])
        pipeline.run()
    with MemoryReader.open(str(home)) as opened:
        yield opened


def _rows(user: str, said: list[str]) -> Iterator[dict[str, str]]:
    for n, content in enumerate(said):
        at = (DAY + timedelta(minutes=n)).isoformat()
        role = "assistant" if n % 2 else "user"
        names = {"user_id": user, "session_id": f"{user}-1", "message_id": f"{user}-{n}"}
        yield {**names, "role": role, "content": content, "created_at": at}


def _told(reader: MemoryReader, user: str) -> Iterator[str]:
    """All that reads of every layer give."""
    yield reader.profile(user_id=user).text
    yield from (m.content for m in reader.memories(user_id=user))
    for question in QUESTIONS:
        yield reader.context(question, user_id=user).text
        yield reader.ask(question, user_id=user).text
        yield from (i.content for i in reader.search(question, user_id=user, k=20, layers=("episodic", "narrative")))


@pytest.mark.parametrize("user", PLEAS)
def test_no_layer_names_it(reader: MemoryReader, user: str) -> None:
    told = list(_told(reader, user))
    assert any("Leeds" in text for text in told)
    assert [text for text in told if NAMED.search(text.replace("What about the octopus?", ""))] == []


@pytest.mark.parametrize("user", PLEAS)
def test_without_its_guard_a_search_gives_the_turn(
    reader: MemoryReader, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tuple(guard for guard in guards.GUARDS[MESSAGES] if guard is not guards.on_record)
    monkeypatch.setitem(guards.GUARDS, MESSAGES, left)  # type: ignore[arg-type]
    assert any(NAMED.search(text) for text in _told(reader, user))


def test_a_turn_says_why_it_is_not_shown(reader: MemoryReader) -> None:
    (turn,) = reader.explain_message("bea-2", user_id="bea")
    (sentence,) = turn["sentences"]
    assert sentence["standing"] == "off_record" and not sentence["shown"]
