"""What several memories show together: themes that come back on different days, and clusters put into one sentence.

Counted, never concluded: an insight names its theme, on how many days it came up, and what was said (KN-23).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from memory_pipeline.domain.text import joined, words
from memory_pipeline.inference.builtin.lexicon import listed, wordset
from memory_pipeline.inference.builtin.likeness import likeness
from memory_pipeline.inference.builtin.verbs import FORMS, gerund
from memory_pipeline.inference.replies import Insight, PatternReply, PeriodInsights, ReflectReply

_Memory = Mapping[str, Any]
_MIN_DAYS = 2
_SHOWN = 3  # contents quoted in an insight or a pattern
_ROOM = 420  # characters of them in a pattern; a memory may have 600
_SHARED = 4  # words named that a cluster shares
_QUESTION = "What does the user keep coming back to?"
_SAME_MEMBERS = 0.6  # overlap of evidence from which two themes are one
_COMMON = wordset(
    """
    new good great bad day week month year time thing way lot today people person first last next long old big
    small much make take go get start use assistant want answer own able part different
    call name work live like love prefer plan find decide switch think say tell know keep need move be have do
    """
)
_UNITED = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?) ?(x|%|ms|s|min|minutes|h|hours|days|weeks|points|kg|lb|km|usd|eur|€|\$)(?!\w)", re.I
)
_COUNTS = listed(
    """
        no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty
        """
)
_PLURAL = {
    "episodic_event": "events", "finding": "findings", "correction": "corrections", "decision": "decisions",
    "estimate": "estimates", "preference": "preferences", "profile_fact": "facts", "open_loop": "plans",
    "ephemeral": "states",
}  # fmt: skip


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
    chosen: list[tuple[str, list[_Memory]]] = []
    for theme, members in _groups(memories, inputs["min_evidence"]):
        ids = {m["id"] for m in members}
        if ids & new and all(_overlap(ids, {m["id"] for m in other}) < _SAME_MEMBERS for _, other in chosen):
            chosen.append((theme, members))
    return [_insight(theme, members) for theme, members in chosen[: inputs["max_insights"]]]


def _groups(memories: Sequence[_Memory], least: int) -> list[tuple[str, list[_Memory]]]:
    """Themes with enough memories on enough days: by how often they came up, then by weight and name."""
    by_theme: dict[str, list[_Memory]] = defaultdict(list)
    for memory in memories:
        if memory["type"] in {"boundary", "protocol", "reflection", "pattern"}:
            continue
        for theme in _themes(memory["content"]):
            by_theme[theme].append(memory)
    found = [
        (theme, members)
        for theme, members in by_theme.items()
        if len(members) >= least and len({m["day"] for m in members}) >= _MIN_DAYS
    ]
    return sorted(found, key=lambda g: (-len({m["day"] for m in g[1]}), -len(g[1]), -_importance(g[1]), g[0]))


def _themes(content: str) -> set[str]:
    parts = likeness(content)
    return {t for t in parts.stems | parts.names if t not in _COMMON and len(t) > 2 and not t.isdigit()}


def _things(content: str) -> set[str]:
    """Themes that are no verbs."""
    return _themes(content) & (likeness(content).objects | likeness(content).names)


def _insight(theme: str, members: list[_Memory]) -> Insight:
    ordered = sorted(members, key=lambda m: str(m["day"]))  # and as listed: ids differ between one week's call and many
    days = len({m["day"] for m in ordered})
    shown = dict.fromkeys(m["content"].rstrip(". ") for m in ordered)
    said = "; ".join(_lower(text) for text in list(shown)[:_SHOWN])
    if all(m["type"] == "ephemeral" for m in ordered):
        content = f"Has been {_surface(theme, ordered)} on {_count(days)} days: {said}."
    else:
        content = f"Has come back to {_surface(theme, ordered)} on {_count(days)} days: {said}."
    return Insight(
        question=_QUESTION,
        content=content,
        evidence=[m["id"] for m in ordered],
        importance=round(min(_importance(ordered) + 0.05, 0.9), 2),
        confidence=round(min(0.4 + 0.1 * days, 0.8), 2),
    )


def pattern(inputs: Mapping[str, Any]) -> PatternReply:
    """One sentence for a cluster: how many its members are, the words that most share, and some of them as they stand.

    Counted and quoted, never concluded: whoever reads it sees that no model has understood the members.
    """
    members: Sequence[_Memory] = inputs["members"]
    counts = Counter(t for m in members for t in _themes(m["content"]))
    shared = [t for t, n in sorted(counts.items(), key=lambda c: (-c[1], c[0])) if 2 * n > len(members)][:_SHARED]
    kinds = {m["type"] for m in members}
    kind = _PLURAL.get(next(iter(kinds)), "memories") if len(kinds) == 1 else "memories"
    about = joined(f"“{_surface(t, members)}”" for t in shared) or "a theme"
    quoted = _quoted(sorted(members, key=lambda m: (-len(_themes(m["content"]) & set(shared)), -m["importance"])))
    lead = (
        f"{_count(len(members)).capitalize()} {kind} have {about} in common{_ranges([m['content'] for m in members])}"
    )
    content = f"{lead}{':' if len(quoted) == len(members) else ', such as:'} {'; '.join(quoted)}."
    return PatternReply(content=content, importance=round(min(max(m["importance"] for m in members) + 0.05, 1.0), 2))


def _quoted(members: Sequence[_Memory]) -> list[str]:
    """The first members' contents, as many as a memory's text has room for, each once."""
    found: list[str] = []
    for text in dict.fromkeys(_lower(m["content"].rstrip(". ")) for m in members):
        if found and (len(found) == _SHOWN or sum(map(len, found)) + len(text) > _ROOM):
            break
        found.append(text)
    return found


def _ranges(contents: Sequence[str]) -> str:
    """ ", from 1.5x to 2.8x": figures of one unit, where every member names one; else they may measure other things."""
    by_unit: dict[str, dict[float, str]] = defaultdict(dict)
    naming: Counter[str] = Counter()
    for content in contents:
        told = _UNITED.findall(content)
        naming.update({unit.lower() for _, unit in told})
        for figure, unit in told:
            by_unit[unit.lower()][float(figure)] = f"{figure}{'' if unit in {'x', '%'} else ' '}{unit}"
    shared = [v for unit, v in sorted(by_unit.items()) if len(v) > 1 and naming[unit] == len(contents)]
    told_ranges = joined(f"from {v[min(v)]} to {v[max(v)]}" for v in shared)
    return f", {told_ranges}" if told_ranges else ""


def _surface(theme: str, members: Sequence[_Memory]) -> str:
    """The word that the members use for a theme, the most frequent one."""
    if theme in FORMS:
        return gerund(theme)
    forms: Counter[str] = Counter()
    for member in members:
        for raw in re.findall(r"[^\W\d_][\w'’&-]*", member["content"]):
            if theme in _themes(raw.lower()) or raw.lower() == theme:
                forms[raw if raw[:1].isupper() and not member["content"].startswith(raw) else raw.lower()] += 1
    return min(forms, key=lambda w: (-forms[w], w)) if forms else theme


def _count(number: int) -> str:
    """A count in words, which names no figure that the members do not."""
    return _COUNTS[number] if number < len(_COUNTS) else "many"


def _importance(members: Sequence[_Memory]) -> float:
    return float(sum(m["importance"] for m in members)) / len(members)


def _overlap(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0


def _lower(text: str) -> str:
    first = words(text.split(" ", 1)[0])
    return text if not first or text[:2].isupper() else text[:1].lower() + text[1:]
