"""What became of the proposals, for whoever runs the pipeline."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from memory_pipeline.domain.derived.summary import Refusal
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.proposal import Evidence, Finding, Outcome, Proposal, Verdict
from memory_pipeline.errors import QueryError
from memory_pipeline.retrieval.lists.verdicts import VerdictFilter, by_reason, of_reason
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline_tests.factories import NOON, POLICY, proposal
from memory_pipeline_tests.store import Store

GATE = POLICY.gate


def _verdict(stated: Proposal, outcome: Outcome, reason: str, *findings: Finding) -> Verdict:
    return Verdict(
        verdict_id=identifier("vdt", stated.proposal_id),
        proposal_id=stated.proposal_id,
        tenant_id=stated.tenant_id,
        user_id=stated.user_id,
        day=stated.day,
        outcome=outcome,
        reason=reason,
        findings=findings,
        memory_id=None,
    )


@pytest.fixture
def store(home: Store) -> Store:
    unsure = Finding("confidence", False, 0.3, 0.4, "how sure the extractor is")
    fine = Finding("length", True, 20.0, 8.0, "20 characters")
    next_day = NOON + timedelta(days=1)
    rows = [
        (proposal("Lives in Lisbon."), Outcome.ACCEPTED, "add", (fine,)),
        (proposal("Likes tea.", next_day), Outcome.ACCEPTED, "add", (fine,)),
        (proposal("Has a dog.", next_day, user_id="ben"), Outcome.ACCEPTED, "add", (fine,)),
        (proposal("Perhaps likes cats."), Outcome.REJECTED, "confidence", (fine, unsure)),
        (
            proposal("Card is 4242 4242 4242 4242.", evidence=(Evidence("m", "card 4242 4242 4242 4242"),)),
            Outcome.REJECTED,
            "secret",
            (Finding("secret", False, None, None, "states card"),),
        ),
    ]
    for day in {p.day for p, *_ in rows}:
        home.lake.replace("proposals", day, [p for p, *_ in rows if p.day == day])
        home.lake.replace("verdicts", day, [_verdict(p, o, r, *f) for p, o, r, f in rows if p.day == day])
    return home


def test_verdicts_by_reason_with_their_share_and_meaning(store: Store) -> None:
    rows = by_reason(store.lake, VerdictFilter(), GATE)
    assert [(r["outcome"], r["reason"], r["proposals"], r["share"]) for r in rows] == [
        ("accepted", "add", 3, 0.6),
        ("rejected", "confidence", 1, 0.2),
        ("rejected", "secret", 1, 0.2),
    ]
    assert rows[0]["meaning"] == "became a new memory"
    assert set(rows[0]["examples"]) == {"Lives in Lisbon.", "Likes tea.", "Has a dog."}
    assert rows[0]["examples"][-1] == "Lives in Lisbon.", "the latest first"
    assert len(by_reason(store.lake, VerdictFilter(), GATE, examples=1)[0]["examples"]) == 1
    assert by_reason(store.lake, VerdictFilter(), GATE, examples=0)[0]["examples"] == []


def test_a_secret_is_shown_masked(store: Store) -> None:
    assert "4242" not in repr(by_reason(store.lake, VerdictFilter(), GATE))
    (row,) = of_reason(store.lake, "secret", VerdictFilter(), GATE)
    assert (row["content"], row["quotes"]) == ("Card is [withheld card].", ["card [withheld card]"])


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        (VerdictFilter(user_id="ben"), 1),
        (VerdictFilter(user_id="u", tenant_id="t"), 4),
        (VerdictFilter(tenant_id="elsewhere"), 0),
        (VerdictFilter(first=NOON.date(), last=NOON.date()), 3),
        (VerdictFilter(first=NOON.date() + timedelta(days=1)), 2),
        (VerdictFilter(last=NOON.date() - timedelta(days=1)), 0),
    ],
)
def test_verdicts_of_some_users_and_days(store: Store, wanted: VerdictFilter, count: int) -> None:
    assert sum(r["proposals"] for r in by_reason(store.lake, wanted, GATE)) == count


def test_the_proposals_of_a_reason_say_why(store: Store) -> None:
    (row,) = of_reason(store.lake, "confidence", VerdictFilter(), GATE)
    assert (row["content"], row["user_id"], row["day"]) == ("Perhaps likes cats.", "u", NOON.date())
    assert row["why"] == "confidence: how sure the extractor is (0.3, the threshold is 0.4)"
    accepted = of_reason(store.lake, "add", VerdictFilter(user_id="ben"), GATE)
    assert [(r["content"], r["why"]) for r in accepted] == [("Has a dog.", "became a new memory")]


def test_a_known_reason_may_have_no_proposals_and_an_unknown_one_is_named(store: Store) -> None:
    assert of_reason(store.lake, "echo", VerdictFilter(), GATE) == []
    with pytest.raises(QueryError, match="sunspots"):
        of_reason(store.lake, "sunspots", VerdictFilter(), GATE)


def test_a_span_that_ends_before_it_begins_is_refused(store: Store) -> None:
    with pytest.raises(QueryError, match="before they begin"):
        by_reason(store.lake, VerdictFilter(first=date(2026, 3, 2), last=date(2026, 3, 1)), GATE)


def test_nothing_is_no_error(tmp_path: Path) -> None:
    assert by_reason(Lake(str(tmp_path)), VerdictFilter(), GATE) == []


def test_what_a_summary_does_not_say_is_told_like_a_verdict(store: Store) -> None:
    refused = Refusal("invented", "nobody said pieter", "Lives with Pieter.")
    made = store.summary("Lives in Lisbon.", NOON.date(), refused=(refused,))
    (row,) = of_reason(store.lake, "invented", VerdictFilter(made.user_id, made.tenant_id), GATE)
    assert (row["proposal_id"], row["type"], row["content"]) == (made.summary_id, "day summary", "Lives with Pieter.")
    assert row["why"] == "invented: nobody said pieter"
    counts = [(r["outcome"], r["reason"], r["proposals"]) for r in by_reason(store.lake, VerdictFilter(), GATE)]
    assert ("rejected", "invented", 1) in counts
    assert of_reason(store.lake, "invented", VerdictFilter("ben"), GATE) == []
    assert of_reason(store.lake, "invented", VerdictFilter(first=NOON.date() + timedelta(days=1)), GATE) == []
