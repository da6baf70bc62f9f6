"""Whoever writes the ledger writes, audits and publishes: patterns, reflections, time, imports and the user's hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion, fold, standing
from memory_pipeline.domain.proposal import Evidence, MemoryType
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import AuditFailed
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.hand.curate import remember
from memory_pipeline.stages.hand.statement import Fact
from memory_pipeline.stages.hand.undo import undo
from memory_pipeline.stages.hand.user_memories import Desk
from memory_pipeline.stages.insight import patterns, reflect
from memory_pipeline.stages.operations.age import age
from memory_pipeline.stages.operations.bundle import importing
from memory_pipeline.stages.operations.bundle.exporting import export
from memory_pipeline.stages.publication import publish, staged_publication
from memory_pipeline.stages.publication.audit import index_matches_ledger
from memory_pipeline.stages.publication.auditing import accepting, rules_of
from memory_pipeline.stages.publication.publish import index_days
from memory_pipeline.storage.parquet.schemas import FailedAudit
from memory_pipeline.storage.parquet.staged_rows import StagedRows, staged_runs
from memory_pipeline_tests.factories import proposal
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.stages.bundle.homes import ANN, context, talked
from memory_pipeline_tests.stages.curated import Home, at, dog
from memory_pipeline_tests.stages.summarising import NOW
from memory_pipeline_tests.stages.test_patterns import FLAKY, IMAGE, Findings
from memory_pipeline_tests.stages.test_reflect import Rowing, rowing

USER = Scope("t", "u")
SECRET = "Uses the password hunter2-Xy9! for the bank."
Spoil = Callable[[MemoryVersion], MemoryVersion]
PLANTS: dict[str, Spoil] = {
    "evidence_exists": lambda v: replace(v, evidence=(Evidence("m-of-somebody-else", "Plays the cello."),)),
    "no_row_outside_its_user": lambda v: replace(v, user_id="mallory"),
    "no_secret_is_remembered": lambda v: replace(v, content=SECRET),
    "no_prompt_example": lambda v: replace(v, content="Lives in Zorblax."),
    "no_derived_time_from_the_clock": lambda v: replace(v, changed_at=v.recorded_at),
}
UNBORNE: Spoil = lambda v: replace(v, derived_from=("mem_nowhere", *v.derived_from))  # noqa: E731


class _Died(BaseException):
    """The process is gone."""


def _dies(*_: Any, **__: Any) -> Any:
    raise _Died


def _spoilt(spoil: Spoil) -> Callable[[StageContext, Sequence[MemoryVersion], Sequence[MemoryVersion]], int]:
    """Writes derived memories otherwise than they were made."""

    def write(ctx: StageContext, asserted: Sequence[MemoryVersion], withdrawn: Sequence[MemoryVersion]) -> int:
        new = [spoil(v) if v.version == 1 and v.derived_from else v for v in asserted]
        return publish.publish(ctx, new, withdrawn)

    return write


def _refused(ctx: StageContext, writer: str, name: str, work: Callable[[], object]) -> None:
    """A run is refused because of one audit, nothing of it is published, and its rows are there to be looked at."""
    before = _held(ctx)
    with pytest.raises(AuditFailed, match=f"{name} failed: 1 row") as failed:
        work()
    assert _held(ctx) == before
    assert name in [audit.name for audit in failed.value.audits if not audit.ok] and name in failed.value.failed
    assert failed.value.stage == writer and failed.value.run_id is not None
    (staged,) = staged_runs(ctx.lake)
    assert staged.note()["writer"] == writer and staged.rows("memory_versions").num_rows
    (audit,) = (a for a in staged.note()["audits"] if a["name"] == name)
    assert len(audit["examples"]) == 1
    staged.remove()


def _held(ctx: StageContext) -> tuple[list[str], list[Any]]:
    indexed = ctx.index.all("memories", ["memory_id", "version_id"]).sort_by("memory_id").to_pylist()
    return ctx.lake.files("memory_versions"), indexed


def test_reflections_are_audited_before_anybody_reads_them(
    tmp_path: Path, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol_server.answer("reflect", rowing)
    home = Rowing(tmp_path)
    for day in (9, 10, 11):
        home.row(day)
    for name, spoil in {**PLANTS, "evidence_exists ": UNBORNE}.items():
        with monkeypatch.context() as patch:
            patch.setattr(reflect, "publish", _spoilt(spoil))
            _refused(home.ctx("look", NOW), "reflections", name.strip(), home.reflect)
    with monkeypatch.context() as patch:
        patch.setattr(staged_publication, "audited", lambda ctx, writer, prospects: _dies() if prospects else ())
        with pytest.raises(_Died):
            home.reflect()
    assert home.reflections() == []
    home.reflect()
    assert len(home.reflections()) == 1 and staged_runs(home.lake) == []


def test_what_is_wrong_with_one_users_reflection_withholds_nobody_elses(
    tmp_path: Path, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol_server.answer("reflect", rowing)
    home = Rowing(tmp_path)
    for day in (9, 10, 11):
        home.row(day)
        home.row(day, user="ben")
    spoil = PLANTS["evidence_exists"]
    with monkeypatch.context() as patch:
        patch.setattr(reflect, "publish", _spoilt(lambda v: spoil(v) if v.user_id == "u" else v))
        with pytest.raises(AuditFailed, match="nothing was published of 1 of the users.*evidence_exists"):
            home.reflect()
    assert {r.user_id for r in home.reflections()} == {"ben"}
    (staged,) = staged_runs(home.lake)
    staged.remove()
    home.reflect()
    assert {r.user_id for r in home.reflections()} == {"ben", "u"}


def test_patterns_and_what_follows_from_them_appear_together_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Findings(tmp_path / "home")
    home.tell([*FLAKY, IMAGE])
    for name in ("evidence_exists", "no_secret_is_remembered"):
        with monkeypatch.context() as patch:
            patch.setattr(patterns, "publish", _spoilt(PLANTS[name]))
            _refused(home.context(), "patterns", name, home.find)
    assert home.patterns() == []
    for owner, name in ((StagedRows, "publish"), (staged_publication, "index_memories")):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, _dies)
            with pytest.raises(_Died):
                home.find()
    home.find()
    ctx = home.context()
    index_days(ctx, ctx.lake.days("memory_versions"))  # as the asset after it does
    assert index_matches_ledger(ctx, ctx.lake.days("memory_versions")).ok and staged_runs(ctx.lake) == []
    calm = Findings(tmp_path / "calm")
    calm.tell([*FLAKY, IMAGE])
    calm.find()
    assert {v.version_id for v in standing(home.rows())} == {v.version_id for v in standing(calm.rows())}
    assert {m.status for m in fold(home.rows()).values()} == {m.status for m in fold(calm.rows()).values()}


def test_who_writes_while_patterns_are_made_is_worked_on_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, honest, goes = Findings(tmp_path), staged_publication.audited, []

    def meanwhile(ctx: StageContext, writer: str, prospects: Any) -> Any:
        if prospects and not goes:
            home.curator.forget(home.id(FLAKY[0]), **home.owner)
        goes.extend([writer] * bool(prospects))
        return honest(ctx, writer, prospects)

    home.tell([*FLAKY, IMAGE])
    monkeypatch.setattr(staged_publication, "audited", meanwhile)
    assert home.find().made == {}
    assert goes == ["patterns", "patterns"] and home.patterns() == []


OPERA = proposal("Went to the opera with Bruno.", at(25), type=MemoryType.EPISODIC_EVENT, valid_from=at(25))


def test_time_ends_what_is_due_and_not_what_it_had_let_stand(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.say(OPERA, dog(29))
    slip = tmp_path / "policy.toml"
    slip.write_text("[lifecycle.episodic_event]\nstale_after = 1\n[consolidation]\nmin_retired = 0\n")
    home.settings = Settings.load(home=str(tmp_path / "home"), policy=slip)
    home.now = at(31)
    ctx, before = home.context(), home.rows()
    told = (
        r"aged_share failed: 1 of 2 memories that time had let stand would .*50.0%\), at most 30%.*lifecycle --accept"
    )
    with pytest.raises(AuditFailed, match=told):
        age(ctx, [home.now.date()])
    assert home.rows() == before
    (staged,) = staged_runs(ctx.lake)
    (audit,) = (a for a in staged.note()["audits"] if not a["ok"])
    assert audit["examples"][0]["content"] == OPERA.content

    home.now = at(32)
    ctx = home.context()
    ctx.accepted = accepting(["aged_share"])
    report = age(ctx, [home.now.date()])
    assert sum(report.rows().values()) == 1 and [a.name for a in report.audits if a.accepted] == ["aged_share"]
    assert [(a.name, a.accepted) for a in ctx.lake.read("audits", FailedAudit, order="recorded_at")] == [
        ("aged_share", False),
        ("aged_share", True),
    ]
    assert staged_runs(ctx.lake) == []


def test_years_of_silence_are_not_a_slip(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.say(OPERA, dog(29))
    strict = tmp_path / "policy.toml"
    strict.write_text("[consolidation]\nmin_retired = 0\nmax_aged_share = 0.0\n")
    home.settings, home.now = Settings.load(home=str(tmp_path / "home"), policy=strict), at(900)
    report = age(home.context(), [home.now.date()])
    assert sum(report.rows().values()) == 2 and all(audit.ok for audit in report.audits)
    assert home.listed(OPERA.content)["status"] == "archived"


def test_an_import_is_audited_before_any_of_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = tmp_path / "ann.bundle"
    export(talked(tmp_path / "from"), ANN, bundle)
    ctx = context(tmp_path / "to")
    honest = importing._new

    def doubled(*given: Any) -> dict[str, list[Any]]:
        new = honest(*given)
        (tea,) = (v for v in new["memory_versions"] if "tea" in v.content)
        new["memory_versions"].append(replace(tea, memory_id="mem_x", version_id="ver_x"))
        return new

    monkeypatch.setattr(importing, "_new", doubled)
    with pytest.raises(AuditFailed, match="no_fact_twice failed: 1 row, .*memory-pipeline import FILE --accept"):
        importing.import_(ctx, bundle)
    assert [name for name in ("messages", "proposals", "memory_versions") if ctx.lake.files(name)] == []
    (staged,) = staged_runs(ctx.lake)
    assert staged.rows("memory_versions").num_rows == 4

    monkeypatch.undo()
    importing.import_(ctx, bundle)
    assert staged_runs(ctx.lake) == [] and len(ctx.lake.read("memory_versions", MemoryVersion)) == 3


def test_an_act_by_hand_is_audited_before_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path)
    home.say(dog(1))
    before, memory_id = home.rows(), home.id("Has a dog called Max.")
    desk = Desk.of(home.context(), USER)
    desk.act(desk.find(memory_id), Change.EDIT, "edited", {"content": SECRET, "own_words": True})
    with pytest.raises(AuditFailed, match="refused, and nothing was changed: no_secret_is_remembered: memory_id mem"):
        desk.file()
    desk = Desk.of(home.context(), USER)
    dogs = desk.find(memory_id)
    desk._take(replace(dogs, memory_id="mem_x", version_id="ver_x", cause=Cause.MANUAL))
    with pytest.raises(AuditFailed, match="no_fact_twice: .*other Has a dog called Max"):
        desk.file()
    assert home.rows() == before and staged_runs(home.context().lake) == []

    remember(home.context(), USER, Fact("Lives in Braga."))
    assert home.found("Braga") == ["Lives in Braga."]


def test_an_undo_is_audited_before_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path)
    home.say(dog(1), dog(3, "Has a dog called Max, a beagle."))
    (merged,) = {v.memory_id for v in home.rows()}
    before, honest = home.rows(), consolidate.outcome_of

    def spoilt(*given: Any) -> Any:
        made = honest(*given)
        names = made.versions.schema.names
        mallory = ["mallory"] * made.versions.num_rows
        return replace(made, versions=made.versions.set_column(names.index("user_id"), "user_id", [mallory]))

    monkeypatch.setattr(consolidate, "outcome_of", spoilt)
    with pytest.raises(AuditFailed, match="refused, and nothing was changed: .*no_row_outside_its_user"):
        undo(home.context(), USER, merged)
    assert home.rows() == before
    monkeypatch.undo()
    undo(home.context(), USER, merged)
    assert len({v.memory_id for v in home.rows()}) == 2


def test_every_writer_has_its_audits() -> None:
    of = {writer: set(rules_of(writer)) for writer in ("memories", "patterns", "reflections", "lifecycle", "hand")}
    assert of["patterns"] == of["reflections"] == of["memories"] >= {"retired_share", "aged_share"}
    assert of["memories"] - of["lifecycle"] == {"every_proposal_has_a_verdict", "retired_share"}
    assert of["lifecycle"] - of["hand"] == {"aged_share"}
