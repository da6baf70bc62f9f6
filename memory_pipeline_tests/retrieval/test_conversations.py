"""Sessions and their turns as they were held, and what came of them."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.proposal import Evidence, Finding, Outcome, Verdict
from memory_pipeline.errors import NotFound
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline_tests.factories import proposal
from memory_pipeline_tests.store import Store

CARD = "4242 4242 4242 4242"


@pytest.fixture
def talk(home: Store) -> Store:
    first, _ = home.conversation(
        ("user", f"I live in Lisbon. My card is {CARD}."), ("assistant", "Noted!"), session_id="s-1"
    )
    home.conversation(("user", "Hello again."), session_id="s-2")
    home.of(f"not {home.user_id}").conversation(("user", "Somebody else's."), session_id="s-3")
    failed = Finding("secret", False, None, None, "states card")
    said = {**home.owner, "session_id": "s-1"}
    rows = [
        (
            proposal(
                "Lives in Lisbon.",
                first.created_at,
                proposal_id="p-1",
                evidence=(Evidence(first.message_id, "x"),),
                **said,
            ),
            (),
        ),
        (
            proposal(
                f"Card is {CARD}.",
                first.created_at,
                proposal_id="p-2",
                evidence=(Evidence(first.message_id, "y"),),
                **said,
            ),
            (failed,),
        ),
    ]
    home.lake.append("proposals", [p for p, _ in rows])
    home.lake.append(
        "verdicts",
        [
            Verdict(
                identifier("vdt", p.proposal_id),
                p.proposal_id,
                **home.owner,
                day=p.day,
                outcome=Outcome.REJECTED if findings else Outcome.ACCEPTED,
                reason="secret" if findings else "add",
                findings=findings,
                memory_id=None if findings else "mem_1",
            )
            for p, findings in rows
        ],
    )
    return home


def test_sessions_the_latest_first(reader: MemoryReader, talk: Store) -> None:
    found = reader.sessions(**talk.owner)
    by_id = {item["session_id"]: item for item in found["items"]}
    assert found["total"] == 2 and by_id.keys() == {"s-1", "s-2"}
    assert (by_id["s-1"]["messages"], by_id["s-1"]["proposals"], by_id["s-1"]["kept"]) == (2, 2, 1)
    assert by_id["s-1"]["opening"].startswith("I live in Lisbon.") and CARD not in by_id["s-1"]["opening"]
    ends = [item["ended_at"] for item in found["items"]]
    assert ends == sorted(ends, reverse=True)
    assert [i["session_id"] for i in reader.sessions(**talk.owner, offset=1, limit=1)["items"]] == [
        found["items"][1]["session_id"]
    ]


def test_turns_with_what_came_of_them(reader: MemoryReader, talk: Store) -> None:
    said, answered = reader.conversation("s-1", **talk.owner)
    assert said["role"] == "user" and answered["role"] == "assistant" and not answered["proposals"]
    assert said["content"].startswith("I live in Lisbon.") and CARD not in str(said)
    assert [s["standing"] for s in said["sentences"]][:1] == ["own"] and said["sentences"][0]["shown"]
    kept, refused = sorted(said["proposals"], key=lambda p: p["outcome"])
    assert (kept["content"], kept["memory_id"], kept["why"]) == ("Lives in Lisbon.", "mem_1", "became a new memory")
    assert refused["outcome"] == "rejected" and "states card" in refused["why"]


def test_nobody_elses_session(reader: MemoryReader, talk: Store) -> None:
    with pytest.raises(NotFound):
        reader.conversation("s-3", **talk.owner)
    assert reader.sessions(user_id="nobody")["total"] == 0
