"""The signals of a ranking profile, each from 0 to 1, and how a profile weighs them.

==================  =================================================================================================
similarity          cosine of query and text, not below 0
keyword             share of the attainable BM25 score
recency             by the profile: linear over a year (LS-6), exponential (KN-14), from last access or from the event
importance          as stored, less what its strength curve has taken (``domain.ledger.strength``)
salience            as stored
confidence          as stored
access_frequency    recalls, full at 20 (LS-7)
entity_match        1 when the query names an entity of the row (LS-7)
pinned              1 when pinned (DL-17)
open_loop_urgency   how near an open loop's due date is (DL-17)
q_value             learned usefulness, 0.5 before there is any (KN-13)
session             the best of its session, by the mean of similarity and keyword (measured)
following           similarity of the turn that follows it: an answer shows what a turn was about (measured)
distinct            a half, less by how much its cosine to the mean of the user's rows exceeds the average row's: what
                    resembles everything is near to any query (measured)
aside               1 for the assistant's turn, unless the query asks what "you" said; weighed below 0 (measured)
replaced            1 for a turn out of which a memory was made that another has replaced, where the query is about that
                    and does not ask for what was; weighed below 0 (measured)
dated               1 when the query asks for a time and the text names one (measured)
in_period           1 inside the time that the query speaks of ("last month"), less the further off; 0 where it speaks
                    of none
linked              of a memory: weight of its link to one of the best, times that one's score (LS-10)
late                late interaction: how well each word of the query is met by some word of the text, by vectors of
                    single tokens, rare words counting for more (measured)
late_session        the best of its session by that (measured)
==================  =================================================================================================
"""

from __future__ import annotations

import math

from memory_pipeline.domain.policy import ProfilePolicy

SIGNALS = (
    "similarity",
    "keyword",
    "recency",
    "importance",
    "salience",
    "confidence",
    "access_frequency",
    "entity_match",
    "pinned",
    "open_loop_urgency",
    "q_value",
    "session",
    "following",
    "distinct",
    "aside",
    "replaced",
    "dated",
    "in_period",
    "linked",
    "late",
    "late_session",
)
# Of rows that state no such figure (messages, summaries): the design's defaults, importance 3 of 5 and q 0.5 (KN-13).
NEUTRAL_IMPORTANCE = 0.6
NEUTRAL_SALIENCE = 0.5
NEUTRAL_Q = 0.5
EXPLORED = 5  # recalls after which q is no longer sampled (KN-20)
_FREQUENT = 20
_UNDATED_URGENCY = 0.25


def recency(kind: str, rate: float, days: float) -> float:
    """1 for now, falling with the days.

    ``linear`` reaches 0 at ``rate`` days (LS-6); ``exponential`` is exp(-rate · days) (KN-14).

    Raises:
        ValueError: the kind is neither of these nor ``none`` (always 0).
    """
    days = max(days, 0.0)
    match kind:
        case "none":
            return 0.0
        case "linear":
            return max(1 - days / rate, 0.0)
        case "exponential":
            return math.exp(-rate * days)
    raise ValueError(f"no recency of kind {kind!r}: none, linear or exponential")


def access_frequency(recalls: int) -> float:
    """Recalls out of 20, at most 1 (LS-7)."""
    return min(recalls / _FREQUENT, 1.0)


def open_loop_urgency(days_left: float | None, horizon: float) -> float:
    """Urgency of an open loop: 1 when due or overdue, a half with ``horizon`` days left, 0.25 without a due date.

    Args:
        days_left: until it is due; None without a due date.
    """
    if days_left is None:
        return _UNDATED_URGENCY
    return 1 / (1 + max(days_left, 0.0) / horizon)


def belief(recalls: int, verified: int) -> tuple[float, float] | None:
    """Parameters of the Beta distribution that an unproven row's q is drawn from; None from 5 recalls on (KN-20)."""
    if recalls >= EXPLORED:
        return None
    return (verified + 1.0, max(recalls - verified, 0) + 1.0)


def weights(profile: ProfilePolicy) -> dict[str, float]:
    """Weight by signal; they sum to 1 where the profile is normalised (durable adds up to 1.10, DL-17).

    Raises:
        ValueError: the profile weighs a signal that does not exist, or nothing at all.
    """
    unknown = sorted(set(profile.weights) - set(SIGNALS))
    if unknown:
        raise ValueError(f"unknown signals {', '.join(unknown)}; there are {', '.join(SIGNALS)}")
    total = sum(profile.weights.values())
    if total <= 0:
        raise ValueError("the weights of a profile must add up to more than 0")
    return {name: weight / total if profile.normalise else weight for name, weight in profile.weights.items()}
