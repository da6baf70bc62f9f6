"""Shapes of the thresholds by which messages become memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class WindowPolicy:
    """How messages are cut and asked about.

    Attributes:
        pack_tokens: estimated tokens of the windows that are asked about in one call; one window alone may take more.
        reply_tokens: the most that a reply may have; fewer where the model is known to write fewer.
        reply_share: tokens of reply to be expected for each of the windows, until a model's replies have been seen.
        max_proposals_per_message: proposals that may rest on one message.
        retry_calls: further calls, in a run, for the windows of a pack whose joint reply did not fit.
    """

    max_messages: int
    max_tokens: int
    pause_minutes: int
    context_messages: int
    pack_tokens: int
    reply_tokens: int
    reply_share: float
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
        telling_words: words that say something of their own that count as much as a keyword.
        min_words: fewer words, and the length counts nothing.
        max_words, long_share: more words, and it counts this share.
    """

    length: float
    keywords: float
    reason: float
    concrete: float
    telling_words: int
    min_words: int
    max_words: int
    long_share: float


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """Thresholds of the gate's rules.

    Attributes:
        min_specific_words: words that say something, for a statement to be worth storing (KN-34).
        grounding_overlap: share of a quote's words that stand in the cited message in a row.
        min_known_names: share of the names, numbers and dates that somebody said.
        min_known_words, min_judged_words: share of the other content words that somebody said, and how many there
            must be for the share to tell anything.
        min_followed_words: share of the words that say something which follow from the quote.
        min_same_claim: share of a claim's words that stand in a clause of the quote, for the two to be held against
            each other.
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
    min_followed_words: float
    min_same_claim: float
    echo_overlap: float
    copied_words: int
    max_blob: int
    quality: QualityPolicy
    sensitive: Mapping[SensitiveClass, Handling]


@dataclass(frozen=True, slots=True)
class SimilarityPolicy:
    """Cosines from which on two texts count as alike: they are measured with one encoder, see CalibrationPolicy."""

    duplicate: float
    auto_merge: float
    merge: float
    judge: float
    link: float
    answer: float
    same_words: float


@dataclass(frozen=True, slots=True)
class CalibrationPolicy:
    """With which encoders likeness was measured: another one's cosines mean something else.

    Attributes:
        encoder: name of the one that ``similarity`` was measured with.
        others: the same figures by name of another encoder.
    """

    encoder: str
    others: Mapping[str, SimilarityPolicy]


@dataclass(frozen=True, slots=True)
class ConsolidationPolicy:
    candidates: int
    max_links: int
    merge_importance: float
    reinforce_importance: float
    reinforce_confidence: float
    outcome_importance: float
    max_retired_share: float
    max_aged_share: float
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
class DerivedPolicy:
    """When a sentence of a summary, a reflection or a pattern follows from what it rests on.

    Attributes:
        min_known_words, min_judged_words: share of its words, names and numbers aside, that stand there, and how many
            there must be for the share to tell anything.
        min_same_claim: share of a claim's words in a clause that was told, for the two to be held against each other.
        min_sound: share of a text's sentences that must stand for the rest to be told without the others.
    """

    min_known_words: float
    min_judged_words: int
    min_same_claim: float
    min_sound: float


@dataclass(frozen=True, slots=True)
class CurationPolicy:
    """Figures of a memory that the user wrote by hand, where the rules read none out of it."""

    confidence: float
    salience: float
    importance: float
