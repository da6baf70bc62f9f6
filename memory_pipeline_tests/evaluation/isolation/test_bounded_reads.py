"""The probe of every guard on every layer: silent on a sound home, loud where one guard of one layer is gone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.scope import Scope
from memory_pipeline.evaluation.isolation.bounded_reads import asking_back
from memory_pipeline.evaluation.isolation.markings import (
    AGENT,
    CLASS,
    DOMAIN,
    MEMORY,
    REFLECTION,
    ROW_LAYERS,
    SESSION,
    SUMMARY,
)
from memory_pipeline.evaluation.isolation.markings import TURN as TURN_LAYER
from memory_pipeline.evaluation.isolation.probe import Foreign, probe, recent_users
from memory_pipeline.evaluation.shadow.holdings import Holdings
from memory_pipeline.evaluation.shadow.logged_reads import LoggedRead
from memory_pipeline.evaluation.shadow.shadow_replay import Side
from memory_pipeline.retrieval.store import guards
from memory_pipeline.retrieval.store.cache import HotRows
from memory_pipeline.retrieval.store.user_rows import MEMORIES, MESSAGES, SUMMARIES, UserRows
from memory_pipeline.stages.context import StageContext
from memory_pipeline_tests.store import CLASSES, NOW, Store

TABLES = {MEMORY: MEMORIES, REFLECTION: MEMORIES, TURN_LAYER: MESSAGES, SUMMARY: SUMMARIES}
GUARDS = {
    CLASS: (guards.classification,),
    DOMAIN: (guards.domain, guards.whole_domain),
    AGENT: (guards.agent, guards.whole_agent),
    SESSION: (guards.session,),
}
Home = tuple[StageContext, Store]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Each user has a row of each layer in one place, and a turn in another."""
    store = Store(tmp_path)
    place: dict[str, Any] = {"domain": "legal", "agent_id": "bot", "session_id": "s-1"}
    for user in ("ann", "bob"):
        own = store.of(user)
        own.memory(f"The harbour lawyer has the lease of {user}.", **place, memory_id=f"memory-{user}")
        own.memory(
            f"Quarrels about rent weigh on {user}.",
            **place,
            type=MemoryType.REFLECTION,
            memory_id=f"reflection-{user}",
        )
        own.message(f"My lawyer wrote to the landlord, says {user}.", **place, message_id=f"turn-{user}")
        own.message(f"What shall I cook, asks {user}?", domain="home", agent_id="cook", session_id="s-2")
        summary = {"domains": ("legal",), "agent_ids": ("bot",), "summary_id": f"summary-{user}"}
        own.summary(f"A letter went out in the name of {user}.", date(2026, 3, 1), **summary)
    ctx = StageContext(store.settings, "probe-1", NOW)
    ctx.encoder, ctx.lake, ctx.index = store.encoder, store.lake, store.index
    return ctx, store


def probed(home: Home) -> tuple[Foreign, ...]:
    ctx, store = home
    return probe(ctx, store.reader(), recent_users(ctx), NOW.date()).foreign


def test_a_sound_home_passes(home: Home) -> None:
    assert probed(home) == ()


def without(layer: str, gone: tuple[Callable[..., Any], ...]) -> tuple[Callable[..., Any], ...]:
    """The guards of a layer's table, of which some let all rows of this layer through."""

    def opened(guard: Callable[..., Any]) -> Callable[..., Any]:
        def found(rows: UserRows, query: Any) -> Any:
            own = guard(rows, query)
            if rows.name != MEMORIES:
                return own | True
            return own | (rows.matching("type", ("reflection",)) == (layer == REFLECTION))

        return found

    return tuple(opened(guard) if guard in gone else guard for guard in guards.GUARDS[TABLES[layer]])


@pytest.mark.parametrize("layer", ROW_LAYERS)
@pytest.mark.parametrize("bound", GUARDS)
def test_a_guard_that_is_gone_from_a_layer_is_found(
    home: Home, monkeypatch: pytest.MonkeyPatch, layer: str, bound: str
) -> None:
    left = without(layer, GUARDS[bound])
    assert left != guards.GUARDS[TABLES[layer]]
    monkeypatch.setitem(guards.GUARDS, TABLES[layer], left)  # type: ignore[arg-type]
    found = probed(home)
    assert {(f.bound, f.layer) for f in found} == {(bound, layer)}
    assert f"{layer}-ann" in {f.item_id for f in found}
    assert {f.read for f in found} == {"search", "ask"} | ({"context"} if bound != SESSION else set())


def test_a_reflection_over_a_domain_that_it_does_not_name_is_found(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home[1].of("ann").memory(
        "Letters of lawyers cost sleep.",
        type=MemoryType.REFLECTION,
        memory_id="reflection-over",
        derived_from=("memory-ann",),
    )
    assert probed(home) == ()
    left = tuple(guard for guard in guards.GUARDS[MEMORIES] if guard is not guards.derivation)
    monkeypatch.setitem(guards.GUARDS, MEMORIES, left)  # type: ignore[arg-type]
    found = probed(home)
    assert {f.item_id for f in found} == {"reflection-over"}
    assert {DOMAIN, AGENT} <= {f.bound for f in found}


def test_turns_that_the_prompt_holds_already_are_found_where_nothing_leaves_them_out(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tuple(guard for guard in guards.GUARDS[MESSAGES] if guard is not guards.apart)
    monkeypatch.setitem(guards.GUARDS, MESSAGES, left)  # type: ignore[arg-type]
    assert {(f.read, f.bound, f.layer) for f in probed(home)} == {("context", SESSION, TURN_LAYER)}


@pytest.mark.parametrize("layer", ROW_LAYERS)
@pytest.mark.parametrize("tenant", ["default", "other"])
def test_a_layer_that_gives_somebody_else_s_rows_is_found(
    home: Home, monkeypatch: pytest.MonkeyPatch, layer: str, tenant: str
) -> None:
    _, store = home
    if tenant == "other":  # the same user in another tenant
        own = store.of("ann", tenant)
        own.memory("The lawyer of the other ann.", memory_id="memory-other")
        own.memory("Rent weighs on the other ann.", type=MemoryType.REFLECTION, memory_id="reflection-other")
        own.message("My lawyer wrote, says the other ann.", message_id="turn-other")
        own.summary("A letter of the other ann.", date(2026, 3, 1), summary_id="summary-other")
    sound, whose = HotRows.rows, Scope(tenant, "bob" if tenant == "default" else "ann")

    def leaking(self: HotRows, name: str, scope: Scope) -> Any:
        return sound(self, name, whose if name == TABLES[layer] and scope == Scope("default", "ann") else scope)

    monkeypatch.setattr(HotRows, "rows", leaking)
    found = [f for f in probed(home) if f.bound == "owner"]
    wanted = f"{layer}-{'bob' if tenant == 'default' else 'other'}"
    reads = {f.read for f in found if f.item_id == wanted}
    assert {"search", "ask", "context"} <= reads


REACH: dict[str, dict[str, Any]] = {
    CLASS: {"max_classification": "public"},
    DOMAIN: {"domain": "home"},
    AGENT: {"agent_id": "cook"},
    SESSION: {},
}
FAULT = {CLASS: "above_ceiling", DOMAIN: "other_domain", AGENT: "other_agent", SESSION: "other_session"}


@pytest.mark.parametrize("kind", ["search", "context", "ask"])
@pytest.mark.parametrize("layer", ROW_LAYERS)
@pytest.mark.parametrize("bound", GUARDS)
def test_a_replayed_read_counts_what_a_guard_that_is_gone_lets_through(
    home: Home, monkeypatch: pytest.MonkeyPatch, layer: str, bound: str, kind: str
) -> None:
    if bound == SESSION and kind != "search":
        return
    _, store = home
    scope = Scope("default", "ann")
    held = Holdings.read(store.lake, [scope], CLASSES)
    side = Side(store.settings, store.encoder, held, held)
    words = held.of[scope].markings[f"{layer}-ann"][0].text
    words = asking_back(words) if layer in (SUMMARY, REFLECTION) and kind == "context" else words
    asked = {"layers": ["semantic", "episodic", "narrative"], **REACH[bound]}
    session = "s-2" if bound == SESSION else None
    read = LoggedRead("rec", kind, scope, words, session, "default", NOW, asked, (), {})
    assert not side.replay(read)[0].faults
    monkeypatch.setitem(guards.GUARDS, TABLES[layer], without(layer, GUARDS[bound]))  # type: ignore[arg-type]
    told = kind == "ask" and layer in (SUMMARY, REFLECTION)  # an answer is made of memories and turns alone
    assert side.replay(read)[0].faults.keys() == (set() if told else {FAULT[bound]})
