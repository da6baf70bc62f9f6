"""Putting what is to be told into sentences: like predicates share a verb, the user is named once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import joined
from memory_pipeline.inference.builtin.summaries.gathering import SummaryPoint
from memory_pipeline.language.wording.agreement import Tense, plural, tense

_RUN = 3  # predicates in a sentence
_LONG = 90  # characters from which a predicate is a sentence by itself
_ARTICLES = frozenset({"a", "an", "the", "their", "one", "two", "three", "no", "many", "some"})


def sentences(told: Sequence[SummaryPoint], subject: str = "the user", follow: str = "they") -> list[str]:
    """What is told, as sentences: of the user under a shared subject, then of others, then what stands by itself.

    Args:
        subject: who the user is in the first sentence of theirs; "" = left out.
        follow: the same in the next ones, a plural; "" = left out.
    """
    own = [t.said.text for t in told if t.said.of_user and not t.quoted]
    others = [f"{t.said.who} {t.said.text}" for t in told if t.said.who and not t.quoted]
    whole = [t.said.text for t in told if t.said.whole and not t.quoted]
    found: list[str] = []
    who = subject
    for run in _runs(merged(own)):
        who = "the user" if who == "they" and not agrees(run) else who
        parts = [plural(part) if who == "they" else part for part in run]
        found.append(f"{who} {_listed(parts)}".strip())
        who = follow
    if not own and subject:
        others = [re.sub(r"^their ", "the user's ", others[0]), *others[1:]] if others else []
    found += [_listed(run) for run in _runs(others)]
    return [ended(capital(text)) for text in (*found, *whole)]


def agrees(predicates: Sequence[str]) -> bool:
    """Whether the first verb of each is its only one in the third person, so that "they" may stand before it."""
    verbs = lazy(r"\b(?:and|or|but|then) (?:(?:is|has|does|was|now|always|never|no longer) )?(\w+)", re.I)
    return not any(
        tense(word) is Tense.PRESENT and not word[:1].isupper() for p in predicates for word in verbs.findall(p)
    )


def merged(predicates: Sequence[str]) -> list[str]:
    """Predicates with one verb as one: "is vegan", "is allergic to nuts" → "is vegan and allergic to nuts"."""
    found: list[list[str]] = []
    for text in predicates:
        group = next((g for g in found if _joins(g[-1], text) and len(g) < _RUN), None)
        if group is None:
            found.append([text])
        else:
            group.append(text)
    return [_sharing(group) for group in found]


def _joins(one: str, other: str) -> bool:
    """Whether two predicates may share their verb: it is the same one, and what follows is of one kind."""
    a, b = one.split(), other.split()
    if len(a) < 2 or len(b) < 2 or a[0] != b[0] or max(len(one), len(other)) > _LONG:
        return False
    if re.search(r"[,;:(]", one + other) or tense(a[0]) is None:
        return False
    return _kind(a) == _kind(b) != "other"


def _kind(words: Sequence[str]) -> str:
    following = words[1].lower()
    if words[0] in {"is", "was", "has", "does", "can", "cannot"}:
        if words[0] == "has":
            return "thing" if following in _ARTICLES else "other"
        if words[0] in {"is", "was"} and following not in {"no", "not", "now", "called"} | _ARTICLES:
            return "doing" if following.endswith("ing") else "other" if following.endswith("ed") else "quality"
        return "other"
    if following == "to":
        return "plan"
    return "other" if following in {"the", "no", "not"} and words[0] in {"settled"} else "object"


def _sharing(group: Sequence[str]) -> str:
    if len(group) == 1:
        return group[0]
    verb = group[0].split()[0]
    return f"{verb} {joined([text.split(' ', 1)[1] for text in group])}"


def _runs(parts: Sequence[str]) -> list[list[str]]:
    """So many as make a sentence; what is long or has commas of its own is one."""
    runs: list[list[str]] = []
    for part in parts:
        alone = len(part) > _LONG or "," in part or ";" in part
        if not runs or alone or len(runs[-1]) == _RUN or "," in runs[-1][-1] or len(runs[-1][-1]) > _LONG:
            runs.append([part])
        else:
            runs[-1].append(part)
    return runs


def _listed(parts: Sequence[str]) -> str:
    if len(parts) > 1 and any(" and " in part for part in parts):
        return ", ".join(parts[:-1]) + ", and " + parts[-1]
    return joined(parts)


def under(told: Sequence[SummaryPoint], order: Sequence[str]) -> list[tuple[str, list[SummaryPoint]]]:
    """What is told, by heading, in the order of the headings; under each what changed first stays first."""
    ranked = sorted(told, key=lambda t: order.index(t.heading) if t.heading in order else len(order))
    return [(name, list(group)) for name, group in groupby(ranked, key=lambda t: t.heading)]


def capital(text: str) -> str:
    """With a capital at its beginning."""
    return text[:1].upper() + text[1:]


def ended(text: str) -> str:
    """With a final stop."""
    return text if text.endswith((".", "!", "?", "…", '."', '!"', '?"')) else text + "."
