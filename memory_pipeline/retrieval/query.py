"""What a read asks for, checked before anything is opened."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TypedDict

from memory_pipeline.domain.calendar import Moment, day_end, local_day, moment, zone
from memory_pipeline.domain.ledger.memory import Status
from memory_pipeline.domain.policy import Policy, ProfilePolicy
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.reading.ranking import weights
from memory_pipeline.domain.scope import Classification, Scope
from memory_pipeline.errors import QueryError

LAYERS = ("semantic", "episodic", "narrative")
# How much of what has faded a read reaches (NM-37): the states of memories by level of detail. "high" also finds what
# went stale and what was archived by time; superseded, contradicted and closed are no longer so, whatever the detail.
DETAILS: Mapping[str, frozenset[str]] = {
    "normal": frozenset({"active"}),
    "high": frozenset({"active", "stale", "archived"}),
}
QUERY_CHARACTERS = 2000
MESSAGE = "message"  # the ``type`` of an episodic item
SUMMARIES = ("day_summary", "week_summary", "month_summary")
_MOST = 10_000
_LAST_DAY = date(9999, 12, 30)

When = Moment


class Reach(TypedDict, total=False):
    """How far a read reaches: the arguments that every read shares, as ``MemoryReader.search`` explains them."""

    profile: str
    layers: Sequence[str]
    as_of: When | None
    known_at: When | None
    agent_id: str | None
    domain: str | None
    max_classification: str
    include_shared: bool
    types: Iterable[str] | None
    statuses: Iterable[str] | None
    detail: str


@dataclass(frozen=True, slots=True)
class Query:
    """A checked read.

    Attributes:
        weighing: the profile.
        weights: its weight by signal.
        timezone: of a user of whom no other is known.
        at: the moment that validity, recency and ages are measured at: ``as_of``, else the time of the read. UTC.
        session_id: restricts every layer to one session; None = all.
        apart_from: a session whose messages are in the prompt already, and so are left out.
        statuses: of memories.
        named: whether the read names these itself: what is over is then found although it is valid no more.
        unasked: it also finds what a boundary keeps from being brought up although the text does not name it; marked
            so, for a read that speaks to nobody.
        careful: it also finds what could hurt the user though a boundary closes it; marked so, for silent use.
    """

    text: str
    scope: Scope
    k: int
    profile: str
    weighing: ProfilePolicy
    weights: Mapping[str, float]
    timezone: str
    layers: frozenset[str]
    at: datetime
    as_of: datetime | None
    known_at: datetime | None
    session_id: str | None
    apart_from: str | None
    agent_id: str | None
    domain: str | None
    ceiling: Classification
    include_shared: bool
    types: frozenset[str] | None
    statuses: frozenset[str]
    min_score: float | None
    named: bool = False
    unasked: bool = False
    careful: bool = False

    @property
    def reach(self) -> tuple[Hashable, ...]:
        """How far it reaches, whatever it asks for: reads of equal reach of one user see the same rows."""
        places = (self.agent_id, self.domain, self.ceiling, self.include_shared)
        states = (self.statuses, self.named)
        return (self.profile, self.layers, self.types, *states, self.as_of, self.known_at, *places)

    @property
    def historical(self) -> bool:
        """Whether it asks for a state that is not the index's."""
        return self.as_of is not None or self.known_at is not None


def scope_of(tenant_id: str, user_id: str) -> Scope:
    """The scope of a read.

    Raises:
        QueryError: one of the two is empty or no text.
    """
    for name, value in (("tenant_id", tenant_id), ("user_id", user_id)):
        if not isinstance(value, str) or not value.strip():
            raise QueryError(
                f"{name} must be a non-empty string: every read belongs to one user of one tenant", argument=name
            )
    return Scope(tenant_id, user_id)


def checked(
    text: str,
    scope: Scope,
    policy: Policy,
    now: datetime,
    timezone: str,
    *,
    k: int,
    profile: str = "default",
    layers: Sequence[str] = ("semantic", "episodic"),
    as_of: When | None = None,
    known_at: When | None = None,
    session_id: str | None = None,
    apart_from: str | None = None,
    agent_id: str | None = None,
    domain: str | None = None,
    max_classification: str = "internal",
    include_shared: bool = False,
    types: Iterable[str] | None = None,
    statuses: Iterable[str] | None = None,
    detail: str = "normal",
    min_score: float | None = None,
    unasked: bool = False,
    careful: bool = False,
) -> Query:
    """A query from the arguments of a read.

    Raises:
        QueryError: an argument is of the wrong kind, or names something that does not exist; the message lists
            what does.
    """
    if not isinstance(text, str):
        raise QueryError(f"a query is text, not {type(text).__name__}")
    if isinstance(k, bool) or not isinstance(k, int) or not 0 <= k <= _MOST:
        raise QueryError(f"k must be a whole number from 0 to {_MOST:,}, not {k!r}", argument="k")
    moment = instant(as_of, timezone, "as_of")
    reached = DETAILS[one_of("detail", detail, DETAILS)]
    return Query(
        text=text.strip()[:QUERY_CHARACTERS],
        scope=scope,
        k=k,
        profile=one_of("profile", profile, policy.profiles),
        weighing=policy.profiles[profile],
        weights=weights(policy.profiles[profile]),
        timezone=timezone,
        layers=some_of("layers", layers, LAYERS),
        at=moment or now,
        as_of=moment,
        known_at=instant(known_at, timezone, "known_at"),
        session_id=session_id,
        apart_from=apart_from,
        agent_id=agent_id,
        domain=domain,
        ceiling=Classification(one_of("max_classification", max_classification, Classification)),
        include_shared=include_shared,
        types=None if types is None else some_of("types", types, [*MemoryType, MESSAGE, *SUMMARIES]),
        statuses=reached if statuses is None else some_of("statuses", statuses, Status),
        min_score=min_score,
        named=statuses is not None,
        unasked=unasked,
        careful=careful,
    )


def one_of(name: str, value: str, known: Iterable[str]) -> str:
    """The value, if it is one of the known names.

    Raises:
        QueryError: it is not; the message lists them.
    """
    if value not in (names := [str(n) for n in known]):
        raise QueryError(f"{name} {value!r} does not exist; there are {', '.join(sorted(names))}", argument=name)
    return value


def some_of(name: str, values: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    """The values as a set, if all are known names; a single name is taken as a list of one.

    Raises:
        QueryError: one of them is not known.
    """
    names = list(known)
    return frozenset(str(one_of(name, value, names)) for value in ([values] if isinstance(values, str) else values))


def instant(when: When | None, timezone: str, name: str) -> datetime | None:
    """A moment in UTC. A date means the end of that day in the zone; a time without a zone is taken in it.

    Raises:
        QueryError: it is neither a date nor a time.
    """
    if when is None:
        return None
    try:
        found = moment(when)
    except ValueError as error:
        raise QueryError(f"{name}: {error}", argument=name) from error
    if isinstance(found, datetime):
        return (found if found.tzinfo else found.replace(tzinfo=zone(timezone))).astimezone(UTC)
    return day_end(min(found, _LAST_DAY), timezone) - timedelta(microseconds=1)


def local_date(when: When | None, timezone: str, name: str) -> date | None:
    """A day in the zone; a time means the day that it falls on there.

    Raises:
        QueryError: it is neither a date nor a time.
    """
    if when is None:
        return None
    try:
        found = moment(when)
    except ValueError as error:
        raise QueryError(f"{name}: {error}", argument=name) from error
    if not isinstance(found, datetime):
        return found
    return found.date() if found.tzinfo is None else local_day(found, timezone)


def utc_now() -> datetime:
    """The clock of a read, where no other is given."""
    return datetime.now(UTC)
