"""What the user did last is taken back as if it had not been done, and no later run does it again."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.errors import CurationError
from memory_pipeline_tests.factories import proposal, residence
from memory_pipeline_tests.stages.curated import Home, at

TEA = "Likes green tea."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    tea = proposal(TEA, at(0), type=MemoryType.PREFERENCE, attribute="likes", value="green tea")
    made.say(tea, residence("Lisbon", at(1)))
    return made


def act(home: Home, name: str, memory_id: str, *given: str) -> str:
    home.now += timedelta(minutes=1)
    return str(getattr(home.curator, name)(memory_id, *given, **home.owner).status)


def standing(home: Home) -> set[tuple[object, ...]]:
    names = ("memory_id", "content", "status", "surface", "pinned", "version")
    return {tuple(m[n] for n in names) for m in home.reader.memories(**home.owner)}


def test_each_act_is_taken_back_and_stays_so(home: Home) -> None:
    tea = home.id(TEA)
    before, found = standing(home), home.found("green tea")
    for name, *given in (("forget",), ("pin",), ("suppress",), ("edit", "Likes black tea.")):
        act(home, name, tea, *given)
        assert standing(home) != before, name
        act(home, "undo", tea)
        assert standing(home) == before, name
        assert home.found("green tea") == found, name
    withdrawn = {(row.change, row.asserted) for row in home.rows() if row.change == "forget"}
    assert withdrawn == {("forget", True), ("forget", False)}, "nothing is deleted"
    home.run()
    assert standing(home) == before


def test_acts_are_taken_back_one_by_one(home: Home) -> None:
    tea = home.id(TEA)
    act(home, "edit", tea, "Likes black tea.")
    act(home, "forget", tea)
    assert "Likes black tea." not in home.found("black tea")
    assert act(home, "undo", tea) == "active"
    assert home.listed("Likes black tea.")["memory_id"] == tea and TEA not in home.found("green tea")
    act(home, "undo", tea)
    assert home.id(TEA) == tea
    with pytest.raises(CurationError, match="nothing to undo"):
        act(home, "undo", tea)


def test_the_last_act_of_any_kind_is_undone_without_naming_it(home: Home) -> None:
    tea, lisbon = home.id(TEA), home.id("Lives in Lisbon.")
    before = standing(home)
    with pytest.raises(CurationError, match="nothing has been done by hand"):
        home.curator.undo(**home.owner)
    act(home, "pin", tea)
    act(home, "suppress", lisbon)
    for memory_id in (lisbon, tea):
        home.now += timedelta(minutes=1)
        assert home.curator.undo(**home.owner).memory_id == memory_id
    assert standing(home) == before
    home.now += timedelta(minutes=1)
    harp = home.curator.remember("I play the harp.", pinned=True, **home.owner)
    home.now += timedelta(minutes=1)
    assert home.curator.undo(**home.owner).memory_id == harp.memory_id
    assert {m["status"] for m in home.reader.memories(**home.owner) if m["memory_id"] == harp.memory_id} == {"archived"}
    home.now += timedelta(minutes=1)
    assert home.curator.undo(**home.owner).status == "active", "undone again, it is back"
    act(home, "pin", tea)
    later = home.now + timedelta(minutes=1)
    home.say(proposal(TEA, later, type=MemoryType.PREFERENCE, attribute="likes", value="green tea"))
    with pytest.raises(CurationError, match=tea):
        home.curator.undo(**home.owner)


def test_what_an_edit_ended_stands_again(home: Home) -> None:
    tea, lisbon = home.id(TEA), home.id("Lives in Lisbon.")
    act(home, "edit", tea, "I live in Porto.")
    ended = {m["memory_id"]: m["status"] for m in home.reader.memories(**home.owner)}
    assert ended[lisbon] == "superseded"
    act(home, "undo", tea)
    assert {m["status"] for m in home.reader.memories(**home.owner)} == {"active"}
