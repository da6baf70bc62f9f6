"""The shape of the policy table. The figures stand in ``policy.toml``; a file of the user's own may override any.

Sources of the figures are named beside them in the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum, StrEnum
from functools import reduce
from typing import Any, get_args, get_origin, get_type_hints

from memory_pipeline.domain.ids import digest


@dataclass(frozen=True, slots=True)
class WindowPolicy:
    """How messages are cut and asked about.

    Attributes:
        pack_tokens: estimated tokens of the windows that are asked about in one call; one window alone may take more.
        max_proposals_per_message: proposals that may rest on one message.
        retry_calls: further calls, in a run, for the windows of a pack whose joint reply did not fit.
    """

    max_messages: int
    max_tokens: int
    pause_minutes: int
    context_messages: int
    pack_tokens: int
    max_proposals_per_message: int
    retry_calls: int


class SensitiveClass(StrEnum):
    """Kinds of secrets and personal data that are told apart; each has its handling in ``[gate.sensitive]``."""

    KEY = "key"
    PASSWORD = "password"
    CARD = "card"
    BANK_ACCOUNT = "bank_account"
    NATIONAL_ID = "national_id"
    IDENTITY_DOCUMENT = "identity_document"
    EMAIL = "email"
    PHONE = "phone"
    ADDRESS = "address"
    COORDINATES = "coordinates"


class Handling(StrEnum):
    """What becomes of a memory that holds something sensitive.

    ``reject``: it is not stored, and neither models nor the index see the span. ``mask``: they do not see it either,
    and the memory is stored with a marker in its place. ``restrict``: it is stored as it is and classified
    ``restricted`` (KN-27). ``allow``: nothing.
    """

    REJECT = "reject"
    MASK = "mask"
    RESTRICT = "restrict"
    ALLOW = "allow"


@dataclass(frozen=True, slots=True)
class QualityPolicy:
    """Parts of the quality of a work memory (KN-5, KN-6), which add up to 1.

    Attributes:
        length, keywords, reason, concrete: what each part counts.
        min_words: fewer words, and the length counts nothing.
        max_words, long_share: more words, and it counts this share.
    """

    length: float
    keywords: float
    reason: float
    concrete: float
    min_words: int
    max_words: int
    long_share: float


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """Thresholds of the gate's rules.

    Attributes:
        min_specific_words: words that say something, for a statement to be worth storing (KN-34).
        grounding_overlap: share of a quote's words that stand in the cited message.
        min_known_names: share of the names, numbers and dates that somebody said.
        min_known_words, min_judged_words: share of the other content words that somebody said, and how many there
            must be for the share to tell anything.
        echo_overlap: overlap of content words from which on a memory says what was recalled.
        copied_words: words in a row from which on a repetition is a copy.
        max_blob: characters of an unbroken encoded run.
        sensitive: what becomes of each class of secrets and personal data.
    """

    min_length: int
    max_length: int
    min_confidence: float
    min_salience: float
    min_salience_ephemeral: float
    min_specific_words: int
    min_quality: float
    min_quote_words: int
    grounding_overlap: float
    min_known_names: float
    min_known_words: float
    min_judged_words: int
    echo_overlap: float
    copied_words: int
    max_blob: int
    quality: QualityPolicy
    sensitive: Mapping[SensitiveClass, Handling]


@dataclass(frozen=True, slots=True)
class SimilarityPolicy:
    duplicate: float
    auto_merge: float
    merge: float
    judge: float
    link: float
    answer: float
    same_words: float


@dataclass(frozen=True, slots=True)
class ConsolidationPolicy:
    candidates: int
    max_links: int
    merge_importance: float
    reinforce_importance: float
    reinforce_confidence: float
    outcome_importance: float
    max_retired_share: float
    min_retired: int


@dataclass(frozen=True, slots=True)
class LinkPolicy:
    """When two memories are linked, besides their cosine.

    Attributes:
        entity_floor: cosine from which on two memories that share a specific entity are linked.
        entity_memories: an entity that more memories name is not specific.
        reason_overlap: share of content words from which on a given reason names another memory.
    """

    entity_floor: float
    entity_memories: int
    reason_overlap: float


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


@dataclass(frozen=True, slots=True)
class ProfilePolicy:
    """Weights of one ranking profile and the shape of its recency."""

    recency: str
    recency_rate: float
    recency_base: str
    normalise: bool
    exploration: bool
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RetrievalPolicy:
    """Candidates and texts of a search.

    Attributes:
        candidates: rows that each arm may bring.
        short_turn_characters: up to this length a turn is short.
        previous_turn_characters: of the turn before a short one, which lends its words if it is shorter than this.
        encoded_characters: of a text that a vector is made of.
        encoded_reply_characters: the same, of an assistant's turn.
        period_fades_days, period_fades_share: what lies this long outside the time that a question speaks of, in days
            and in shares of its length, counts 1/e.
        event_floor: mean of similarity and keyword from which on a row tells of the event that a question measures
            time by.
        linked_from: the best memories, whose linked ones come in.
    """

    candidates: int
    short_turn_characters: int
    previous_turn_characters: int
    encoded_characters: int
    encoded_reply_characters: int
    period_fades_days: float
    period_fades_share: float
    event_floor: float
    linked_from: int
    bm25_k1: float
    bm25_b: float


@dataclass(frozen=True, slots=True)
class ContextPolicy:
    """The prompt block.

    Attributes:
        relevant: similarity or keyword share below which a hit has nothing to do with the turn.
        share_of_best: share of the best hit's score below which a hit is left out.
        asked_for: the same, from which on it is what the turn is about.
        quote_tokens: size of a quoted message at most.
        summaries: calendar summaries at most.
    """

    budget_tokens: int
    lessons_tokens: int
    known_facts: int
    items: int
    due_within_days: int
    relevant: float
    share_of_best: float
    asked_for: float
    quote_tokens: int
    summaries: int


@dataclass(frozen=True, slots=True)
class StandingProfilePolicy:
    """The standing profile.

    Attributes:
        tokens: of the whole text at most, estimated.
        item_tokens: a longer memory is left out, unless it is a boundary.
        section_items: memories of one section at most.
    """

    tokens: int
    item_tokens: int
    section_items: int


@dataclass(frozen=True, slots=True)
class PayloadPolicy:
    """The whole prompt of a turn; sizes in estimated tokens.

    Attributes:
        memories_tokens, services_tokens, history_tokens: of each section at most.
        tools_tokens, reserve_tokens: left free for the descriptions of tools, and for what the estimates miss.
        total_tokens: of everything; another total scales every section.
        history_turns: turns of the conversation at most, besides its first.
        verbatim_turns: the latest, which give way last.
        summary_tokens: of what is told of the turns that are not shown.
        service_relevance: cosine or share of the turn's words below which a service has nothing to do with it.
    """

    memories_tokens: int
    services_tokens: int
    history_tokens: int
    tools_tokens: int
    reserve_tokens: int
    total_tokens: int
    history_turns: int
    verbatim_turns: int
    summary_tokens: int
    service_relevance: float


@dataclass(frozen=True, slots=True)
class CurationPolicy:
    """Figures of a memory that the user wrote by hand, where the rules read none out of it."""

    confidence: float
    salience: float
    importance: float


@dataclass(frozen=True, slots=True)
class FeedbackPolicy:
    q_start: float
    helpful_rate: float
    unhelpful_drop: float


@dataclass(frozen=True, slots=True)
class CallFigures:
    """What a task takes, until the cost ledger has a history of it.

    Attributes:
        calls: for each user and day, week or month, by the stage's partitions. Of extraction and its rolling summaries
            the calls and prompts are counted, and only the ratio of the tokens matters.
        prompt_tokens, completion_tokens: of a call.
    """

    calls: float
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class ForecastPolicy:
    """The forecast before a run.

    Attributes:
        ask_usd: a run that is forecast to cost more is asked about, where somebody sits at the terminal.
        tasks: figures by task; ``other`` for tasks that have none of their own.
    """

    ask_usd: float
    tasks: Mapping[str, CallFigures]


@dataclass(frozen=True, slots=True)
class EvaluationPolicy:
    """What a run of the fixtures must reach.

    Attributes:
        precision, hit3: shares, at least.
        leaks, duplicates: at most.
    """

    precision: float
    hit3: float
    leaks: int
    duplicates: int


@dataclass(frozen=True, slots=True)
class ShadowPolicy:
    """What a candidate must keep to, beside what is in force, to be promoted.

    Attributes:
        depth: items of a read that are compared.
        lost_helpful: share of the items that had helped which may be lost.
        slower: how many times the median latency may be that of the base.
        latency_ms, latency_reads: a median below it, or of fewer reads, is not held against a candidate.
        valid_days: age up to which a passing result allows promotion.
        min_reads: fewer, and the result says too little to pass.
    """

    depth: int
    lost_helpful: float
    slower: float
    latency_ms: float
    latency_reads: int
    valid_days: int
    min_reads: int


@dataclass(frozen=True, slots=True)
class Policy:
    """Every threshold of the pipeline."""

    window: WindowPolicy
    gate: GatePolicy
    similarity: SimilarityPolicy
    consolidation: ConsolidationPolicy
    links: LinkPolicy
    lifecycle: Mapping[str, LifecyclePolicy]
    curves: Mapping[str, CurvePolicy]
    strength: StrengthPolicy
    prune: PrunePolicy
    summary: SummaryPolicy
    reflection: ReflectionPolicy
    pattern: PatternPolicy
    profiles: Mapping[str, ProfilePolicy]
    retrieval: RetrievalPolicy
    context: ContextPolicy
    profile: StandingProfilePolicy
    payload: PayloadPolicy
    feedback: FeedbackPolicy
    curation: CurationPolicy
    forecast: ForecastPolicy
    evaluation: EvaluationPolicy
    shadow: ShadowPolicy

    def version(self, *sections: str) -> str:
        """Short digest of some sections ("gate", "gate.sensitive"): part of the code version of what goes by them."""
        return digest(*(repr(reduce(getattr, section.split("."), self)) for section in sections))[:12]


def build(cls: type[Any], table: Mapping[str, Any], where: str = "policy") -> Any:
    """A policy dataclass from a parsed TOML table.

    Raises:
        ValueError: a figure is missing, unknown or of the wrong kind; the message names it.
    """
    hints = get_type_hints(cls)
    known = {f.name for f in fields(cls)}
    for name in table:
        if name not in known:
            raise ValueError(f"{where}.{name} is not a known setting")
    for name in known:
        if name not in table:
            raise ValueError(f"{where}.{name} is missing")
    return cls(**{name: _value(hints[name], table[name], f"{where}.{name}") for name in known})


def _value(hint: Any, value: Any, where: str) -> Any:
    if is_dataclass(hint) and isinstance(hint, type):
        if not isinstance(value, Mapping):
            raise ValueError(f"{where} must be a table")
        return build(hint, value, where)
    if get_origin(hint) is not None:
        if not isinstance(value, Mapping):
            raise ValueError(f"{where} must be a table")
        outer, inner = get_args(hint)
        found = {_value(outer, key, where): _value(inner, value[key], f"{where}.{key}") for key in sorted(value)}
        for key in outer if issubclass(outer, Enum) else ():
            if key not in found:
                raise ValueError(f"{where}.{key} is missing")
        return found
    if issubclass(hint, Enum):
        if value not in list(hint):
            raise ValueError(f"{where}: {value!r} is none of {', '.join(str(member) for member in hint)}")
        return hint(value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise ValueError(f"{where} must be {hint.__name__}, not {value!r}")
    return value
