"""Derived text over a day, a week, a month or a session, with the ids it was derived from (DL-29, NM-8)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.domain.calendar import SummaryGrain as SummaryGrain
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.message import Role
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.policy import SummaryPolicy
from memory_pipeline.domain.reading.topics import Topic, speaks
from memory_pipeline.domain.scope import Classification, Scope
from memory_pipeline.domain.tables import wordset
from memory_pipeline.domain.text import content_words, estimate_tokens, truncate

_SENTENCE_END = lazy(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？]+[」』”]*")
_ASKING = frozenset({"want", "bring", "brought", "mention", "mentioned", "talk", "discuss", "raise", "raised"})


@dataclass(frozen=True, slots=True)
class Refusal:
    """A sentence that a text was to have and does not follow from what it rests on.

    Attributes:
        code: of the rule that it breaks, as a verdict names it (``domain.reasons``).
        text: the sentence, masked as the store would hold it.
    """

    code: str
    detail: str
    text: str


@dataclass(frozen=True, slots=True)
class Summary:
    """One user's day, week, month or session in prose.

    Attributes:
        start: first local day of the period; of a session, the local day of its last message. The partition.
        message_ids, memory_ids: the evidence, in order. A period that rests on the same evidence as a finer one has its
            text and its ids.
        input_hash: digest of the evidence's content; a different one means the summary is stale.
        observed_at: time of the last message it covers, UTC.
        session_id: of a session's summary; None for periods.
        classification: the strictest class of what it tells; None, of what an older release made, counts as the
            strictest there is.
        domains, agent_ids: every one that what it tells belongs to; None where an older release has not noted them.
        refused: what the model wrote and the text does not say, because it does not follow from the evidence.
    """

    summary_id: str
    tenant_id: str
    user_id: str
    grain: SummaryGrain
    start: date
    text: str
    message_ids: tuple[str, ...]
    memory_ids: tuple[str, ...]
    input_hash: str
    observed_at: datetime
    prompt_hash: str
    model: str
    run_id: str
    recorded_at: datetime
    session_id: str | None = None
    classification: Classification | None = None
    domains: tuple[str, ...] | None = None
    agent_ids: tuple[str, ...] | None = None
    refused: tuple[Refusal, ...] = ()

    @property
    def label(self) -> str:
        """``2026-03-09``, ``2026-W11``, ``2026-03`` or the session's id."""
        return self.session_id if self.session_id is not None else Period(Grain(self.grain), self.start).label


def summary_id(scope: Scope, grain: str, start: date, domain: str | None = None) -> str:
    """Id of a period's summary.

    Args:
        domain: where the user's domains have one each: which; empty for what belongs to none. None = it tells all.
    """
    parts = () if domain is None else (f"in {domain}",)
    return identifier("sum", scope.tenant_id, scope.user_id, grain, start.isoformat(), *parts)


def is_over(period: Period, now: datetime) -> bool:
    """Whether a period has ended by a time, in UTC; what western users still add to it comes as late messages."""
    return now.date() >= period.end


def covered(roles: Sequence[Role], changes: Sequence[tuple[int, int]], policy: SummaryPolicy, *, ended: bool) -> int:
    """How many of a session's messages its rolling summary should tell of; 0 when none is due.

    It is refreshed after so many user turns (RX-23), after so many accepted proposals (NM-23), and when the session
    has ended; of several such points the last one counts (NM-24). A session that a prompt shows whole needs none
    (LS-25).

    Args:
        roles: of the session's messages, in order.
        changes: what was accepted from each of them: facts added, facts changed.
        ended: whether another session or a pause has followed.
    """
    if len(roles) <= policy.session_shown_turns:
        return 0
    point = turns = added = updated = 0
    for n, (role, (new, changed)) in enumerate(zip(roles, changes, strict=True), 1):
        turns += role is Role.USER
        added += new
        updated += changed
        if turns >= policy.rolling_user_turns or added >= policy.session_added or updated >= policy.session_updated:
            point, turns, added, updated = n, 0, 0, 0
    return len(roles) if ended else point


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text in order, with the space that follows each; "Mr." and "13. April" end none."""
    start = 0
    for found in _SENTENCE_END.finditer(text):
        if _goes_on(text, start, found):
            continue
        yield text[start : found.end()]
        start = found.end()
    if text[start:].strip():
        yield text[start:]


def _goes_on(text: str, start: int, end: re.Match[str]) -> bool:
    """Whether a full stop belongs to the word before it."""
    if end.group() != ".":
        return False
    word = text[start : end.start()].rsplit(maxsplit=1)[-1:] or [""]
    if word[0].strip("(\"'“„").casefold() in wordset("languages", "abbreviations"):
        return True
    following = text[end.end() :].split(maxsplit=1)[:1]
    return (
        word[0].isdigit()
        and len(word[0]) <= 2
        and bool(following)
        and following[0].strip(",.;:)").casefold() in _months()
    )


@cache
def _months() -> frozenset[str]:
    """The months as they are written, with and without accents."""
    return wordset("languages", "months") | {"märz", "février", "août", "décembre", "jänner"}


def fitted(text: str, tokens: int) -> str:
    """The text, or as many of its first sentences as so many estimated tokens hold; one too long is cut at a word."""
    text = text.strip()
    if estimate_tokens(text) <= tokens:
        return text
    kept = ""
    for sentence in sentences(text):
        if estimate_tokens((kept + sentence).strip()) > tokens:
            break
        kept += sentence
    return kept.strip() or truncate(text, tokens)


def unspeaking(text: str, closed: Sequence[Topic]) -> str:
    """The text without the sentences that speak of a closed topic."""
    if not any(speaks(topic, text) for topic in closed):
        return text
    return "".join(s for s in sentences(text) if not any(speaks(topic, s) for topic in closed)).strip()


def silenced(text: str, unspoken: Sequence[str]) -> str:
    """The text without the sentences that hold half or more of the content words of something left unspoken (DL-23).

    Args:
        unspoken: what the user wants forgotten or not brought up, as it is remembered.
    """
    from memory_pipeline.domain.gate.texts.language import grammar  # a read needs none of the gate

    aside = _ASKING | grammar()
    hidden = [words for thing in unspoken if (words := content_words(thing) - aside)]
    if not hidden:
        return text
    kept = [s for s in sentences(text) if not any(2 * len(content_words(s) & words) >= len(words) for words in hidden)]
    return "".join(kept).strip()
