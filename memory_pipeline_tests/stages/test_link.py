"""Links and entities over a real lake and index: kinds, reach of a change, what is stored after any history."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.entities import Entity, entities, statements
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.ledger.memory import Change, MemoryVersion, Status
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.scope import Scope
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation.neighbours import Vectors
from memory_pipeline.stages.links.link_rows import words_of
from memory_pipeline.stages.links.link_rules import Ties
from memory_pipeline.storage.parquet.schemas import Link
from memory_pipeline.storage.queries.current_memories import last_days, ledger_of, remembered
from memory_pipeline_tests.linking import context, run
from memory_pipeline_tests.store import NOW, Store

DAY = timedelta(days=1)
START = NOW - 30 * DAY


@pytest.fixture
def home(tmp_path: Path) -> Store:
    return Store(tmp_path)


def links(home: Store) -> list[Link]:
    return home.lake.read("links", Link)


def edges(home: Store) -> dict[tuple[str, str], str]:
    """Relation by the ids of both ends."""
    return {(row.source_id, row.target_id): row.relation for row in links(home)}


class TestKinds:
    def test_what_took_anothers_place(self, home: Store) -> None:
        old = home.memory("Lives in Berlin.", at=START, attribute="residence", value="Berlin")
        new = home.memory("Lives in Hamburg.", at=START + DAY, attribute="residence", value="Hamburg")
        wrong = home.memory("Is a nurse.", at=START, attribute="occupation", value="nurse")
        right = home.memory("Is no nurse but a cook.", at=START + DAY, attribute="occupation", value="cook")
        home.change(old, Change.SUPERSEDE, status=Status.SUPERSEDED, superseded_by=new.memory_id)
        home.change(wrong, Change.CONTRADICT, status=Status.CONTRADICTED, superseded_by=right.memory_id)
        run(home)
        assert edges(home)[new.memory_id, old.memory_id] == "supersedes"
        assert edges(home)[right.memory_id, wrong.memory_id] == "contradicts"
        assert {row.weight for row in links(home) if row.reason == "superseded_by"} == {1.0}

    def test_slots_that_deny_each_other(self, home: Store) -> None:
        old = home.memory("Likes strong coffee.", at=START, attribute="likes", value="strong coffee")
        new = home.memory("Can't stand it any more.", at=START + DAY, attribute="dislikes", value="strong coffee")
        same = home.memory("Enjoys every cup.", at=START + 2 * DAY, attribute="likes", value="strong coffee")
        run(home)
        assert edges(home)[new.memory_id, old.memory_id] == "contradicts"
        assert edges(home)[same.memory_id, new.memory_id] == "contradicts"
        assert (same.memory_id, old.memory_id) not in edges(home)

    def test_the_fuller_one_elaborates_whichever_is_older(self, home: Store) -> None:
        short = home.memory("Plays the violin.", at=START)
        full = home.memory("Plays the violin in a quartet.", at=START + DAY)
        again = home.memory("Plays the violin!", at=START + 2 * DAY)
        other = home.memory("Brother plays the violin.", at=START + 3 * DAY, subject="brother")
        run(home)
        assert edges(home)[full.memory_id, short.memory_id] == "elaborates"
        assert edges(home)[full.memory_id, again.memory_id] == "elaborates"
        assert edges(home)[other.memory_id, short.memory_id] == "related"

    def test_a_reason_that_is_another_memory(self, home: Store) -> None:
        finding = home.memory("The browser freezes at 5k rows.", at=START, type=MemoryType.FINDING)
        noise = home.memory("The browser was updated.", at=START, type=MemoryType.FINDING)
        decision = home.memory(
            "Decided: server paging, because the browser freezes with too many rows.",
            at=START + DAY,
            type=MemoryType.DECISION,
        )
        run(home)
        assert edges(home)[decision.memory_id, finding.memory_id] == "caused_by"
        assert edges(home).get((decision.memory_id, noise.memory_id)) != "caused_by"

    def test_a_pattern_rests_on_its_members(self, home: Store) -> None:
        members = home.memories([(f"Test {n} is flaky.", {"at": START + n * DAY}) for n in range(3)])
        ids = tuple(m.memory_id for m in members)
        pattern = home.memory(
            "Three tests are flaky.", at=START + 5 * DAY, type=MemoryType.PATTERN, derived_from=ids, entities=()
        )
        run(home)
        assert {target for source, target in edges(home) if source == pattern.memory_id} == set(ids)
        assert {edges(home)[pattern.memory_id, i] for i in ids} == {"caused_by"}

    def test_related_from_the_floor_on(self, home: Store) -> None:
        old = home.memory("red green blue grey", at=START)
        near = home.memory("red green cat dog", at=START + DAY)
        far = home.memory("red one two three four five six seven", at=START + 2 * DAY)
        run(home)
        (row,) = links(home)
        assert (row.source_id, row.target_id, row.relation) == (near.memory_id, old.memory_id, "related")
        assert (row.weight, row.reason) == (0.5, "similarity")
        assert far.memory_id not in {row.source_id, row.target_id}

    def test_a_shared_entity_lowers_the_floor(self, home: Store) -> None:
        first = home.memory("Nora sings one two three", at=START, entities=("Nora",))
        second = home.memory("Nora paints four five six", at=START + DAY, entities=("Nora",))
        third = home.memory("Nobody paints seven eight nine", at=START + DAY)
        run(home)
        (row,) = links(home)
        assert (row.source_id, row.target_id, row.reason) == (second.memory_id, first.memory_id, "entity")
        assert row.weight == 0.2
        assert third.memory_id not in {row.source_id, row.target_id}

    def test_an_entity_in_too_many_memories_tells_nothing(self, home: Store) -> None:
        rows = [(f"Nora {n}a {n}b {n}c {n}d", {"at": START + n * DAY, "entities": ("Nora",)}) for n in range(21)]
        home.memories(rows)
        run(home)
        assert "entity" not in {row.reason for row in links(home)}

    def test_at_most_so_many_older_ones(self, home: Store) -> None:
        home.memories([(f"red green blue {n}", {"at": START + n * DAY}) for n in range(30)])
        run(home)
        outgoing = [row.source_id for row in links(home)]
        assert max(map(outgoing.count, outgoing)) == 20


class TestPartitions:
    def test_a_link_lies_where_its_later_memory_was_born(self, home: Store) -> None:
        home.memory("red green blue grey", at=START)
        home.memory("red green cat dog", at=START + DAY)
        report = run(home)
        day = (START + DAY).date()
        assert report.links == {day: 1}
        assert [row.day for row in links(home)] == [day]

    def test_nothing_is_written_where_nothing_changed(self, home: Store) -> None:
        home.memories([(f"red green blue {n}", {"at": START + n * DAY}) for n in range(9)])
        run(home)
        files = {path: path.stat().st_mtime_ns for path in home.home.glob("lake/links/**/*.parquet")}
        home.memory("red green blue new", at=START + 20 * DAY)
        report = run(home, (START + 20 * DAY).date())
        assert report.others == []
        assert {path: path.stat().st_mtime_ns for path in files} == files

    def test_other_users_rows_stay(self, home: Store) -> None:
        other = home.of("bob")
        for one in (home, other):
            one.memory("red green blue grey", at=START)
            one.memory("red green cat dog", at=START + DAY)
        run(home)
        assert {row.user_id for row in links(home)} == {"alice", "bob"}
        late = home.memory("red green cat mouse", at=START - DAY)
        run(home, late.day)
        assert [row.user_id for row in links(home)].count("bob") == 1
        assert [row.user_id for row in links(home)].count("alice") == 3


class TestReach:
    def pair(self, home: Store) -> tuple[MemoryVersion, MemoryVersion]:
        old = home.memory("red green blue grey", at=START)
        new = home.memory("red green cat dog", at=START + DAY)
        run(home)
        assert len(links(home)) == 1
        return old, new

    def test_a_merge_remakes_what_hangs_on_it(self, home: Store) -> None:
        old, new = self.pair(home)
        changed = home.change(old, Change.MERGE, at=START + 9 * DAY, content="something else entirely")
        run(home, changed.day)
        assert links(home) == []
        changed = home.change(changed, Change.MERGE, at=START + 10 * DAY, content="red green cat dog bird")
        run(home, changed.day)
        assert edges(home) == {(old.memory_id, new.memory_id): "elaborates"}

    def test_what_is_forgotten_loses_its_links(self, home: Store) -> None:
        old, _ = self.pair(home)
        gone = home.change(old, Change.FORGET, at=START + 9 * DAY, status=Status.ARCHIVED)
        run(home, gone.day)
        assert links(home) == []

    def test_what_is_withdrawn_loses_its_links(self, home: Store) -> None:
        _, new = self.pair(home)
        home.lake.append("memory_versions", [replace(new, asserted=False, recorded_at=NOW)])
        home.index.delete("memories", [new.memory_id])
        run(home, new.day)
        assert links(home) == []

    def test_a_supersession_on_a_later_day_and_its_undoing(self, home: Store) -> None:
        old, new = self.pair(home)
        ended = home.change(
            old, Change.SUPERSEDE, at=START + 5 * DAY, status=Status.SUPERSEDED, superseded_by=new.memory_id
        )
        run(home, ended.day)
        assert edges(home) == {(new.memory_id, old.memory_id): "supersedes"}
        home.lake.append("memory_versions", [replace(ended, asserted=False, recorded_at=NOW)])
        run(home, ended.day)
        assert edges(home) == {(new.memory_id, old.memory_id): "related"}

    def test_two_names_become_one_and_two_again(self, home: Store) -> None:
        first = home.memory("one two three four", at=START, entities=("Max",))
        second = home.memory("one five six seven", at=START + DAY, entities=("Max Weber",))
        run(home)
        assert links(home) == []
        told = home.memory("eight nine", at=START + 5 * DAY, attribute="friend", value="Max Weber")
        run(home, told.day)
        assert edges(home) == {(second.memory_id, first.memory_id): "related"}
        other = home.memory("ten eleven", at=START + 6 * DAY, attribute="friend", value="Max Planck")
        run(home, other.day)
        assert links(home) == []

    def test_a_late_message_takes_its_place(self, home: Store) -> None:
        home.memories([(f"red green blue {n}", {"at": START + n * DAY}) for n in range(21)])
        run(home)
        last = f"mem_{21}"
        assert len([1 for source, _ in edges(home) if source == last]) == 20
        late = home.memory("red green blue 20 indeed", at=START - DAY)
        run(home, late.day)
        targets = {target for source, target in edges(home) if source == last}
        assert late.memory_id in targets | {s for s, t in edges(home) if t == last}
        assert_as_if_made_at_once(home)


def assert_as_if_made_at_once(home: Store) -> None:
    """What is stored is what the ledger as it stands makes, whatever came before."""
    ctx = context(home)
    scope = Scope(home.tenant_id, home.user_id)
    ledger = ledger_of(ctx.lake, [scope])
    memories = remembered(ctx.lake, ledger)[scope]
    stored = [e for e in ctx.lake.read("entities", Entity) if e.user_id == home.user_id]
    vectors = Vectors(ctx)
    made = Ties(memories, stored, vectors, ctx.policy).of(range(len(memories)))
    expected = {
        Link(
            identifier("lnk", memories[t.source].memory_id, memories[t.target].memory_id),
            *scope_fields(scope),
            memories[max(t.source, t.target)].born,
            memories[t.source].memory_id,
            memories[t.target].memory_id,
            str(t.kind),
            t.weight,
            t.reason,
            words_of(memories[t.source].content),
            words_of(memories[t.target].content),
        )
        for t in made
    }
    found = [row for row in links(home) if row.user_id == home.user_id]
    assert len(found) == len(set(found))
    assert set(found) == expected
    again = entities(scope, statements(memories), last_days(ctx.lake, ledger)[scope])
    assert sorted(stored, key=lambda e: e.entity_id) == sorted(again, key=lambda e: e.entity_id)


def scope_fields(scope: Scope) -> tuple[str, str]:
    return scope.tenant_id, scope.user_id


_WORDS = ("red", "green", "blue", "grey", "cat", "dog", "fish", "lake", "river", "song")
_PEOPLE = ("Max", "Max Weber", "Nora", "NYC", "New York City", "Berlin")


class History:
    """A random life: new memories, late ones, and everything that may happen to them."""

    def __init__(self, home: Store, seed: int) -> None:
        self.home = home
        self.random = random.Random(seed)
        self.current: dict[str, MemoryVersion] = {}
        self.touched: set[date] = set()

    def step(self) -> None:
        happen = self.random.choice([self._new] * 6 + [self._change] * 5 + [self._withdraw])
        happen()

    def _words(self) -> str:
        words = self.random.sample(_WORDS, self.random.randint(2, 5))
        reason = f", because {' '.join(self.random.sample(_WORDS, 3))}" if self.random.random() < 0.2 else ""
        return f"{' '.join(words)} {self.random.choice(_PEOPLE)}{reason}"

    def _new(self) -> None:
        at = START + DAY * self.random.randint(0, 12) + timedelta(minutes=self.random.randint(0, 600))
        slot: dict[str, Any] = {}
        if self.random.random() < 0.4:
            attribute = self.random.choice(["likes", "dislikes", "pet", "friend", "residence"])
            value = self.random.choice([*_PEOPLE, "red fish"])
            slot = {"subject": "user", "attribute": attribute, "value": value}
        names = (self.random.choice(_PEOPLE),) if self.random.random() < 0.7 else ()
        derived = tuple(sorted(self.current)[:2]) if self.random.random() < 0.1 else ()
        made = self.home.memory(self._words(), at=at, entities=names, derived_from=derived, **slot)
        self._keep(made)

    def _change(self) -> None:
        if not self.current:
            return
        version = self.current[self.random.choice(sorted(self.current))]
        at = version.changed_at + DAY * self.random.randint(0, 4)
        change, given = self.random.choice(
            [
                (Change.MERGE, {"content": self._words()}),
                (Change.EDIT, {"content": self._words(), "entities": ("Nora",)}),
                (Change.REINFORCE, {"observed_at": version.observed_at - DAY, "reinforcements": 1}),
                (Change.FORGET, {"status": Status.ARCHIVED}),
                (Change.STALE, {"status": Status.STALE}),
                (Change.SUPERSEDE, {"status": Status.SUPERSEDED, "superseded_by": max(self.current)}),
            ]
        )
        self._keep(self.home.change(version, change, at=at, recorded_at=NOW, **given))

    def _withdraw(self) -> None:
        if self.current:
            version = self.current.pop(self.random.choice(sorted(self.current)))
            rows = self.home.lake.read(
                "memory_versions", MemoryVersion, where="memory_id = $id AND asserted", params={"id": version.memory_id}
            )
            self.home.lake.append("memory_versions", [replace(v, asserted=False, recorded_at=NOW + DAY) for v in rows])
            self.home.index.delete("memories", [version.memory_id])
            self.touched |= {v.day for v in rows}

    def _keep(self, version: MemoryVersion) -> None:
        self.current[version.memory_id] = version
        self.touched.add(version.day)

    def link(self) -> None:
        """Link what was touched, in one call or day by day in any order."""
        days = sorted(self.touched)
        self.touched.clear()
        self.random.shuffle(days)
        if self.random.random() < 0.5:
            run(self.home, *days)
        else:
            for day in days:
                run(self.home, day)


@pytest.mark.parametrize("seed", range(3))
def test_after_any_history_it_is_as_if_made_at_once(home: Store, seed: int) -> None:
    policy = home.home / "policy.toml"
    policy.write_text("[consolidation]\nmax_links = 2\n[links]\nentity_memories = 3\n")
    home.settings = Settings(home=str(home.home), policy=policy)
    life = History(home, seed)
    for _ in range(3):
        for _ in range(life.random.randint(1, 7)):
            life.step()
        if life.touched:
            life.link()
            assert_as_if_made_at_once(home)
