"""A cluster of memories in one sentence: what they share, and each of them, or as many as there is room for (LS-22).

Counted and retold, never concluded: whoever reads it sees that no model has understood the members.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import STOPWORDS, joined
from memory_pipeline.inference.builtin.about import Sentence, lowered, sentence
from memory_pipeline.inference.builtin.summaries.telling import capital
from memory_pipeline.inference.builtin.summaries.themes import count, stem, stems
from memory_pipeline.inference.replies import PatternReply
from memory_pipeline.language.wording.agreement import gerund

_SHOWN = 3  # members retold beside what they share
_LISTED = 6  # members listed under one verb
_ROOM = 420  # characters of members; a memory may have 600
_SHARED = 3  # words named that a cluster shares
_LONGEST = 4  # words of a phrase that a cluster shares
_UNITED = lazy(
    r"(?<![\w.])(\d+(?:\.\d+)?) ?(x|%|ms|s|min|minutes|h|hours|days|weeks|points|kg|lb|km|usd|eur|€|\$)(?!\w)", re.I
)
_PLURAL = {
    "episodic_event": "events", "finding": "findings", "correction": "lessons", "decision": "decisions",
    "estimate": "estimates", "preference": "preferences", "profile_fact": "facts", "open_loop": "plans",
    "ephemeral": "states",
}  # fmt: skip
_Memory = Mapping[str, Any]


def pattern(inputs: Mapping[str, Any]) -> PatternReply:
    """One sentence for a cluster, at least as important as its most important member (see task ``pattern``)."""
    members: Sequence[_Memory] = inputs["members"]
    content = _under_one_verb(members) or _about_one_thing(members)
    return PatternReply(content=content, importance=round(min(max(m["importance"] for m in members) + 0.05, 1.0), 2))


def _under_one_verb(members: Sequence[_Memory]) -> str:
    """ "Ran a 10k in Berlin, 8 km with Max and along the Elbe."; "" where the user did not do the same each time."""
    said = [sentence(m) for m in members]
    first = {s.text.split()[0] for s in said}
    rests = list(dict.fromkeys(_rest(s) for s in said))
    plain = all(s.of_user and rest and "," not in rest for s, rest in zip(said, map(_rest, said), strict=True))
    if not plain or len(first) != 1 or len(rests) > _LISTED or sum(map(len, rests)) > _ROOM:
        return ""
    return f"{capital(first.pop())} {joined(rests)}."


def _rest(said: Sentence) -> str:
    return said.text.partition(" ")[2]


def _about_one_thing(members: Sequence[_Memory]) -> str:
    kinds = {m["type"] for m in members}
    kind = _PLURAL.get(next(iter(kinds)), "memories") if len(kinds) == 1 else "memories"
    contents = [m["content"].rstrip(". ") for m in members]
    shared = _shared_stems(contents)
    ranked = sorted(members, key=lambda m: (-len(stems(m["content"]) & set(shared)), -m["importance"]))
    shown = _retold(ranked)
    about = _phrase(contents) or joined(f"“{_surface(theme, contents)}”" for theme in shared) or "one theme"
    mark = ":" if len(shown) == len(members) else ", such as:"
    return (
        f"{capital(count(len(members), 'many'))} {kind} are about {about}{_ranges(contents)}{mark} {'; '.join(shown)}."
    )


def _shared_stems(contents: Sequence[str]) -> list[str]:
    counts = Counter(theme for text in contents for theme in stems(text) if len(theme) > 2 and not theme[0].isdigit())
    return [t for t, n in sorted(counts.items(), key=lambda c: (-c[1], c[0])) if 2 * n > len(contents)][:_SHARED]


def _phrase(contents: Sequence[str]) -> str:
    """The longest run of words that more than half of the members share: "the rate card cache"; "" for single words."""
    spelt = [re.findall(r"[^\W_][\w'’-]*", text) for text in contents]
    runs: Counter[tuple[str, ...]] = Counter()
    for words in spelt:
        low = [w.lower() for w in words]
        spans = {tuple(low[n : n + size]) for size in range(2, _LONGEST + 1) for n in range(len(low) - size + 1)}
        runs.update(run for run in spans if _names_a_thing(run))
    frequent = [run for run, n in runs.items() if 2 * n > len(contents)]
    if not frequent:
        return ""
    best = max(frequent, key=lambda run: (len(run), runs[run], run))
    return next(" ".join(_as_written(words, best)) for words in spelt if _as_written(words, best))


def _names_a_thing(run: Sequence[str]) -> bool:
    """Whether no word of it is one of grammar, a number or what ends a phrase before its noun."""
    return not any(word in STOPWORDS or word[:1].isdigit() or word.endswith(("ed", "ly")) for word in run)


def _as_written(words: Sequence[str], run: Sequence[str]) -> list[str]:
    for n in range(len(words) - len(run) + 1):
        found = words[n : n + len(run)]
        if [w.lower() for w in found] == list(run):
            article = ["the"] if n and words[n - 1].lower() == "the" else []
            return [*article, *([lowered(found[0]), *found[1:]] if n == 0 else found)]
    return []


def _surface(theme: str, contents: Sequence[str]) -> str:
    """The word that the members use for a stem, the most frequent one."""
    forms: Counter[str] = Counter()
    for content in contents:
        for n, raw in enumerate(re.findall(r"[^\W\d_][^\W_]*", content)):
            if stem(raw.lower()) == theme:
                forms[raw if n and raw[:1].isupper() else raw.lower()] += 1
    return min(forms, key=lambda w: (-forms[w], w)) if forms else gerund(theme)


def _retold(members: Sequence[_Memory]) -> list[str]:
    """The first members' contents, as many as a memory's text has room for, each once."""
    found: list[str] = []
    for text in dict.fromkeys(lowered(m["content"].rstrip(". ")) for m in members):
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
