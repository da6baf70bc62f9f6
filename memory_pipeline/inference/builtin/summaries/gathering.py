"""Listed memories put together so that each thing is told once: changes, plans and what came of them, people, twins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from memory_pipeline.domain.consolidation.slots import attribute as slot_attribute
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import figures, negated
from memory_pipeline.inference.builtin.about import Sentence, sentence
from memory_pipeline.inference.builtin.summaries.changes import became, closed, over, planned_of
from memory_pipeline.inference.builtin.summaries.themes import heading, shared, stems

_OVER = frozenset({"supersede", "contradict"})
_SAME = 0.8  # share of the shorter sentence's words from which two sentences say one thing
_CARRIED_OUT = 0.6  # the same, for a plan and what was done
_RELATED = lazy(r"^has an? (?P<relation>[\w -]+?)(?:,| called| named| who is called) (?P<name>[A-Z][\w'’-]*)$")
_CHANGED = 0.15  # what a change weighs more than a fact
_Memory = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SummaryPoint:
    """Something to be told in a summary.

    Attributes:
        said: without a final stop.
        weight: what to keep when there is little room.
        messages, memories: ids that it states.
        day: local day, ISO.
        heading: what it goes under.
        quoted: the user's own words.
        change: it tells what is over, or what took its place.
        closed: it tells what became of a plan.
    """

    said: Sentence
    weight: float
    messages: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    day: str = ""
    heading: str = ""
    quoted: bool = False
    change: bool = False
    closed: bool = False


def gathered(memories: Sequence[_Memory]) -> list[SummaryPoint]:
    """What listed memories come to, in their order, each thing once; all ids that a sentence states are its own."""
    found: dict[str, SummaryPoint] = {}
    before = _before(memories)
    replaced = {old["id"] for olds in before.values() for old in olds}
    for memory in memories:
        if memory["id"] not in replaced:
            told = _told(memory, before.get(memory["id"], ()))
            if told is not None:
                found[memory["id"]] = told
    kinds = {m["id"]: m for m in memories}
    _carried_out(found, kinds)
    _introduced(found, kinds)
    _once(found, kinds)
    return list(found.values())


def _before(memories: Sequence[_Memory]) -> dict[str, list[_Memory]]:
    """For each memory that took the place of others: those, oldest first, by its id."""
    by_number = {m["memory"]: m for m in memories if m.get("memory") is not None}
    found: dict[str, list[_Memory]] = {}
    for old in memories:
        if old["change"] not in _OVER:
            continue
        new: _Memory | None = old
        seen: set[str] = set()
        while new is not None and new["change"] in _OVER and new["id"] not in seen:
            seen.add(new["id"])
            new = by_number.get(new.get("replaced_by")) or _in_its_slot(new, memories)
        if new is not None and new["change"] not in _OVER and new.get("subject") == old.get("subject"):
            found.setdefault(new["id"], []).append(old)
    return found


def _in_its_slot(old: _Memory, memories: Sequence[_Memory]) -> _Memory | None:
    """What fills the slot of a fact that is over, where there can be one value only and nothing names its successor."""
    if not old.get("attribute") or not slot_attribute(old["attribute"]).single:
        return None
    slot = old.get("subject"), old["attribute"]
    filling = [m for m in memories if (m.get("subject"), m.get("attribute")) == slot and m["change"] not in _OVER]
    return filling[-1] if filling else None


def _told(memory: _Memory, olds: Sequence[_Memory]) -> SummaryPoint | None:
    said: Sentence | None = sentence(memory)
    assert said is not None
    ids = tuple(m["id"] for m in (*olds, memory))
    weight = memory["importance"] + (_CHANGED if olds else 0.0)
    name = heading(memory)
    if memory["change"] in _OVER:
        said = over(said)
    elif memory["change"] == "close":
        said = closed(said)
    elif olds:
        said = became([sentence(old) for old in olds], said)
    changed = bool(olds) or memory["change"] in _OVER
    if said is None:
        return None
    return SummaryPoint(said, weight, (), ids, memory["day"], name, change=changed, closed=memory["change"] == "close")


def _carried_out(found: dict[str, SummaryPoint], kinds: Mapping[str, _Memory]) -> None:
    """A plan that is settled, and the event that settled it, in one: "filed the taxes, as planned"."""
    settled = [i for i in found if kinds[i]["change"] == "close"]
    events = [i for i in found if kinds[i]["type"] == "episodic_event" and kinds[i]["change"] not in _OVER]
    for plan in settled:
        planned = _meant(kinds[plan])
        done = next((e for e in events if e in found and _carries_out(_meant(kinds[e]), planned)), None)
        if done is not None and "dropped the plan" not in found[plan].said.text:
            event = found[done]
            said = replace(event.said, text=f"{event.said.text}, as planned")
            weight = max(event.weight, found[plan].weight)
            found[done] = replace(event, said=said, weight=weight, memories=(*event.memories, *found[plan].memories))
            del found[plan]


def _meant(memory: _Memory) -> frozenset[str]:
    content = memory["content"].rstrip(".")
    return stems(memory.get("value") or planned_of(content[:1].lower() + content[1:]) or content)


def _carries_out(event: frozenset[str], plan: frozenset[str]) -> bool:
    return len(event & plan) >= 2 and shared(event, plan) >= _CARRIED_OUT


def _introduced(found: dict[str, SummaryPoint], kinds: Mapping[str, _Memory]) -> None:
    """Somebody's name and one thing told of them in one: "has a sister called Nora, who lives in Lisbon"."""
    known = {i: match for i, told in found.items() if told.said.of_user and (match := _RELATED.match(told.said.text))}
    relations = [match["relation"].lower() for match in known.values()]
    for i, match in known.items():
        relation, name = match["relation"].lower(), match["name"]
        called = {name.lower(), f"their {relation} {name.lower()}"}
        if relations.count(relation) == 1:
            called.add(f"their {relation}")
        theirs = [n for n, told in found.items() if told.said.who.lower() in called]
        for n in theirs:  # by name from here on: a relation and a name are one person
            found[n] = replace(found[n], said=replace(found[n].said, who=name))
        plain = [n for n in theirs if kinds[n]["change"] not in {"close", *_OVER}]
        if plain:
            other, own = found[plain[0]], found[i]
            said = replace(own.said, text=f"{own.said.text}, who {other.said.text}")
            weight = max(own.weight, other.weight)
            ids = (*own.memories, *other.memories)
            twins = [n for n in plain[1:] if found[n].said.text.lower() == other.said.text.lower()]
            for twin in twins:
                ids += found[twin].memories
            found[i] = replace(own, said=said, weight=weight, memories=ids, heading="People")
            for gone in (plain[0], *twins):
                del found[gone]


def _once(found: dict[str, SummaryPoint], kinds: Mapping[str, _Memory]) -> None:
    """Of two sentences that say one thing the fuller one; it has the ids of both."""
    for a, b in combinations(list(found), 2):
        if a not in found or b not in found:
            continue
        one, other = found[a], found[b]
        if one.said.who != other.said.who or not _says_the_same(one.said.text, other.said.text):
            continue
        kept, gone = (a, b) if len(one.said.text) > len(other.said.text) else (b, a)
        if kinds[gone]["change"] in {"close", *_OVER} and kinds[kept]["change"] not in {"close", *_OVER}:
            kept, gone = gone, kept
        both = found[kept]
        weight = max(one.weight, other.weight)
        found[kept] = replace(both, weight=weight, memories=(*both.memories, *found[gone].memories))
        del found[gone]


def _says_the_same(one: str, other: str) -> bool:
    a, b = stems(one), stems(other)
    if negated(one) != negated(other) or figures(one) != figures(other):
        return False
    return one.lower() == other.lower() or (min(len(a), len(b)) > 1 and shared(a, b) >= _SAME and _alike(a, b))


def _alike(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether the longer one adds little: a word more is a fact more, two are."""
    return len(a ^ b) <= 1 or a == b


def visible(memories: Iterable[_Memory], unsaid: frozenset[str]) -> list[_Memory]:
    """Memories whose type and change may be told."""
    hidden_changes = {"forget", "suppress", "archive", "expire", "stale", "unpin", "pin"}
    return [m for m in memories if m["type"] not in unsaid and m["change"] not in hidden_changes]
