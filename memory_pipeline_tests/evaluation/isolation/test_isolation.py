"""The isolation probe: silent on a sound home, loud about every kind of leak that is planted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

from memory_pipeline.domain.canary import CANARY_USER, canary_name, canary_of, canary_text
from memory_pipeline.domain.scope import Scope
from memory_pipeline.evaluation.isolation.probe import Probe, plant, probe, recent_users
from memory_pipeline.retrieval.lists.listing import memories as listed
from memory_pipeline.retrieval.store.cache import HotRows
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.vectors.index import Index
from memory_pipeline.storage.vectors.index_snapshot import Snapshot
from memory_pipeline_tests.store import NOW, Store

TENANTS = ("acme", "globex", "initech")
USERS = ("ann", "bob")


def fill(home: Path) -> tuple[StageContext, Store]:
    """Everybody has said the same, so that all rows are nearest neighbours of one another."""
    store = Store(home)
    for tenant in TENANTS:
        for user in USERS:
            own = store.of(user, tenant)
            said = own.message(f"I keep my savings at the harbour bank, account {tenant}{user}.")
            own.memory(
                "Keeps the savings at the harbour bank",
                memory_id=f"mem_{tenant}_{user}",
                evidence=[said.message_id],
                shared=user == "bob",
            )
    ctx = StageContext(store.settings, "probe-1", NOW)
    ctx.encoder, ctx.lake, ctx.index = store.encoder, store.lake, store.index
    return ctx, store


def probed(ctx: StageContext, store: Store) -> Probe:
    users = recent_users(ctx)
    planted = plant(ctx, {scope.tenant_id for scope in users})
    return probe(ctx, store.reader(), users, NOW.date(), planted)


def test_a_sound_home_passes_and_canaries_are_planted_once(tmp_path: Path) -> None:
    ctx, store = fill(tmp_path)
    first = probed(ctx, store)
    assert first.foreign == ()
    assert (first.tenants, first.users, first.planted) == (3, 6, 3)
    assert first.reads > 5 * (2 * 6 + 3)  # memories and turns of six, the canaries; and reads with bounds
    again = probed(ctx, store)
    assert (again.planted, again.users, again.foreign) == (0, 6, ())
    (canary,) = store.reader().memories(user_id=CANARY_USER, tenant_id="acme")
    assert canary["content"] == canary_text("acme")
    assert canary["pinned"]


def test_canaries_are_alike_and_their_names_are_not() -> None:
    names = {canary_name(tenant) for tenant in TENANTS}
    assert len(names) == len(TENANTS)
    assert {canary_text(t).replace(canary_name(t), "") for t in TENANTS} == {"The canary of this store is called ."}
    assert canary_of("acme") == Scope("acme", CANARY_USER)


def test_the_turn_of_users_goes_round(tmp_path: Path) -> None:
    ctx, store = fill(tmp_path)
    policy = ctx.settings.policies
    settings = ctx.settings.model_copy()
    settings.__dict__["policies"] = replace(policy, isolation=replace(policy.isolation, users=1))
    few = StageContext(settings, "probe-2", NOW)
    few.encoder, few.lake, few.index = ctx.encoder, ctx.lake, ctx.index
    assert probe(few, store.reader(), recent_users(few), NOW.date()).users == 1


def _no_tenant(self: Index, name: str, scope: Scope, columns: Any = None) -> Any:
    """What the index gives when its filter forgets the tenant."""
    dataset = self.dataset(name)
    everything = self.schema(name).empty_table() if dataset is None else dataset.to_table()
    own = everything.filter(pc.equal(everything["user_id"], scope.user_id))
    return own if columns is None else own.select(columns)


def test_a_filter_that_forgets_the_tenant_is_found_in_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx, store = fill(tmp_path)
    assert probed(ctx, store).foreign == ()
    monkeypatch.setattr(Index, "rows", _no_tenant)
    # The cache has a guard of its own; here it fails as well.
    monkeypatch.setattr(HotRows, "_load", _unguarded)
    found = {(f.tenant_id, f.read, f.item_id) for f in probed(ctx, store).foreign}
    assert ("acme", "rows", "mem_globex_ann") in found


def _unguarded(self: HotRows, key: Any, table: Any) -> Any:
    from memory_pipeline.retrieval.store.user_rows import UserRows
    from memory_pipeline.storage.vectors.index import vectors_of

    return UserRows(key[0], table.drop_columns(["vector"]), vectors_of(table), self._policy)


@pytest.mark.parametrize("read", ["search", "shared", "context"])
def test_a_reader_that_gives_another_tenant_s_rows_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: str
) -> None:
    ctx, store = fill(tmp_path)
    sound = HotRows.rows

    def leaking(self: HotRows, name: str, scope: Scope) -> Any:
        other = Scope("globex" if scope.tenant_id == "acme" else "acme", scope.user_id)
        return sound(self, name, other)

    monkeypatch.setattr(HotRows, "rows", leaking)
    assert read in {f.read for f in probed(ctx, store).foreign}


def test_what_another_tenant_shares_is_foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ctx, store = fill(tmp_path)
    sound = Snapshot.found

    def leaking(self: Snapshot, scope: Scope, *, shared: bool = False) -> Any:
        return sound(self, Scope("globex", "bob") if shared else scope)

    monkeypatch.setattr(Snapshot, "found", leaking)
    monkeypatch.setattr(HotRows, "_load", _unguarded)
    found = probed(ctx, store).foreign
    assert {f.read for f in found} == {"shared"}
    assert {f.tenant_id for f in found} == {"acme", "initech"}
    assert {f.item_id for f in found} == {"mem_globex_bob"}


def test_a_listing_of_somebody_else_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memory_pipeline.retrieval.lists import listing

    ctx, store = fill(tmp_path)
    monkeypatch.setattr(listing, "memories", lambda lake, scope, **given: listed(lake, Scope("acme", "ann"), **given))
    found = {(f.tenant_id, f.read) for f in probed(ctx, store).foreign}
    assert ("globex", "memories") in found


def test_the_asset_checks_every_day_and_stops_at_a_leak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dagster as dg

    from memory_pipeline.orchestration.assets.isolation import CHECK, isolation
    from memory_pipeline.orchestration.resources import Pipeline

    fill(tmp_path)
    monkeypatch.setattr(Pipeline, "stage_context", lambda self, run_id: fill_context(tmp_path))
    with dg.instance_for_test() as instance:
        sound, acme = HotRows.rows, Scope("acme", "ann")
        for leaks in (False, True):
            if leaks:
                monkeypatch.setattr(HotRows, "rows", lambda self, name, scope: sound(self, name, acme))
            resources = {"pipeline": Pipeline(home=str(tmp_path))}
            done = dg.materialize([isolation], instance=instance, resources=resources, raise_on_error=False)
            (check,) = done.get_asset_check_evaluations()
            assert (check.check_name, check.passed) == (CHECK, not leaks)
            assert ("foreign rows" in check.metadata) is leaks


def fill_context(home: Path) -> StageContext:
    store = Store(home)
    ctx = StageContext(store.settings, "probe-3", NOW)
    ctx.encoder, ctx.lake, ctx.index = store.encoder, store.lake, store.index
    return ctx
