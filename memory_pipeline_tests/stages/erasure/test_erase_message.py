from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from memory_pipeline.stages.operations.erasure.erase import erase_named
from memory_pipeline_tests.stages.erasure.home import ALICE, NOW, PORTO, Home, built, said

LATER = NOW + timedelta(hours=1)


def test_what_rests_on_an_erased_message_is_as_if_it_had_never_been_said(home: Home, tmp_path: Path) -> None:
    never = built(tmp_path / "never", without=("alice", PORTO))
    others = home.rows("bob")
    vector = home.ctx(LATER).vectors.key(next(line["content"] for line in said("alice") if line["message_id"] == PORTO))
    assert any(vector in row for row in home.rows("alice")["vectors"])
    assert any("Porto" in content for content, _, _ in home.told("alice"))

    certificate = erase_named(home.ctx(LATER), ALICE, message_id=PORTO)

    assert certificate["proof"]["hits"] == 0
    assert certificate["proof"]["traces"] > 5
    assert home.told("alice") == never.told("alice")
    assert any(told[:2] == ("Lives in Lisbon.", "active") for told in home.told("alice"))
    texts = {(s.label, s.text) for s in home.summaries() if s.user_id == "alice"}
    assert texts == {(s.label, s.text) for s in never.summaries() if s.user_id == "alice"}
    assert home.rows("bob") == others
    assert home.stale(LATER) == {}
    assert all("Porto" not in row and vector not in row for rows in home.rows("alice").values() for row in rows)
    assert home.reader().search("Porto boxes", user_id="alice", layers=("episodic",), min_score=0.5) == []
    assert home.take([], LATER).taken == 0


def test_a_session_goes_as_a_whole(home: Home) -> None:
    certificate = erase_named(home.ctx(LATER), ALICE, session_id="s2-alice")
    assert certificate["subjects"][0]["messages"] == 3
    assert certificate["proof"]["hits"] == 0
    told = [content for content, _, _ in home.told("alice")]
    assert "Is allergic to peanuts." not in told
    assert "Has a sister called Wilhelmina." in told
