"""The judge: what a candidate statement does to the memories beside it, by slots and words, never by similarity.

In doubt it adds: retiring a true memory is the worse mistake (DL-40).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from memory_pipeline.domain.slots import Relation, Slot, relate
from memory_pipeline.domain.text import overlap
from memory_pipeline.inference.builtin.likeness import Likeness, likeness
from memory_pipeline.inference.replies import Judgement, JudgeReply

_Action = Literal["add", "reinforce", "merge", "supersede", "contradict", "close", "none"]
_Verdict = tuple[_Action, str | None, str]
_RETIRED = frozenset({"superseded", "contradicted", "closed", "archived"})
_EVENTS = frozenset({"episodic_event", "ephemeral"})
_SAME_WORDS = 0.8  # overlap of stems from which two sentences say the same
_NEAR_WORDS = 0.6  # overlap from which one may deny or refine the other
_CLOSES = 0.6  # share of an open loop's words that a closing statement must name


def judge(inputs: Mapping[str, Any]) -> JudgeReply:
    """One judgement for each candidate (see ``ChatRequest`` task ``consolidate``)."""
    loops = inputs["open_loops"]
    return JudgeReply([_judge(candidate, loops) for candidate in inputs["candidates"]])


def _judge(candidate: Mapping[str, Any], loops: Sequence[Mapping[str, Any]]) -> Judgement:
    operation = candidate["operation"]
    verdict: _Verdict = "none", None, "what the user wants gone is found by name, not judged"
    if operation == "close_open_loop":
        verdict = _closing(candidate, loops)
    elif operation not in {"forget", "suppress"}:
        verdict = _stating(candidate)
    return Judgement(candidate["candidate"], *verdict)


def _closing(candidate: Mapping[str, Any], loops: Sequence[Mapping[str, Any]]) -> _Verdict:
    said = likeness(candidate["content"])
    earlier = [loop for loop in loops if _at(loop) <= _at(candidate)]
    scored = sorted(((closes(said, likeness(loop["content"])), loop) for loop in earlier), key=lambda s: -s[0])
    if not scored or scored[0][0] < _CLOSES:
        return "none", None, "no open loop is about it"
    best = [loop for score, loop in scored if score == scored[0][0]]
    if len({likeness(loop["content"]).stems for loop in best}) > 1:
        return "none", None, "more than one open loop could be meant"
    loop = min(best, key=_at)
    return "close", loop["memory"], f'"{candidate["content"]}" resolves "{loop["content"]}"'


def closes(said: Likeness, loop: Likeness) -> float:
    """How well a closing statement fits an open loop, 0 to 1: the share of the loop's words that it names.

    A shared verb alone is nothing, and another act or another name rules it out: "called Anna" does not close "call
    Bob", nor "called the dentist" a dentist's appointment.
    """
    if not loop.stems or not (said.objects & loop.objects or (said.stems == loop.stems)):
        return 0.0
    if said.act and loop.act and said.act != loop.act:
        return 0.0
    if said.names and loop.names and not said.names & loop.names:
        return 0.0
    if said.numbers and loop.numbers and not said.numbers & loop.numbers:
        return 0.0
    named = len(said.stems & loop.stems)
    # What the statement does not repeat counts half as much as what it denies by naming something else.
    return max(named / len(loop.stems), named / len(said.stems | loop.stems), _core(said, loop))


def _core(said: Likeness, loop: Likeness) -> float:
    """1 for a statement that says nothing but part of the loop, an object included."""
    return 0.75 if said.stems and said.stems <= loop.stems and said.objects & loop.objects else 0.0


def _stating(candidate: Mapping[str, Any]) -> _Verdict:
    new = likeness(candidate["content"])
    living = [n for n in candidate["neighbours"] if n["status"] not in _RETIRED]
    late = [n for n in living if _at(n) > _at(candidate)]
    verdicts = [v for n in living if (v := _against(candidate, new, n, late=n in late)) is not None]
    for wanted in ("contradict", "supersede", "reinforce", "merge", "none"):
        for verdict in verdicts:
            if verdict[0] == wanted:
                return verdict
    if candidate["operation"] == "contradict":
        return "none", None, "nothing that is remembered says the opposite"
    return "add", None, "no memory beside it is about the same thing"


def _against(
    candidate: Mapping[str, Any], new: Likeness, neighbour: Mapping[str, Any], *, late: bool
) -> _Verdict | None:
    """What the candidate does to one neighbour; None when they have nothing to do with each other."""
    old = likeness(neighbour["content"])
    if (candidate["type"] in _EVENTS) != (neighbour["type"] in _EVENTS):
        return None
    relation, slot = _relation(new.slots, old.slots)
    if relation is Relation.SAME and candidate["type"] not in _EVENTS:
        return _same(candidate, new, neighbour, old, f"the same {_label(slot)}")
    if relation is Relation.CHANGED:
        return _replace("supersede", neighbour, f"the {_label(slot)} changed from this to another value", late)
    if relation is Relation.DENIED:
        action: _Action = "contradict" if new.denied or _denies(new.slots) else "supersede"
        return _replace(action, neighbour, f"the same {_label(slot)}, one affirmed and one denied", late)
    if relation is Relation.SIBLING or (new.slots and old.slots):
        return None
    return _by_words(candidate, new, neighbour, old, late)


def _relation(new: Sequence[Slot], old: Sequence[Slot]) -> tuple[Relation, Slot | None]:
    order = (Relation.SAME, Relation.DENIED, Relation.CHANGED, Relation.SIBLING)
    found = {relate(a, b): a for a in new for b in old}
    return next(((r, found[r]) for r in order if r in found), (Relation.UNRELATED, None))


def _by_words(
    candidate: Mapping[str, Any], new: Likeness, neighbour: Mapping[str, Any], old: Likeness, late: bool
) -> _Verdict | None:
    shared = overlap(new.stems, old.stems)
    contained = bool(old.stems) and old.stems <= new.stems and len(old.stems) >= 2
    if shared < _NEAR_WORDS and not contained:
        return None
    if new.names != old.names and new.names and old.names and not contained:
        return None
    if new.denied != old.denied:
        action: _Action = "contradict" if new.denied else "supersede"
        return _replace(action, neighbour, "the same words, one affirmed and one denied", late)
    if new.numbers != old.numbers and not (contained and old.numbers <= new.numbers):
        changed = candidate["operation"] == "update" and shared >= _NEAR_WORDS
        return _replace("supersede", neighbour, "the same statement with another figure", late) if changed else None
    if shared >= _SAME_WORDS or contained:
        return _same(candidate, new, neighbour, old, "the same statement in other words")
    return None


def _same(
    candidate: Mapping[str, Any], new: Likeness, neighbour: Mapping[str, Any], old: Likeness, what: str
) -> _Verdict:
    if new.stems > old.stems and old.numbers <= new.numbers:
        return "merge", neighbour["memory"], f"{what}, told with more detail"
    return "reinforce", neighbour["memory"], f"{what}, said again"


def _replace(action: _Action, neighbour: Mapping[str, Any], reason: str, late: bool) -> _Verdict:
    if late:
        return "none", None, "older than what is remembered, so it changes nothing"
    return action, neighbour["memory"], reason


def _denies(slots: Sequence[Slot]) -> bool:
    return any(slot.negated for slot in slots)


def _label(slot: Slot | None) -> str:
    return (slot.attribute or "fact").replace("_", " ") if slot else "fact"


def _at(item: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(item["observed_at"])
