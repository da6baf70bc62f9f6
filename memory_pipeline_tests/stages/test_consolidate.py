"""Consolidation over a real lake and index, with real proposals: idempotence, late input, withdrawal, isolation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from memory_pipeline.domain.ledger.memory import MemoryVersion, Status, fold, standing
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import MemoryType, Operation, Proposal, Verdict
from memory_pipeline.domain.scope import Scope
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.index_messages import index_messages
from memory_pipeline.stages.operations.age import age
from memory_pipeline.stages.publication import audit
from memory_pipeline.stages.publication.publish import index_days
from memory_pipeline_tests.factories import NOON, message, proposal, residence
from memory_pipeline_tests.store import WordEncoder

DAY = NOON.date()


@pytest.fixture
def ctx(tmp_path: Path) -> StageContext:
    return _context(tmp_path, datetime(2026, 7, 1, 2, tzinfo=UTC))


def _context(home: Path, now: datetime) -> StageContext:
    return StageContext(Settings.load(home=str(home)), f"run-{now:%d%H%M}", now)


def _say(ctx: StageContext, proposals: Sequence[Proposal]) -> list[date]:
    """Put proposals, and messages that say them, into the lake."""
    messages = [_source(p) for p in proposals]
    ctx.lake.append("messages", messages)
    days = sorted({p.day for p in proposals})
    for day in days:
        ctx.lake.replace("proposals", day, [p for p in proposals if p.day == day])
    return days


def _source(said: Proposal) -> Message:
    evidence = said.evidence[0]
    return message(
        evidence.quote,
        said.observed_at,
        message_id=evidence.message_id,
        tenant_id=said.tenant_id,
        user_id=said.user_id,
        session_id=said.session_id,
    )


def _rows(ctx: StageContext) -> list[MemoryVersion]:
    return ctx.lake.read("memory_versions", MemoryVersion)


def _contents(ctx: StageContext, status: Status = Status.ACTIVE) -> list[str]:
    return sorted(m.content for m in fold(_rows(ctx)).values() if m.status is status)


def _at(day: int) -> datetime:
    return NOON + timedelta(days=day)


def _moves() -> list[Proposal]:
    return [
        residence("Lisbon", _at(0)),
        proposal("Has a dog called Max.", _at(1), attribute="pet", value="Max"),
        residence("Porto", _at(5)),
        proposal("Likes grilled sardines.", _at(6), type=MemoryType.PREFERENCE, attribute="likes", value="sardines"),
        residence("Faro", _at(9)),
    ]


def test_facts_change_and_chains_stay_readable(ctx: StageContext) -> None:
    consolidate(ctx, _say(ctx, _moves()))
    assert _contents(ctx) == ["Has a dog called Max.", "Likes grilled sardines.", "Lives in Faro."]
    assert _contents(ctx, Status.SUPERSEDED) == ["Lives in Lisbon.", "Lives in Porto."]
    chain = [m for m in fold(_rows(ctx)).values() if m.attribute == "residence"]
    assert len({m.lineage_id for m in chain}) == 1


def test_a_second_run_writes_nothing(ctx: StageContext, tmp_path: Path) -> None:
    days = _say(ctx, _moves())
    consolidate(ctx, days)
    before = _rows(ctx)
    later = _context(tmp_path, ctx.now + timedelta(days=3))
    report = consolidate(later, days)
    assert _rows(later) == before
    assert not report.changes and not report.withdrawn


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (4, 2, 0, 1, 3), (2, 4, 3, 1, 0)])
def test_the_order_in_which_days_arrive_does_not_matter(tmp_path: Path, order: tuple[int, ...]) -> None:
    together = _context(tmp_path / "a", datetime(2026, 7, 1, tzinfo=UTC))
    consolidate(together, _say(together, _moves()))
    moves = _moves()
    for n, place in enumerate(order):
        apart = _context(tmp_path / "b", datetime(2026, 7, 1 + n, tzinfo=UTC))
        consolidate(apart, _say(apart, [moves[place]]))

    def ids(rows: Iterable[MemoryVersion]) -> set[str]:
        return {v.version_id for v in standing(rows)}

    assert ids(_rows(apart)) == ids(_rows(together))


def test_a_late_older_fact_does_not_retire_a_newer_one(ctx: StageContext, tmp_path: Path) -> None:
    consolidate(ctx, _say(ctx, [residence("Porto", _at(5))]))
    late = _context(tmp_path, ctx.now + timedelta(days=1))
    consolidate(late, _say(late, [residence("Lisbon", _at(0))]))
    assert _contents(late) == ["Lives in Porto."]
    assert _contents(late, Status.SUPERSEDED) == ["Lives in Lisbon."]


def test_what_is_no_longer_proposed_is_withdrawn_and_what_it_retired_returns(ctx: StageContext, tmp_path: Path) -> None:
    consolidate(ctx, _say(ctx, _moves()))
    again = _context(tmp_path, ctx.now + timedelta(days=1))
    again.lake.replace("proposals", _at(9).date(), [])
    report = consolidate(again, [_at(9).date()])
    assert report.withdrawn.total() == 2
    assert "Lives in Porto." in _contents(again)
    assert "Lives in Faro." not in _contents(again)
    assert len(_rows(again)) > len(standing(_rows(again))), "nothing is deleted, only withdrawn"


def _forgetting(content: str, quote: str, at: datetime) -> Proposal:
    bare = proposal(content, at, operation=Operation.FORGET)
    return replace(bare, evidence=tuple(replace(e, quote=quote) for e in bare.evidence))


def test_every_proposal_gets_exactly_one_verdict(ctx: StageContext) -> None:
    said = [
        *_moves(),
        replace(proposal("Shrug.", _at(2)), confidence=0.1),
        _forgetting("The sailing boat.", "Forget the sailing boat.", _at(3)),
    ]
    consolidate(ctx, _say(ctx, said))
    verdicts = ctx.lake.read("verdicts", Verdict)
    assert sorted(v.proposal_id for v in verdicts) == sorted(p.proposal_id for p in said)
    reasons = {v.proposal_id: v.reason for v in verdicts}
    assert reasons[said[-2].proposal_id] == "length"
    assert reasons[said[-1].proposal_id] == "no_target"


def test_two_people_with_the_same_facts_stay_apart(ctx: StageContext) -> None:
    said = [
        residence("Berlin", _at(0)),
        residence("Berlin", _at(0), user_id="other", proposal_id="p2"),
        residence("Berlin", _at(0), tenant_id="elsewhere", proposal_id="p3"),
        residence("Oslo", _at(4)),
    ]
    consolidate(ctx, _say(ctx, said))
    current = fold(_rows(ctx)).values()
    active = {(m.scope, m.content) for m in current if m.status is Status.ACTIVE}
    assert active == {
        (Scope("t", "u"), "Lives in Oslo."),
        (Scope("t", "other"), "Lives in Berlin."),
        (Scope("elsewhere", "u"), "Lives in Berlin."),
    }


def test_time_passes_the_same_way_live_and_in_a_backfill(tmp_path: Path) -> None:
    said = [
        proposal("Is very tired this week.", _at(0), type=MemoryType.EPHEMERAL, salience=0.9),
        proposal("Is very tired this week.", _at(1), type=MemoryType.EPHEMERAL, salience=0.9, proposal_id="again"),
        residence("Lisbon", _at(10)),
    ]
    backfill = _context(tmp_path / "a", datetime(2026, 7, 1, tzinfo=UTC))
    consolidate(backfill, _say(backfill, said))
    age(backfill, [_at(40).date()])
    for n in range(41):
        live = _context(tmp_path / "b", datetime(2026, 7, 1, tzinfo=UTC) + timedelta(days=n))
        today = [p for p in said if p.day == _at(n).date()]
        if today:
            consolidate(live, _say(live, today))
        age(live, [_at(n).date()])
    assert {v.version_id for v in standing(_rows(live))} == {v.version_id for v in standing(_rows(backfill))}
    assert _contents(live, Status.ARCHIVED) == ["Is very tired this week."]


def test_the_index_follows_the_ledger(ctx: StageContext, tmp_path: Path) -> None:
    days = _say(ctx, _moves())
    consolidate(ctx, days)
    assert not audit.index_matches_ledger(ctx, days).ok
    index_days(ctx, days)
    assert audit.index_matches_ledger(ctx, days).ok
    again = _context(tmp_path, ctx.now + timedelta(days=1))
    again.lake.replace("proposals", _at(9).date(), [])
    consolidate(again, [_at(9).date()])
    index_days(again, [_at(9).date(), _at(5).date()])
    assert audit.index_matches_ledger(again, ctx.lake.days("memory_versions")).ok


def test_the_audits_hold_on_an_honest_store_and_see_a_forged_one(ctx: StageContext) -> None:
    days = _say(ctx, _moves())
    consolidate(ctx, days)
    index_days(ctx, days)
    index_messages(ctx, days)
    assert all(check(ctx).ok for check in audit.OF_STORES)
    for checks in audit.OF_PARTITIONS.values():
        for check in checks:
            assert check(ctx, days).ok, check.__name__
    row = _rows(ctx)[0]
    ctx.lake.append("memory_versions", [replace(row, version_id="forged", memory_id="forged", evidence=())])
    ctx.lake.append("memory_versions", [replace(row, version_id="now", observed_at=ctx.now, recorded_at=ctx.now)])
    assert not audit.evidence_exists(ctx, days).ok
    assert not audit.no_derived_time_from_the_clock(ctx, days).ok
    ctx.lake.replace("verdicts", days[0], [])
    assert not audit.every_proposal_has_a_verdict(ctx, days).ok


@pytest.mark.parametrize("taste", ["tea", "writer"])
def test_of_two_values_told_on_one_day_the_later_one_holds_also_where_the_judge_is_asked(
    ctx: StageContext, taste: str
) -> None:
    """Both resemble what is remembered of another slot, so both are asked about before either is a memory."""

    def favourite(kind: str, value: str, at: datetime) -> Proposal:
        kinds = {"type": MemoryType.PREFERENCE, "attribute": f"favorite_{kind}", "value": value}
        return proposal(f"Favorite {kind} is {value}.", at, **kinds)

    ctx.__dict__["encoder"] = WordEncoder()
    hours = [_at(3) + timedelta(hours=n) for n in range(3)]
    said = [favourite(taste, "Oolong", _at(0)), *map(favourite, ["color"] * 3, ["green", "orange", "grey"], hours)]
    report = consolidate(ctx, _say(ctx, said))
    assert all(found.ok for found in report.audits)
    assert _contents(ctx) == sorted([f"Favorite {taste} is Oolong.", "Favorite color is grey."])
