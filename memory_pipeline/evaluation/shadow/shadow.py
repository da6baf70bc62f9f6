"""Shadow evaluation: real reads, made again by what is in force and by a candidate, and compared (KN-28)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import date, datetime

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import EvaluationError
from memory_pipeline.evaluation.history import SHADOW, record
from memory_pipeline.evaluation.shadow.ab_report import FAULTS, ReadPair, compare, verdict
from memory_pipeline.evaluation.shadow.candidate import Candidate, Reaching
from memory_pipeline.evaluation.shadow.holdings import Holdings, sharing
from memory_pipeline.evaluation.shadow.logged_reads import LoggedRead, logged_reads
from memory_pipeline.evaluation.shadow.shadow_home import Agree, shadow_home
from memory_pipeline.evaluation.shadow.shadow_replay import ReplayedItem, Side, keys
from memory_pipeline.stages.context import Progress, silent
from memory_pipeline.stages.messages.classes import classifier_of
from memory_pipeline.storage.parquet.lake import Lake

_EXAMPLES = 10


@dataclass(frozen=True, slots=True)
class Example:
    """A read worth looking at: what it asked, and what came and went. It is shown, and not stored."""

    recall_id: str
    user_id: str
    query: str
    faults: Mapping[str, int]
    helpful_lost: Sequence[str]
    gained: Sequence[str]
    lost: Sequence[str]


@dataclass(frozen=True, slots=True)
class ShadowReport:
    """The A/B report (the JSON shape of ``shadow --json``).

    Attributes:
        reaching: what had to be made for the candidate; see ``candidate.Reaching``.
        left_out: reads of users beyond the limit.
        reasons: why it did not pass.
    """

    subject: str
    candidate: str
    base: str
    reaching: str
    first: date
    last: date
    left_out: int
    metrics: Mapping[str, float]
    passed: bool
    reasons: Sequence[str]
    examples: Sequence[Example]


def shadow(
    candidate: Candidate,
    first: date,
    last: date,
    now: datetime,
    *,
    limit_users: int | None = None,
    agree: Agree = lambda forecast: True,
    progress: Progress = silent,
) -> ShadowReport:
    """Replay the recall log of some UTC days and keep the result's figures in ``evaluations``.

    Both sides see what the home holds now, and count ages from the moment of each read.

    Args:
        limit_users: so many at most, those who read most.
        agree: asked before hosted models are, with what they would cost.

    Raises:
        EvaluationError: nothing was read in these days.
        Declined: ``agree`` said no.
    """
    every = logged_reads(candidate.base, first, last)
    if not every:
        raise EvaluationError(_nothing_read(candidate, first, last))
    reads = _of_most_active(every, limit_users)
    pairs, examples = _replayed(candidate, reads, now, agree, progress)
    policy = candidate.base.policies.shadow  # a candidate does not bring the rules that it is judged by
    metrics = compare(pairs, policy)
    reasons = verdict(metrics, policy)
    record(
        Lake(candidate.base.path("lake")),
        SHADOW,
        now,
        metrics,
        reasons,
        candidate=candidate.digest,
        base=candidate.base_digest,
        subject=candidate.change.told(),
        first=first,
        last=last,
    )
    return ShadowReport(
        candidate.change.told(),
        candidate.digest,
        candidate.base_digest,
        str(candidate.reaching),
        first,
        last,
        len(every) - len(reads),
        metrics,
        not reasons,
        reasons,
        examples,
    )


def _nothing_read(candidate: Candidate, first: date, last: date) -> str:
    """Why there is nothing to replay, and what to do: on the first day all reads are of today."""
    days = Counter(read.at.date() for read in logged_reads(candidate.base, date.min, date.max))
    if not days:
        return (
            "nothing has been read from this home yet, and real reads are what is replayed: let your application read, "
            "or try some by `memory-pipeline search`; `memory-pipeline eval` measures without reads"
        )
    span = f"on {first}" if first == last else f"from {first} to {last}"
    return (
        f"nobody read anything {span} (UTC); there are {days.total():,} reads from {min(days)} to {max(days)}: name "
        f"days by --from and --to, like --from {max(days)}"
    )


def _of_most_active(reads: Sequence[LoggedRead], most: int | None) -> list[LoggedRead]:
    counts: dict[Scope, int] = {}
    for read in reads:
        counts[read.scope] = counts.get(read.scope, 0) + 1
    chosen = set(sorted(counts, key=lambda scope: (-counts[scope], scope))[:most])
    return [read for read in reads if read.scope in chosen]


def _replayed(
    candidate: Candidate, reads: Sequence[LoggedRead], now: datetime, agree: Agree, progress: Progress
) -> tuple[list[ReadPair], list[Example]]:
    from memory_pipeline.inference.encoder import RememberingEncoder
    from memory_pipeline.inference.models import open_encoder

    scopes = sorted({read.scope for read in reads})
    lake = Lake(candidate.base.path("lake"))
    classes = classifier_of(lake, candidate.base.policies.classification)
    before = Holdings.read(lake, scopes, classes)
    encoder = RememberingEncoder(open_encoder(candidate.base))
    base = Side(candidate.base, encoder, before, before)
    concerned = sorted({*scopes, *sharing(lake, {s.tenant_id for s in scopes})})
    alone = candidate.reaching is Reaching.READS
    with (
        nullcontext(candidate.settings) if alone else shadow_home(candidate, concerned, now, agree, progress)
    ) as settings:
        after = before if alone else Holdings.read(Lake(settings.path("lake")), scopes, classes)
        other = encoder if alone else RememberingEncoder(open_encoder(settings))
        return _pairs(base, Side(settings, other, after, before), reads, progress)


def _pairs(
    base: Side, candidate: Side, reads: Sequence[LoggedRead], progress: Progress
) -> tuple[list[ReadPair], list[Example]]:
    pairs: list[ReadPair] = []
    examples: list[Example] = []
    warm = set[Scope]()
    for n, read in enumerate(reads):
        progress("replaying reads", n, len(reads))
        if read.scope not in warm:  # opening a user's rows is no part of what is compared
            warm.add(read.scope)
            for side in (base, candidate):
                side.warm(read)
        if base.encoder is candidate.encoder:  # or whoever comes first pays for both
            base.encoder.encode([read.query])
        # By turns, so that neither side always meets the caches that the other has filled.
        if n % 2:
            (new, came), (old, went) = candidate.replay(read), base.replay(read)
        else:
            (old, went), (new, came) = base.replay(read), candidate.replay(read)
        pair = ReadPair(read.scope, old, new)
        pairs.append(pair)
        example = _example(read, pair, went, came)
        if example is not None:
            examples.append(example)
    progress("replaying reads", len(reads), len(reads))
    worst = sorted(
        examples, key=lambda e: (-sum(e.faults.values()), -len(e.helpful_lost), -len(e.lost) - len(e.gained))
    )
    return pairs, worst[:_EXAMPLES]


def _example(
    read: LoggedRead, pair: ReadPair, went: Sequence[ReplayedItem], came: Sequence[ReplayedItem]
) -> Example | None:
    old, new = dict(zip(keys(went), went, strict=True)), dict(zip(keys(came), came, strict=True))
    gained = [item.content or item.item_id for key, item in new.items() if key not in old]
    lost = [item.content or item.item_id for key, item in old.items() if key not in new]
    faults = {name: n for name in FAULTS if (n := pair.candidate.faults.get(name, 0))}
    helpful = sorted(set(pair.base.helpful) - set(pair.candidate.helpful))
    if not (gained or lost or faults):
        return None
    return Example(read.recall_id, read.scope.user_id, read.query, faults, helpful, gained, lost)
