"""A user who is carried to another home is the same there."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from memory_pipeline.cli import app
from memory_pipeline.curator import MemoryCurator
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion, evolve, fold, seal
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.window import windows
from memory_pipeline.errors import BundleError, NotFound
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.stages.operations.bundle.exporting import export
from memory_pipeline.stages.operations.bundle.importing import import_
from memory_pipeline.stages.plan.freshness import inputs, record, stale
from memory_pipeline.stages.plan.registry import BY_NAME
from memory_pipeline_tests import factories
from memory_pipeline_tests.stages.bundle.homes import ANN, BEN, SAID, context, members, talked, versions
from memory_pipeline_tests.store import NOW, Store, WordEncoder


def found(home: Path, scope: Scope = ANN) -> list[tuple[str, str, float]]:
    """What a search for everything finds."""
    reader = MemoryReader(Store(home).settings, encoder=WordEncoder(), clock=lambda: NOW + timedelta(days=9), seed=7)
    items = reader.search("Lisbon tea sister Rosa", user_id=scope.user_id, tenant_id=scope.tenant_id)
    return [(i.id, i.content, round(i.score, 6)) for i in items]


def test_an_empty_home_gets_all_of_it_and_of_nobody_else(tmp_path: Path) -> None:
    source = talked(tmp_path / "a")
    talked(tmp_path / "a", BEN, ["I live in Porto."])
    days = source.lake.days("messages")
    stage = BY_NAME["proposals"]
    record(source, stage, inputs(source, stage), days, {})
    export(source, ANN, tmp_path / "ann.bundle")
    report = import_(context(tmp_path / "b"), tmp_path / "ann.bundle")
    assert not report.aside and not report.merged and report.added["messages"] == len(SAID)
    there = context(tmp_path / "b")
    assert versions(there) == [v for v in versions(source) if v.scope == ANN] != []
    assert stale(there, stage) == [] and stale(there, BY_NAME["memories"]) != []  # as it was over there
    export(there, ANN, tmp_path / "again.bundle")
    assert members(tmp_path / "again.bundle") == members(tmp_path / "ann.bundle")
    twice = import_(context(tmp_path / "b"), tmp_path / "ann.bundle")
    assert set(twice.added.values()) == {0} and twice.known == report.added
    assert found(tmp_path / "b") == found(tmp_path / "a") != []
    assert not list(tmp_path.glob(".*"))


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    export(talked(tmp_path / "a"), ANN, tmp_path / "ann.bundle")
    said = import_(context(tmp_path / "b"), tmp_path / "ann.bundle", dry_run=True)
    assert said.added["messages"] == len(SAID) and not list((tmp_path / "b").rglob("*.parquet"))
    assert import_(context(tmp_path / "b"), tmp_path / "ann.bundle").added == said.added


@pytest.mark.parametrize("ids", [True, False])
def test_another_owner_gets_the_ids_that_the_pipeline_would_give(tmp_path: Path, ids: bool) -> None:
    """So that what is processed there again finds the same memories, and by hand stays attached."""
    source = talked(tmp_path / "a", ids=ids)
    curator = MemoryCurator(source.settings, encoder=WordEncoder(), clock=lambda: factories.RECORDED)
    by_hand = curator.remember("I play the cello.", user_id="ann", tenant_id="acme")
    (tea,) = (v for v in versions(source) if "tea" in v.content)
    curator.forget(tea.memory_id, user_id="ann", tenant_id="acme")
    export(source, ANN, tmp_path / "ann.bundle")
    report = import_(context(tmp_path / "b"), tmp_path / "ann.bundle", Scope("other", "zoe"))
    assert not report.aside and report.added["replies"] == 0
    there = {v.version_id: v for v in versions(context(tmp_path / "b"))}
    assert not {i for v in there.values() for i in (v.version_id, v.memory_id)} & {
        i for v in versions(source) for i in (v.version_id, v.memory_id)
    }
    wanted = talked(tmp_path / "c", Scope("other", "zoe"), ids=ids)
    made = {v.version_id: (v.memory_id, v.proposal_id, v.evidence) for v in versions(wanted)}
    assert {i: (v.memory_id, v.proposal_id, v.evidence) for i, v in there.items() if i in made} == made != {}
    current = fold(there.values())
    assert [v.content for v in current.values() if v.cause is Cause.MANUAL and not v.forgotten] == [by_hand.content]
    assert [v.content for v in current.values() if v.forgotten] == [tea.content]
    assert not any("tea" in content for _, content, _ in found(tmp_path / "b", Scope("other", "zoe")))
    export(context(tmp_path / "b"), Scope("other", "zoe"), tmp_path / "zoe.bundle")
    back = import_(context(tmp_path / "d"), tmp_path / "zoe.bundle", ANN)
    assert not back.aside and {v.version_id for v in versions(context(tmp_path / "d"))} == {
        v.version_id for v in versions(source)
    }


def test_a_user_who_is_known_keeps_everything(tmp_path: Path) -> None:
    """Transcripts and what was done by hand are merged; the rest is for the next run."""
    source = talked(tmp_path / "a")
    curator = MemoryCurator(source.settings, encoder=WordEncoder(), clock=lambda: factories.RECORDED)
    curator.remember("I play the cello.", user_id="ann", tenant_id="acme")
    export(source, ANN, tmp_path / "ann.bundle")
    home = talked(tmp_path / "b", said=[*SAID[:1], "I have a dog called Max."])
    before = {v.version_id for v in versions(home)}
    report = import_(context(tmp_path / "b"), tmp_path / "ann.bundle")
    assert report.merged and not report.aside
    there = context(tmp_path / "b")
    assert before < {v.version_id for v in versions(there)}
    assert any("cello" in v.content for v in versions(there))
    texts = {m.content for m in there.lake.read("messages", Message)}
    assert texts == {SAID[0], SAID[2], SAID[1]}  # the second message of the home was edited into the bundle's
    assert set(import_(context(tmp_path / "b"), tmp_path / "ann.bundle").added.values()) == {0}


def test_where_it_stops_it_goes_on(tmp_path: Path) -> None:
    export(talked(tmp_path / "a"), ANN, tmp_path / "ann.bundle")
    wanted = versions(context(tmp_path / "a"))
    for stop in range(1, 12, 3):
        ctx = context(tmp_path / "b")

        def tell(label: str, done: int, total: int | None, stop: int = stop) -> None:
            if (label, done) == ("importing", stop):
                raise KeyboardInterrupt

        ctx.progress = tell
        with pytest.raises(KeyboardInterrupt):
            import_(ctx, tmp_path / "ann.bundle")
    assert not import_(context(tmp_path / "b"), tmp_path / "ann.bundle").merged
    assert versions(context(tmp_path / "b")) == wanted
    assert found(tmp_path / "b") == found(tmp_path / "a")


def test_where_a_bundle_may_not_lie(tmp_path: Path) -> None:
    ctx = talked(tmp_path / "a")
    with pytest.raises(BundleError, match="inside the home"):
        export(ctx, ANN, tmp_path / "a" / "lake" / "ann.bundle")
    with pytest.raises(BundleError, match="cannot write"):
        export(ctx, ANN, tmp_path / "nowhere" / "ann.bundle")
    with pytest.raises(NotFound, match="nothing is known of user 'zoe'"):
        export(ctx, Scope("acme", "zoe"), tmp_path / "zoe.bundle")


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path / "a"))
    curator = MemoryCurator.open()
    curator.remember("I play the cello.", user_id="ann")
    out = str(tmp_path / "ann.bundle")
    run = CliRunner()
    told = json.loads(run.invoke(app, ["export", "--user", "ann", "--out", out, "--json"]).stdout)
    assert told["manifest"]["members"]["memory_versions"]["rows"] == 1
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path / "b"))
    assert "Would be taken in for user zoe" in run.invoke(app, ["import", out, "--user", "zoe", "--dry-run"]).stdout
    told = json.loads(run.invoke(app, ["import", out, "--user", "zoe", "--json"]).stdout)
    assert (told["added"]["memory_versions"], told["tenant_id"], told["aside"]) == (1, "default", [])
    assert [v.scope.user_id for v in versions(context(tmp_path / "b"))] == ["zoe"]


# -- any user

_texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=3, max_size=40).filter(str.strip)
_users = st.lists(st.tuples(_texts, st.integers(0, 3), st.sampled_from(["", "pin", "forget"])), min_size=1, max_size=4)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_users)
def test_any_user_survives_the_way_there_and_back(user: list[tuple[str, int, str]]) -> None:
    """Whatever was said and whatever became of it, byte for byte; content that rules turn away is not made up here."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        ctx = context(home / "a")
        said = [
            factories.message(text, factories.NOON + timedelta(days=day, minutes=n), message_id=f"m-{n}")
            for n, (text, day, _) in enumerate(user)
        ]
        ctx.lake.append("messages", said)
        for window, _ in windows(said, factories.POLICY.window):
            ctx.lake.replace("windows", window.day, [window], part=window.window_id)
        for message, (_, _, fate) in zip(said, user, strict=True):
            ctx.lake.append("memory_versions", _remembered(message, fate))
        scope = Scope("t", "u")
        export(ctx, scope, home / "one.bundle")
        report = import_(context(home / "b"), home / "one.bundle")
        assert not report.aside
        export(context(home / "b"), scope, home / "two.bundle")
        assert members(home / "two.bundle") == members(home / "one.bundle")


def _remembered(message: Message, fate: str) -> list[MemoryVersion]:
    """A memory written by hand on the day of a message, and what became of it."""
    first = seal(
        factories.memory(
            factories.proposal(f"Note {message.message_id}.", message.created_at),
            memory_id=identifier("mem", message.message_id),
            evidence=(),
            cause=Cause.MANUAL,
            own_words=True,
            proposal_id=None,
        )
    )
    changed = {"pin": {"change": Change.PIN, "pinned": True}, "forget": {"change": Change.FORGET}}
    return [first, *([evolve(first, **changed[fate])] if fate else [])]


def test_what_was_erased_does_not_come_back_in_a_bundle(tmp_path: Path) -> None:
    ctx = talked(tmp_path / "a")
    export(ctx, ANN, tmp_path / "ann.bundle")
    curator = MemoryCurator(ctx.settings, encoder=WordEncoder(), clock=lambda: factories.RECORDED)
    curator.erase(user_id=ANN.user_id, tenant_id=ANN.tenant_id)
    with pytest.raises(BundleError, match="3 messages of the bundle were erased in this home.*--forget-tombstones"):
        import_(context(tmp_path / "a"), tmp_path / "ann.bundle")
    assert versions(context(tmp_path / "a")) == []
    assert curator.forget_tombstones(user_id=ANN.user_id, tenant_id=ANN.tenant_id) > 0
    assert import_(context(tmp_path / "a"), tmp_path / "ann.bundle").added["messages"] == 3
    elsewhere = import_(context(tmp_path / "b"), tmp_path / "ann.bundle")
    assert elsewhere.added["memory_versions"] > 0
