"""Shapes of the thresholds by which memories are read, and by which reads are judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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
        late_floor: late interaction that any text reaches by chance.
        late_beside: what the tokens of the turns beside a short one count for.
        late_similarity, late_keyword: what late interaction comes to on the average, of a row without tokens: so much
            of its similarity and so much of its keyword score.
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
    late_floor: float
    late_beside: float
    late_similarity: float
    late_keyword: float
    bm25_k1: float
    bm25_b: float


@dataclass(frozen=True, slots=True)
class ContextPolicy:
    """The prompt block.

    Attributes:
        relevant: similarity or keyword share below which a hit has nothing to do with the turn.
        share_of_best: share of the best hit's score below which a hit is left out.
        asked_for: the same, from which on it is what the turn is about.
        quote_tokens: size of a quoted message at most, before what is left of the budget is shared out.
        quotes: turns that are quoted at most, beside those that a kind of request needs.
        foremost: share of the best hit's score from which on a turn answers a question whose words it does not share.
        summaries: calendar summaries at most.
        kind_similarity, kind_share_of_best: cosine to an example of a kind of request, and share of the best one's,
            from which on a request is of that kind.
        kind_beside: the same cosine for a kind beside one that the words of the request name.
        kind_items: memories that a kind of request brings at most, beside what could hurt somebody.
        whole_items: the same where the user as a whole is asked for.
        kind_turns: turns that a kind of request brings at most.
        hazard_turns: turns at most that say what could hurt somebody, where that may matter.
        hazard_told: share of a sentence's words from which on its memories say what could hurt in it.
        also_items: memories at most that come, for silent use, to any request for advice or for something to be done.
        also_importance: what a memory's importance counts in their order, beside its cosine.
        recent_days: how far back what happened lately reaches.
        close, near: cosine from which on a turn, or a memory, that shares no word with the request has to do with it.
        told: share of a memory's words from which on a sentence says the same.
        boundary_near: cosine from which on a request is near what is not to be brought up, so that the block names it
            although the user does not; -1 = every block names every boundary.
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
    quotes: int
    foremost: float
    summaries: int
    kind_similarity: float
    kind_share_of_best: float
    kind_beside: float
    kind_items: int
    whole_items: int
    hazard_turns: int
    hazard_told: float
    also_items: int
    also_importance: float
    recent_days: int
    kind_turns: int
    close: float
    near: float
    told: float
    boundary_near: float


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
class FeedbackPolicy:
    q_start: float
    helpful_rate: float
    unhelpful_drop: float


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
class IsolationPolicy:
    """How much the daily probe for foreign rows reads (KN-26).

    Attributes:
        days: the last ones on which anybody wrote: whose users are probed.
        users: of these, each day others.
        texts: of each layer: of somebody else, and of what lies outside a bound, that each of them reads with.
    """

    days: int
    users: int
    texts: int


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
