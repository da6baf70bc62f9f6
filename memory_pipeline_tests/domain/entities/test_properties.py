"""What holds of entities whatever the memories: no order matters, every name leads back, nobody shares."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_pipeline.domain.entities import TELLING, Roster, Statement, entities, slots_name
from memory_pipeline.domain.scope import Scope
from memory_pipeline_tests.domain.entities.said import DAY, SCOPE, made, says, stated_names


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_the_order_of_memories_does_not_matter(data: st.DataObject) -> None:
    stated = data.draw(stated_names())
    assert made(data.draw(st.permutations(stated))) == made(stated)


@given(stated_names())
@settings(max_examples=150, deadline=None)
def test_every_name_leads_back_to_its_entity(stated: Sequence[Statement]) -> None:
    known = made(stated)
    roster = Roster(known)
    name_of = {e.entity_id: e.name for e in known}
    assert len(name_of) == len(known)
    for entity in known:
        for name in (entity.name, *(a.name for a in entity.aliases)):
            found = roster.resolve(name)
            assert entity.entity_id in found or name == "user"
            assert all(i in roster.resolve(name_of[i]) for i in found if name_of[i] != "user")


@given(stated_names())
@settings(max_examples=100, deadline=None)
def test_every_memory_with_a_name_is_in_an_entity_and_no_entity_is_empty(stated: Sequence[Statement]) -> None:
    known = made(stated)
    assert all(e.memory_ids and e.mentions >= len(e.memory_ids) and e.first_seen <= e.last_seen for e in known)
    filed = {i for e in known for i in e.memory_ids}
    assert {s.memory_id for s in stated if s.entities} <= filed <= {s.memory_id for s in stated}
    assert all(a.memory_id in e.memory_ids for e in known for a in e.aliases)


@given(stated_names(), stated_names())
@settings(max_examples=60, deadline=None)
def test_two_users_share_nothing(mine: Sequence[Statement], theirs: Sequence[Statement]) -> None:
    alone = entities(SCOPE, mine, DAY)
    other = entities(Scope("t", "other"), theirs, DAY)
    tenant = entities(Scope("another", "u"), mine, DAY)
    assert {e.entity_id for e in alone}.isdisjoint(e.entity_id for e in (*other, *tenant))
    assert [(e.name, e.kind, e.memory_ids) for e in alone] == [(e.name, e.kind, e.memory_ids) for e in tenant]


@given(stated_names())
@settings(max_examples=100, deadline=None)
def test_memories_that_tell_of_no_name_change_nothing(stated: Sequence[Statement]) -> None:
    def telling(s: Statement) -> bool:
        told = slots_name(s.subject) or slots_name(attribute=s.attribute)
        return told or bool(s.entities) or re.search(TELLING, s.content) is not None

    silent = says("Likes tea.", "user", "likes", "tea")
    assert not telling(silent)
    assert made([s for s in stated if telling(s)]) == made([*stated, silent])
