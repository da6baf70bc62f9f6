"""Write, audit, publish: what breaks a rule is staged and goes no further, and readers see what they saw before."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.ledger.memory import Change, MemoryVersion, Status, fold, standing
from memory_pipeline.domain.ledger.transition import identity
from memory_pipeline.domain.proposal import Evidence, Proposal, Verdict
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import AuditFailed, SettingsError
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation import consolidate, user_batches
from memory_pipeline.stages.consolidation.replay_outcome import Outcome
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.hand.curate import remember
from memory_pipeline.stages.hand.statement import Fact
from memory_pipeline.stages.hand.user_memories import Desk
from memory_pipeline.stages.publication import staged_publication
from memory_pipeline.stages.publication.auditing import ACCEPTABLE, RULES, accepting, audited, rules_of
from memory_pipeline.stages.publication.publish import index_days
from memory_pipeline.stages.publication.staging import clear, erase_staged
from memory_pipeline.storage.parquet.arrow_rows import from_table, to_table
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.schemas import FailedAudit
from memory_pipeline.storage.parquet.staged_rows import STAGED, StagedRows, staged_runs
from memory_pipeline_tests.factories import NOON, message, proposal, residence
from memory_pipeline_tests.store import WordEncoder

NOW = datetime(2026, 7, 1, 2, 0, 0, 321, tzinfo=UTC)
ALICE, BOB = Scope("t", "alice"), Scope("t", "bob")
Versions = list[MemoryVersion]
Plant = Callable[[Versions, list[Verdict]], tuple[Sequence[MemoryVersion], Sequence[Verdict]]]


def _context(home: Path, days: int = 0, **given: Any) -> StageContext:
    now = NOW + timedelta(days=days)
    ctx = StageContext(Settings.load(home=str(home)), f"run-{now:%d%H%M}", now, **given)
    ctx.__dict__["encoder"] = WordEncoder()
    return ctx


def _at(day: int) -> datetime:
    return NOON + timedelta(days=day)


def _said_by(user: Scope) -> list[Proposal]:
    given = {"tenant_id": user.tenant_id, "user_id": user.user_id}
    facts = [
        residence("Lisbon", _at(0), **given),
        proposal("Has a dog called Max.", _at(1), attribute="pet", value="Max", **given),
        residence("Porto", _at(2), **given),
        proposal("Plays the cello.", _at(3), attribute="hobby", value="cello", **given),
    ]
    return [replace(p, proposal_id=f"{p.proposal_id}-{user.user_id}") for p in facts]


def _say(ctx: StageContext, said: Sequence[Proposal]) -> list[date]:
    for p in said:
        (evidence,) = p.evidence
        given = {"tenant_id": p.tenant_id, "user_id": p.user_id, "message_id": evidence.message_id}
        ctx.lake.append("messages", [message(evidence.quote, p.observed_at, **given)])
    days = sorted({p.day for p in said})
    for day in days:
        ctx.lake.replace("proposals", day, [p for p in said if p.day == day])
    return days


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of two users, consolidated and indexed but for the last day."""
    folder = tmp_path_factory.mktemp("made")
    ctx, said = _context(folder), _said_by(ALICE) + _said_by(BOB)
    days = _say(ctx, [p for p in said if p.day < DAYS[3]])
    consolidate.consolidate(ctx, days)
    index_days(ctx, days)
    _say(ctx, [p for p in said if p.day == DAYS[3]])
    return folder


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    """That home, to spoil."""
    return Path(shutil.copytree(made, tmp_path / "home"))


DAYS = [_at(n).date() for n in range(4)]


def _held(home: Path) -> dict[str, Any]:
    """Everything that a reader sees: the bytes of ledger and verdicts, the rows of the index."""
    files = {str(p): p.read_bytes() for name in STAGED for p in (home / "lake" / name).rglob("*.parquet")}
    ctx = _context(home)
    return {**files, "index": ctx.index.all("memories", ["memory_id", "version_id", "content"]).to_pylist()}


def _plant(monkeypatch: pytest.MonkeyPatch, plant: Plant) -> None:
    """Have what replays come to spoilt by a plant, before it is staged."""
    honest = user_batches.outcome_of

    def spoilt(ctx: StageContext, replays: Any, acts: Any = ()) -> Outcome:
        made = honest(ctx, replays, acts)
        versions, verdicts = plant(from_table(made.versions, MemoryVersion), from_table(made.verdicts, Verdict))
        return replace(made, versions=to_table(versions, MemoryVersion), verdicts=to_table(verdicts, Verdict))

    monkeypatch.setattr(user_batches, "outcome_of", spoilt)


def _new(versions: Versions) -> MemoryVersion:
    return next(v for v in versions if v.user_id == "alice" and v.content == "Plays the cello.")


def _changed(**fields: Any) -> Plant:
    """The new memory of Alice's with some fields otherwise."""
    return lambda versions, verdicts: ([replace(v, **fields) if v is _new(versions) else v for v in versions], verdicts)


def _beside(**fields: Any) -> Plant:
    """Another memory beside the new one."""
    return lambda versions, verdicts: ([*versions, replace(_new(versions), version_id="ver_x", **fields)], verdicts)


def _without_a_verdict(versions: Versions, verdicts: list[Verdict]) -> tuple[Versions, list[Verdict]]:
    return versions, [v for v in verdicts if v.user_id != "alice" or v.day != DAYS[3]]


PLANTS: dict[str, Plant] = {
    "every_proposal_has_a_verdict": _without_a_verdict,
    "evidence_exists": _changed(evidence=(Evidence("m-nowhere", "Plays the cello."),)),
    "no_row_outside_its_user": _changed(lineage_id=identity(_said_by(BOB)[1])),
    "one_value_per_slot": _beside(
        memory_id="mem_x",
        attribute="residence",
        value="Faro",
        content="Lives in Faro.",
        observed_at=_at(3),
        proposal_id="prp-update",
    ),
    "no_fact_twice": _beside(memory_id="mem_x", content="plays the  cello", attribute=None, value=None),
    "no_secret_is_remembered": _changed(content="Uses the password hunter2-Xy9! for the bank."),
    "no_prompt_example": _changed(content="Lives in Zorblax."),
    "no_derived_time_from_the_clock": _changed(changed_at=NOW + timedelta(days=1)),
}


@pytest.mark.parametrize("name", PLANTS)
def test_what_breaks_a_rule_is_not_published(name: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _plant(monkeypatch, PLANTS[name])
    before, ctx = _held(home), _context(home, 1)
    with pytest.raises(AuditFailed, match=rf"{name} failed: 1 row, at most 0.* memory-pipeline staged {ctx.run_id}"):
        consolidate.consolidate(ctx, DAYS)
    assert _held(home) == before
    (staged,) = staged_runs(ctx.lake)
    (failed,) = [audit for audit in staged.note()["audits"] if not audit["ok"]]
    assert (failed["name"], failed["found"], len(failed["examples"])) == (name, 1, 1)
    assert staged.rows("memory_versions").num_rows >= 2
    assert [(a.name, a.accepted) for a in ctx.lake.read("audits", FailedAudit)] == [(name, False)]

    monkeypatch.undo()
    again = _context(home, 2)
    consolidate.consolidate(again, DAYS)
    assert staged_runs(again.lake) == []  # what was staged before has been superseded
    assert _new([v for v in fold(again.lake.read("memory_versions", MemoryVersion)).values()]).status is Status.ACTIVE


def test_every_audit_is_tried() -> None:
    others = {"nothing_vanishes", "staged_as_declared", "retired_share", "aged_share"}
    assert {*PLANTS, *others} == set(RULES) == set(rules_of("memories"))


def test_a_memory_does_not_vanish_while_its_proposal_is_accepted(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dog = next(v for v in _ledger(_context(home)) if v.user_id == "bob" and v.attribute == "pet")
    gone = replace(dog, asserted=False, recorded_at=NOW + timedelta(days=1))
    _plant(monkeypatch, lambda versions, verdicts: ([*versions, gone], verdicts))
    before = _held(home)
    with pytest.raises(AuditFailed, match="nothing_vanishes failed: 1 row,") as failed:
        consolidate.consolidate(_context(home, 1), DAYS)
    assert _held(home) == before
    (audit,) = [a for a in failed.value.audits if not a.ok]
    assert audit.examples[0]["memory_id"] == dog.memory_id


def test_a_memory_goes_with_its_proposal(home: Path) -> None:
    ctx = _context(home, 1)
    ctx.lake.replace("proposals", DAYS[1], [p for p in _said_by(ALICE) if p.day == DAYS[1]])
    report = consolidate.consolidate(ctx, DAYS)
    assert report.withdrawn.total() == 1 and all(audit.ok for audit in report.audits)


def test_files_that_are_not_as_declared_are_not_published(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Lake.encoded
    monkeypatch.setattr(
        Lake,
        "_encode",
        lambda lake, dataset, rows: honest(lake, dataset.name, _table(rows), {"memory_pipeline.schema_version": "1"}),
    )
    before = _held(home)
    with pytest.raises(AuditFailed, match="staged_as_declared failed"):
        consolidate.consolidate(_context(home, 1), DAYS)
    assert _held(home) == before


def _table(rows: Any) -> Any:
    return rows if not isinstance(rows, list) else to_table(rows, type(rows[0]))


def _ledger(ctx: StageContext) -> Versions:
    return ctx.lake.read("memory_versions", MemoryVersion)


def _strict(home: Path, days: int, **given: Any) -> StageContext:
    """A policy under which not one memory may be retired."""
    policy = home / "policy.toml"
    policy.write_text("[consolidation]\nmin_retired = 0\nmax_retired_share = 0.05\n")
    ctx = _context(home, days, **given)
    ctx.settings = Settings.load(home=str(home), policy=policy)
    return ctx


def _moves(ctx: StageContext) -> list[date]:
    return _say(ctx, [residence("Faro", _at(4), tenant_id="t", user_id="alice")])


def test_a_run_that_retires_too_much_stops_until_it_is_accepted(home: Path) -> None:
    ctx = _strict(home, 1)
    days, before = _moves(ctx), _held(home)
    told = r"1 of 3 memories would be retired \(33.3%\), at most 5%.*run --accept retired_share, or raise"
    with pytest.raises(AuditFailed, match=told):
        consolidate.consolidate(ctx, days)
    assert _held(home) == before

    ctx = _strict(home, 2, accepted=accepting(["retired_share"]))
    report = consolidate.consolidate(ctx, days)
    assert report.changes[days[0]]["supersede"] == 1
    (audit,) = [a for a in report.audits if not a.ok]
    assert audit.accepted and audit.examples[0]["content"] == "Lives in Porto."
    kept = [(a.run_id, a.name, a.accepted) for a in ctx.lake.read("audits", FailedAudit, order="recorded_at")]
    assert kept[-1] == (ctx.run_id, "retired_share", True)
    assert staged_runs(ctx.lake) == []


def test_what_protects_users_from_each_other_cannot_be_accepted() -> None:
    for name in set(RULES) - set(ACCEPTABLE):
        with pytest.raises(SettingsError, match="protects users from each other"):
            accepting([name])
    with pytest.raises(SettingsError, match="is no audit"):
        accepting(["nonsense"])
    assert accepting(["retired_share"]) == {"retired_share"}


class _Died(BaseException):
    """The process is gone."""


@pytest.mark.parametrize("step", ["staged", "verdicts", "one file of the ledger"])
def test_a_run_that_dies_between_the_steps_is_repaired_by_the_next(
    step: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx = _context(home, 1)
    _say(ctx, [residence("Faro", _at(4), tenant_id="t", user_id="alice")])
    days = [*DAYS, _at(4).date()]

    def dies(*_: Any, **__: Any) -> Any:
        raise _Died

    if step == "staged":
        monkeypatch.setattr(staged_publication, "audited", lambda ctx, writer, prospects: dies() if prospects else ())
    elif step == "verdicts":
        monkeypatch.setattr(StagedRows, "publish", dies)
    else:
        monkeypatch.setattr(StagedRows, "publish", lambda self, dataset, part: (_first_file(self, part), dies()))
    with pytest.raises(_Died):
        consolidate.consolidate(ctx, days)
    monkeypatch.undo()
    again = _context(home, 2)
    consolidate.consolidate(again, days)
    assert staged_runs(again.lake) == []
    calm = _context(home / "calm")
    said = _said_by(ALICE) + _said_by(BOB) + [residence("Faro", _at(4), tenant_id="t", user_id="alice")]
    consolidate.consolidate(calm, _say(calm, said))
    assert {v.version_id for v in standing(_ledger(again))} == {v.version_id for v in standing(_ledger(calm))}
    assert again.lake.read("verdicts", Verdict) == calm.lake.read("verdicts", Verdict)


def _first_file(staged: StagedRows, part: str) -> None:
    path = Path(staged.files("memory_versions", part)[0])
    staged.lake.store.put(f"memory_versions/{path.parent.name}/{path.name}", path.read_bytes())


def test_who_writes_between_staging_and_publishing_is_not_overrun(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alice writes by hand while her rows wait: she is worked on again, and Bob's rows are published as they are."""
    goes: list[int] = []

    def meanwhile(ctx: StageContext, writer: str, prospects: Any) -> Any:
        found = audited(ctx, writer, prospects)
        if prospects:
            goes.append(sum(len(p.users) for p in prospects))
        if len(goes) == 1 and prospects:
            hand = _context(home, 1)
            hand.run_id = "by-hand"
            remember(hand, ALICE, Fact("Lives in Braga."))
        return found

    monkeypatch.setattr(staged_publication, "audited", meanwhile)
    ctx = _context(home, 1)
    consolidate.consolidate(ctx, DAYS)
    assert goes == [2, 1]
    active = [(m.user_id, m.content) for m in fold(_ledger(ctx)).values() if m.status is Status.ACTIVE]
    assert sorted(active) == [
        ("alice", "Has a dog called Max."),
        ("alice", "Lives in Braga."),
        ("alice", "Plays the cello."),
        ("bob", "Has a dog called Max."),
        ("bob", "Lives in Porto."),
        ("bob", "Plays the cello."),
    ]
    assert staged_runs(ctx.lake) == []


def test_the_same_words_about_two_people_are_two_facts(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Of several speakers each may have said "I'll bring it", which is told of "they".
    _plant(monkeypatch, _beside(memory_id="mem_x", subject="Nate", attribute=None, value=None))
    consolidate.consolidate(_context(home, 1), DAYS)
    assert staged_runs(_context(home, 2).lake) == []


def test_what_is_done_by_hand_stays_with_its_user(home: Path) -> None:
    before, ctx = _held(home), _context(home, 1)
    desk = Desk.of(ctx, ALICE)
    (dog,) = [memory for memory in Desk.of(ctx, BOB).state.values() if memory.attribute == "pet"]
    desk.act(dog, Change.PIN, "pinned by the user")
    with pytest.raises(AuditFailed, match="refused, and nothing was changed: .*no_row_outside_its_user"):
        desk.file()
    assert _held(home) == before


def test_staged_rows_go_when_they_are_old_and_when_their_user_is_erased(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _plant(monkeypatch, PLANTS["no_fact_twice"])
    ctx = _context(home, 1)
    with pytest.raises(AuditFailed):
        consolidate.consolidate(ctx, DAYS)
    (staged,) = staged_runs(ctx.lake)
    assert clear(ctx) == 0  # it is to be looked at
    assert erase_staged(ctx, ALICE) > 0
    left = [Path(path).read_bytes() for path in Path(staged.path).rglob("*") if Path(path).is_file()]
    assert {row["user_id"] for name in STAGED for row in staged.rows(name).to_pylist()} == {"bob"}
    assert not any(b"alice" in data for data in left)
    monkeypatch.setattr(
        "memory_pipeline.storage.parquet.staged_rows.time.time", lambda: datetime(2100, 1, 1, tzinfo=UTC).timestamp()
    )
    assert clear(ctx) == 1 and staged_runs(ctx.lake) == []
