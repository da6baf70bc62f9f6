"""Shapes of the thresholds by which memories age, and by which days, weeks and themes are told."""

from __future__ import annotations

from dataclasses import dataclass

from memory_pipeline.domain.calendar import Grain


@dataclass(frozen=True, slots=True)
class LifecyclePolicy:
    """One type's life, in days; 0 = the rule does not apply.

    Attributes:
        stale_after: days without reference or reinforcement until active → stale.
        archive_after: days after that until stale → archived.
        silence_after: days without mention until an open loop that has no due date is closed.
        grace: days that an open loop stays open after its due date; 0 = none.
        curve: name of its strength curve.
    """

    stale_after: int
    archive_after: int
    silence_after: int
    grace: int
    curve: str


@dataclass(frozen=True, slots=True)
class CurvePolicy:
    """A named decay of strength with the days since the last access.

    Attributes:
        kind: ``none``, ``stepped`` (KN-22), ``subtract`` (LS-21) or ``logarithmic`` (NM-36).
        floor: strength never falls below it.
    """

    kind: str
    floor: float
    rate: float
    after_days: int
    late_rate: float
    late_after_days: int


@dataclass(frozen=True, slots=True)
class StrengthPolicy:
    """What holds for every curve.

    Attributes:
        recalls: reads of a memory that slow its forgetting as much as one confirmation does; more do no more.
        score_floor: what a faded memory still counts in a score.
    """

    recalls: int
    score_floor: float


@dataclass(frozen=True, slots=True)
class PrunePolicy:
    """The end of what has faded.

    Attributes:
        enabled: whether what is archived and has faded leaves the index for good; its chain stays in the ledger.
        below: strength below which a memory has faded.
        after_days: days without access that it takes at least.
    """

    enabled: bool
    below: float
    after_days: int


@dataclass(frozen=True, slots=True)
class SummaryPolicy:
    """What summaries are made from, when, and how long they are; sizes in estimated tokens.

    Attributes:
        rolling_tokens: a session's summary at most, the stored one and the one that extraction sees.
        rolling_user_turns: user turns after which it is made anew.
        day_tokens, week_tokens, month_tokens: the texts at most.
        input_tokens: messages that extraction's rolling summary is made from.
        input_share: share of a day's messages that its summary reads.
        day_input_floor, day_input_tokens: however small that share is, and however large.
        week_input_tokens, month_input_tokens, session_input_tokens: messages read, out of those that their days read.
        message_tokens: of a message that is shown; of other roles' messages half as many.
        memory_tokens: memories that one summary reads, the most important ones.
        pack_tokens: messages and memories in one call.
        pack_reply_tokens: texts asked for in one call.
        session_shown_turns: messages of a session that a prompt shows whole.
        session_added, session_updated: accepted proposals after which a session's summary is made anew.
        session_days: how far back a session's summary reaches.
        session_pause_minutes: silence after which a session has ended.
    """

    rolling_tokens: int
    rolling_user_turns: int
    day_tokens: int
    week_tokens: int
    month_tokens: int
    input_tokens: int
    input_share: float
    day_input_floor: int
    day_input_tokens: int
    week_input_tokens: int
    month_input_tokens: int
    session_input_tokens: int
    message_tokens: int
    memory_tokens: int
    pack_tokens: int
    pack_reply_tokens: int
    session_shown_turns: int
    session_added: int
    session_updated: int
    session_days: int
    session_pause_minutes: int

    def of(self, grain: Grain) -> tuple[int, int]:
        """Tokens of a period's text, and of the messages that it reads, at most."""
        return getattr(self, f"{grain}_tokens"), getattr(self, f"{grain}_input_tokens")


@dataclass(frozen=True, slots=True)
class ReflectionPolicy:
    """When a user's memories are reflected on, and what an insight needs.

    Attributes:
        min_evidence, min_days: memories that an insight rests on, and the days they come from.
        importance_threshold: summed importance of new memories that does not wait for the end of the week.
        max_insights: of one week.
        recent_days: how far back from a week's first day the memories reach that are looked at.
        shown: memories looked at, the latest ones.
        same_evidence: overlap of what two insights rest on from which on they are one.
        pack_tokens, pack_weeks: memories and weeks in one call.
    """

    min_evidence: int
    min_days: int
    importance_threshold: float
    max_insights: int
    recent_days: int
    shown: int
    same_evidence: float
    pack_tokens: int
    pack_weeks: int


@dataclass(frozen=True, slots=True)
class PatternPolicy:
    """When alike memories become one pattern.

    Attributes:
        overlap: of two memories' keywords, and of a memory's keywords with the theme of its group.
        theme_share: share of a group that holds a word of its theme.
        common_share, common_from: share of so many memories or more from which on a word tells none of them apart.
        min_findings, min_episodes: members that it takes.
        max_group: members that a pattern has at most.
        least_support, support_per_member, most_support: importance and confidence by the number of members.
    """

    overlap: float
    theme_share: float
    common_share: float
    common_from: int
    min_findings: int
    min_episodes: int
    max_group: int
    least_support: float
    support_per_member: float
    most_support: float
