"""The same words belong to several users and tenants; each finds its own."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from memory_pipeline.domain.proposal import Surface
from memory_pipeline.errors import NotFound
from memory_pipeline_tests.store import NOW, Store

WORDS = "Keeps bees on the roof."
ODD = [
    "o'brien",
    "x' OR '1'='1",
    'a" OR 1=1 --',
    "alice'; DROP TABLE memories; --",
    "ü🎉\n\t",
    "%",
    "_",
    "*",
    "../../etc",
    "NULL",
]
LAYERS = ["semantic", "episodic", "narrative"]


def fill(home: Store, **given: Any) -> set[str]:
    """One row of each layer; their ids."""
    turn = home.message(WORDS)
    memory = home.memory(WORDS, **given)
    summary = home.summary(WORDS, date(2026, 3, 2))
    return {turn.message_id, memory.memory_id, summary.summary_id}


@pytest.fixture(scope="module")
def owners(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], tuple[Store, set[str]]]:
    everyone = Store(tmp_path_factory.mktemp("isolation"))
    scopes = [("default", user) for user in ("alice", "bob", *ODD)] + [("acme", "alice"), ("x' OR 'a'='a", "alice")]
    return {s: (everyone.of(s[1], s[0]), fill(everyone.of(s[1], s[0]))) for s in scopes}


@pytest.mark.parametrize(
    "scope", [("default", "alice"), ("default", "bob"), ("acme", "alice"), *(("default", u) for u in ODD)]
)
def test_a_user_finds_own_rows_only(owners: Any, scope: tuple[str, str]) -> None:
    home, own = owners[scope]
    reader = home.reader()
    assert {i.id for i in reader.search("bees roof", **home.owner, layers=LAYERS, k=1000)} == own
    assert {i.id for i in reader.search("bees roof", **home.owner, layers=LAYERS, k=1000, as_of=NOW)} == own
    assert {i.id for i in reader.search("bees roof", **home.owner, layers=LAYERS, k=1000, known_at=NOW)} == own
    assert set(reader.context("bees roof", **home.owner).item_ids) <= own
    assert {m["memory_id"] for m in reader.memories(**home.owner)} <= own
    for name in ("memories", "messages", "summaries"):
        assert set(reader.frame(name, **home.owner)["user_id"]) == {home.user_id}
    assert sum(period["messages"] for period in reader.timeline(**home.owner)) == 1


@pytest.mark.parametrize("user", ["Alice", "alic", "alice ", "alice%", "nobody", "' OR ''='", "bob\x00"])
def test_a_user_who_does_not_exist_finds_nothing(owners: Any, user: str) -> None:
    home, _ = owners["default", "alice"]
    stranger = home.of(user)
    reader = home.reader()
    assert reader.search("bees roof", **stranger.owner, layers=LAYERS) == []
    assert reader.memories(**stranger.owner) == []
    assert reader.timeline(**stranger.owner) == []
    assert len(reader.frame("memories", **stranger.owner)) == 0


@pytest.mark.parametrize("query", ["x' OR 1=1 --", '"); DROP TABLE messages; --', "bees' OR user_id <> '", "\\"])
def test_queries_are_data(owners: Any, query: str) -> None:
    home, own = owners["default", "alice"]
    reader = home.reader()
    assert {i.id for i in reader.search(query, **home.owner, layers=LAYERS, k=1000)} <= own
    assert {i.id for i in reader.search("bees", **home.owner, layers=LAYERS)} == own


def test_explaining_a_foreign_memory_is_like_explaining_none(owners: Any) -> None:
    home, _ = owners["default", "alice"]
    (foreign,) = home.reader().memories(**owners["default", "bob"][0].owner)
    said = []
    for memory_id in (foreign["memory_id"], "mem_unknown"):
        with pytest.raises(NotFound) as error:
            home.reader().explain(memory_id, **home.owner)
        said.append(str(error.value).replace(memory_id, "ID"))
    assert said[0] == said[1]


def test_shared_memories_of_the_tenant_only_on_request(own_home: Store) -> None:
    alice, bob, stranger = own_home.of("alice"), own_home.of("bob"), own_home.of("eve", "acme")
    own = alice.memory(WORDS)
    shared = bob.memory(WORDS, shared=True, evidence=["m-secret"])
    bob.memory(WORDS)
    bob.memory(WORDS, shared=True, classification="confidential")
    bob.memory("Never talk about bees.", shared=True, surface=Surface.AVOID)
    bob.memory("Is called Bob.", shared=True, pinned=True)
    stranger.memory(WORDS, shared=True)
    reader = own_home.reader()
    assert [i.id for i in reader.search("roof", **alice.owner)] == [own.memory_id]
    found = {i.id: i for i in reader.search("roof", **alice.owner, include_shared=True)}
    assert set(found) == {own.memory_id, shared.memory_id}
    assert found[shared.memory_id].evidence == ()
    # A colleague's boundaries and pins are not the user's own.
    assert "Bob" not in reader.context("roof", **alice.owner, include_shared=True).text
    assert [i.id for i in reader.search("roof", **alice.owner)] == [own.memory_id]
