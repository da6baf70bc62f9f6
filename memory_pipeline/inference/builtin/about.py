"""Whom a sentence is about, as memories are worded: the user, who is left out, or somebody whom it names first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.wording.agreement import Tense, table, tense, verb_at

USER = "user"
_FARTHEST = 6  # words before the verb
_FIRST_PERSON = lazy(r"(?:^|\s)(?:I|I['’]\w+|[Mm]y|[Ww]e|[Oo]ur)(?=\s)")
_STRONG = frozenset(table("present")) | frozenset(table("past"))


@dataclass(frozen=True, slots=True)
class Sentence:
    """A memory's sentence, taken apart.

    Attributes:
        who: its subject as it is named ("Rui", "their sister"); "" for the user, and where it is not known.
        text: the predicate where the subject is the user or known, else the whole sentence; no final stop.
        whole: the text is a whole sentence, its subject unknown ("Decided: pgbouncer in transaction mode").
    """

    who: str
    text: str
    whole: bool = False

    @property
    def of_user(self) -> bool:
        return not self.who and not self.whole


def of_the_user(text: str, subject: str | None = None) -> bool:
    """Whether a sentence speaks of the user, its subject left out.

    Args:
        subject: whom its memory is about, where that is known.
    """
    if subject is not None and subject != USER:
        return False
    words = text.rstrip(".").split()
    at = verb_at(words)
    if at is None or any(word.endswith(":") for word in words[: at + 1]):
        return False
    if subject == USER or words[at].lower() in _STRONG or tense(words[at]) is Tense.PAST:
        return True
    # "Kids are tall", "Keys get a lifetime": what looks like a verb is a noun where a verb follows it.
    following = words[at + 1].lower() if at + 1 < len(words) else ""
    return following not in _STRONG and words[at].lower().rstrip("s") not in table("relation")


def sentence(memory: Mapping[str, Any]) -> Sentence:
    """A listed memory's sentence by whom it is about."""
    text, subject = memory["content"].strip().rstrip(". "), memory.get("subject")
    words = text.split()
    announced = len(words) > 1 and words[0].endswith(":") and tense(words[0].rstrip(":")) is Tense.PAST
    if of_the_user(text, subject) or announced:  # "Decided: …" is what the user decided
        return Sentence("", lowered(text))
    if _FIRST_PERSON.search(text) and ":" not in text:
        return Sentence("", f'noted: "{text}"')
    if subject or _relation_at(words[:2]) is not None:
        for n in range(1, min(len(words), _FARTHEST)):
            if _verb(words, n):
                return Sentence(_named(words[:n]), " ".join(words[n:]))
    return Sentence("", text, whole=True)


def _verb(words: list[str], n: int) -> bool:
    """Whether the subject has ended there: a verb, or adverbs before one."""
    return verb_at(words[n:]) is not None and not words[n][:1].isupper()


def _relation_at(words: list[str]) -> int | None:
    return next((n for n, word in enumerate(words) if _singular(word) in table("relation")), None)


def _singular(word: str) -> str:
    low = word.lower()
    return low if low in table("relation") else low.removesuffix("s")


def _named(words: list[str]) -> str:
    """ "Late husband" → "their late husband"; names, and what names its owner already, stay as they are."""
    at = _relation_at(words)
    owned = words[0].lower() in {"the", "a", "an", "their", "his", "her", "one"}
    if owned:
        return " ".join([lowered(words[0]), *words[1:]])
    if at is None or any(re.search(r"['’]s?$", w) for w in words[:at]):
        return " ".join(words)
    return " ".join(["their", lowered(words[0]), *words[1:]])


def lowered(text: str) -> str:
    """Without the capital of a sentence's first word; acronyms keep theirs."""
    return text if text[:2].isupper() and text[1:2].isalpha() else text[:1].lower() + text[1:]
