"""What several memories show together: what recurs, when, and what changed with it (KN-23).

Counted, never concluded: without a regularity or a change there is no insight, however often something came up.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import joined, negations
from memory_pipeline.inference.builtin.about import sentence
from memory_pipeline.inference.builtin.summaries.recurrence import (
    MIN_DAYS,
    day_of,
    days_of,
    ending,
    rule,
    span,
    together,
    trend,
)
from memory_pipeline.inference.builtin.summaries.telling import capital
from memory_pipeline.inference.builtin.summaries.themes import MONTHS, count, stem, stems
from memory_pipeline.inference.replies import Insight, PeriodInsights, ReflectReply
from memory_pipeline.language.tables import read
from memory_pipeline.language.wording.agreement import base, gerund, in_the_past, tense

_WORK = frozenset({"decision", "finding", "correction", "estimate"})
_HAPPENING = frozenset({"episodic_event", "ephemeral"})
_BY_CHANCE = 5  # days from which unlike memories keep a rule by more than chance
_QUESTION = "What recurs, when, and what changed with it?"
_SHOWN = 3  # times told of a theme whose times differ
_SKELETON = 3  # words that sentences share around the place in which they differ
_GAP = 2  # words at that place
_SAME_MEMBERS = 0.6  # overlap of evidence from which two insights are one
_LONGEST = 420  # characters
_SILENT = frozenset({"boundary", "protocol", "reflection", "pattern"})
_STATES = frozenset({"mood", "health", "sleep", "pain"})
_DATE = lazy(r",? (?:on|at) \d[\w: ]*?(?:\d{4}(?: at \d{1,2}:\d{2})?|(?=[,;.]|$))")
_Memory = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Insight:
    """An insight before it is chosen: what it says, the memories behind it, and how strongly they bear it."""

    content: str
    members: tuple[_Memory, ...]

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(m["id"] for m in self.members)

    @property
    def rank(self) -> tuple[int, int, float, str]:
        return -len(days_of(self.members)), -len(self.members), -_importance(self.members), self.content


def reflect(inputs: Mapping[str, Any]) -> ReflectReply:
    """Insights over the memories of each period, the strongest first (see ``ChatRequest`` task ``reflect``)."""
    place = {m["id"]: n for n, m in enumerate(inputs["memories"])}
    found = []
    for asked in inputs["periods"]:
        own = [m for a, b in asked["memories"] for m in inputs["memories"][place[a] : place[b] + 1]]
        new = {m["id"] for a, b in asked["new"] for m in inputs["memories"][place[a] : place[b] + 1]}
        found.append(PeriodInsights(asked["period"], _insights(own, new, inputs)))
    return ReflectReply(found)


def _insights(memories: Sequence[_Memory], new: set[str], inputs: Mapping[str, Any]) -> list[Insight]:
    spoken = [m for m in memories if m["type"] not in _SILENT]
    themes = {t: ms for t, ms in _themes(spoken).items() if len(ms) >= inputs["min_evidence"]}
    found = [f for theme, members in themes.items() if (f := _recurring(theme, members, spoken)) is not None]
    found += _beside(themes, spoken)
    chosen: list[_Insight] = []
    for one in sorted(found, key=lambda f: f.rank):
        enough = len(one.members) >= inputs["min_evidence"] and one.ids & new
        if enough and all(len(one.ids & c.ids) < _SAME_MEMBERS * len(one.ids | c.ids) for c in chosen):
            chosen.append(one)
    return [_insight(one) for one in chosen[: inputs["max_insights"]]]


def _themes(memories: Sequence[_Memory]) -> dict[str, list[_Memory]]:
    """Memories by the words that come back on enough days."""
    found: dict[str, list[_Memory]] = defaultdict(list)
    for memory in memories:
        for theme in sorted(stems(memory["content"]) - _common()):
            if len(theme) > 2 and not theme[:1].isdigit():
                found[theme].append(memory)
    return {t: ms for t, ms in sorted(found.items()) if len(days_of(ms)) >= MIN_DAYS}


@cache
def _common() -> frozenset[str]:
    return frozenset(stem(word) for word in (*read("summaries")["words"]["common"].split(), *map(str.lower, MONTHS)))


def _recurring(theme: str, members: Sequence[_Memory], everything: Sequence[_Memory]) -> _Insight | None:
    """What a theme's times have in common, or what changed over them; None where there is neither."""
    over = ending(members)
    measured, points = trend(members)
    kept = rule(over[0] if over else members, everything)
    if kept is not None and _comparable(kept.members):
        when = f"On {_count(kept.days, len(kept.members))} {kept.name}"
        told = f"{when} {_times(theme, kept.members)}"
        if kept.days < _BY_CHANCE and not _one_kind(kept.members):
            return None
        return _with_change(told, kept.members, over[1] if over else None)
    if over is not None and _comparable(over[0]):
        when = f"On {_count(len(days_of(over[0])), len(over[0]))} days"
        return _with_change(f"{when} {_times(theme, over[0])}", tuple(over[0]), over[1])
    if measured:
        return _Insight(f"{capital(_surface(theme, points))} went {joined(measured)} {span(points)}.", tuple(points))
    return None


def _comparable(members: Sequence[_Memory]) -> bool:
    """Whether memories can be told as one thing that comes back: one sentence is true of all, or all are things that
    happened; facts that share a word are as many facts."""
    return bool(_said_of_all(members)) or all(m["type"] in _HAPPENING for m in members)


def _one_kind(members: Sequence[_Memory]) -> bool:
    """Whether memories tell of one thing that comes back: the same sentence, or events, states, tastes alike; what
    work brings shares its words by chance."""
    kinds = {m["type"] for m in members}
    return bool(_said_of_all(members)) or (len(kinds) == 1 and not kinds & _WORK)


def _with_change(told: str, members: tuple[_Memory, ...], last: _Memory | None) -> _Insight | None:
    if last is None:
        return _Insight(f"{told}.", members)
    return _Insight(f"{told}; since then: {_said(last)}.", (*members, last))


def _beside(themes: Mapping[str, Sequence[_Memory]], everything: Sequence[_Memory]) -> list[_Insight]:
    """States that come with something else: "On three days on which standup came up, was tired"."""
    every = days_of(everything)
    found = []
    for (theme, members), (other, beside) in product(themes.items(), themes.items()):
        if not all(m["type"] == "ephemeral" or m.get("attribute") in _STATES for m in members):
            continue
        if {m["id"] for m in members} & {m["id"] for m in beside}:
            continue
        days = together(days_of(members), days_of(beside), every)
        if days:
            shown = [m for m in members if day_of(m) in days_of(beside)]
            rest = [m for m in beside if day_of(m) in days_of(shown)]
            when = f"On {_count(days, len(shown) + len(rest))} days on which {_surface(other, rest)} came up"
            found.append(_Insight(f"{when}, {_times(theme, shown)}.", (*shown, *rest)))
    return found


def _times(theme: str, members: Sequence[_Memory]) -> str:
    """What happened at a theme's times: one sentence in the past where it is true of all, else some of them."""
    common = _said_of_all(members)
    if common:
        return common
    told: list[str] = []
    for text in dict.fromkeys(_said(m) for m in sorted(members, key=day_of)):
        if told and (len(told) == _SHOWN or sum(map(len, told)) + len(text) > _LONGEST):
            break
        told.append(text)
    return f"came back to {_surface(theme, members)}: {'; '.join(told)}"


def _said_of_all(members: Sequence[_Memory]) -> str:
    """The sentence that each of them says, or says with more; or one that differs in a single place, with all that
    stands there: "felt sick, anxious and tense before the meeting"; "" where they say different things."""
    said = [sentence(m) for m in members]
    if len({s.who for s in said}) > 1 or len({negations(s.text) for s in said}) > 1:
        return ""
    texts = [_DATE.sub("", s.text) for s in said]
    least = min(texts, key=lambda text: (len(stems(text)), len(text), text))
    common = least if all(stems(least) <= stems(text) for text in texts) else _with_gap(texts)
    return f"{said[0].who} {in_the_past(common)}".strip() if common else ""


def _with_gap(texts: Sequence[str]) -> str:
    """Sentences that are the same but for one place, as one that lists what stands there; "" for others."""
    words = [text.split() for text in texts]
    most = min(map(len, words))
    start = next((n for n in range(most) if len({w[n] for w in words}) > 1), most)
    end = next((n for n in range(most - start) if len({w[-1 - n] for w in words}) > 1), most - start)
    gaps = [w[start : len(w) - end] for w in words]
    if not start or start + end < _SKELETON or not all(0 < len(gap) <= _GAP for gap in gaps):
        return ""
    return " ".join(
        [*words[0][:start], joined(dict.fromkeys(" ".join(g) for g in gaps)), *words[0][len(words[0]) - end :]]
    )


def _said(memory: _Memory) -> str:
    said = sentence(memory)
    return f"{said.who} {said.text}".strip()


def _surface(theme: str, members: Sequence[_Memory]) -> str:
    """The word that memories use for a theme, the most frequent one; a verb as a noun."""
    forms: Counter[str] = Counter()
    for member in members:
        words = re.findall(r"[^\W\d_][\w'’&-]*", member["content"])
        for n, raw in enumerate(words):
            low = raw.lower().removesuffix("'s").removesuffix("’s")
            if stem(low) == theme:
                verb = n == 0 and tense(low) is not None
                forms[gerund(base(low)) if verb else raw if n and raw[:1].isupper() else low] += 1
    return min(forms, key=lambda w: (-forms[w], w)) if forms else theme


def _insight(found: _Insight) -> Insight:
    members = sorted(found.members, key=lambda m: str(m["day"]))  # and as listed: ids differ from one call to another
    return Insight(
        question=_QUESTION,
        content=found.content,
        evidence=list(dict.fromkeys(m["id"] for m in members)),
        importance=round(min(_importance(members) + 0.05, 0.9), 2),
        confidence=round(min(0.4 + 0.1 * len(days_of(members)), 0.8), 2),
    )


def _count(number: int, members: int) -> str:
    """A count in words, which names no figure that does not follow from the members."""
    return count(number, "several") if number <= members else "several"


def _importance(members: Iterable[_Memory]) -> float:
    weights = [float(m["importance"]) for m in members]
    return sum(weights) / len(weights)
