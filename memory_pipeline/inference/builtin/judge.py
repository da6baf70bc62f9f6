"""The judge: what a candidate statement does to the memories beside it, by slots and words, never by similarity.

In doubt it adds: retiring a true memory is the worse mistake (DL-40).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from memory_pipeline.domain.consolidation.comparison import (
    Comparison,
    Tolerance,
    compare,
    equal_facts,
    one_number,
    says_more,
)
from memory_pipeline.domain.consolidation.contrast import opposed
from memory_pipeline.domain.consolidation.plans.fulfilment import fulfilled
from memory_pipeline.domain.consolidation.slots import Relation, Slot, attribute, relate
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import negated
from memory_pipeline.inference.builtin.likeness import Likeness, likeness
from memory_pipeline.inference.replies import Judgement, JudgeReply

_Action = Literal["add", "reinforce", "merge", "supersede", "contradict", "close", "none"]
_Verdict = tuple[_Action, str | None, str]  # action, target, reason
_RETIRED = frozenset({"superseded", "contradicted", "closed", "archived"})
_EVENTS = frozenset({"episodic_event", "ephemeral"})
_DATED = frozenset({"open_loop", "decision", "profile_fact", "estimate"})
_STEMMED = Tolerance(near=0.6, alike=None, part=0.8, changed=0.8, contained=2, exact=False)
_WANTED = lazy(r"(?:no longer|does not) (?:want|plan|intend|hope|aim)s? to\b", re.I)
_OUTCOME = lazy(r"\s*\((?:kept|dropped)\)")
_DROPS = lazy(
    r"^(?:no longer|does not|is not going|decided (?:not|against)|will not|cancelled|canceled|dropped)\b|"
    r"\b(?:is|are|was|were|got|has been|have been) (?:off|cancelled|canceled|called off|dropped)$",
    re.I,
)


def judge(inputs: Mapping[str, Any]) -> JudgeReply:
    """One judgement for each candidate (see ``ChatRequest`` task ``consolidate``)."""
    loops = inputs["open_loops"]
    return JudgeReply([_judge(candidate, loops) for candidate in inputs["candidates"]])


def _judge(candidate: Mapping[str, Any], loops: Sequence[Mapping[str, Any]]) -> Judgement:
    operation = candidate["operation"]
    verdict: _Verdict = "none", None, "what the user wants gone is found by name, not judged"
    closed: list[str] = []
    if operation == "close_open_loop":
        verdict = _closing(candidate, loops)
        verdict = verdict if verdict[1] else _suggested(candidate) or verdict
    elif operation not in {"forget", "suppress"}:
        verdict = _suggested(candidate) or _stating(candidate)
        action, target, _ = _closing(candidate, loops)
        closed = [target] if action == "close" and target and _tells(candidate) else []
    action, target, reason = verdict
    return Judgement(candidate["candidate"], reason, target, action, None, closed)


def _tells(candidate: Mapping[str, Any]) -> bool:
    """Whether a statement tells of something that happened ("Called mom."), or that a wish is one no more ("No longer
    wants to be a vet.")."""
    if _WANTED.match(candidate["content"]):
        return True
    return candidate["type"] in _EVENTS and not negated(candidate["content"])


def _closing(candidate: Mapping[str, Any], loops: Sequence[Mapping[str, Any]]) -> _Verdict:
    earlier = sorted((loop for loop in loops if _at(loop) <= _at(candidate)), key=_at)
    content = candidate["content"].rstrip(".")
    dropped = content.endswith("(dropped)") or bool(_DROPS.search(content))
    said = _OUTCOME.sub("", content)
    found = fulfilled(said, [loop["content"] for loop in earlier], dropped=dropped)
    if not found:
        return "none", None, "no open loop is clearly meant"
    loop = earlier[found[0]]
    ends = "cancels" if dropped else "resolves"
    return "close", loop["memory"], f'"{candidate["content"]}" {ends} "{loop["content"]}"'


def _suggested(candidate: Mapping[str, Any]) -> _Verdict | None:
    """What slots and wording say already: the extractor's slots were read by grammar, and say more than its words."""
    suggested = candidate.get("suggested")
    if not suggested:
        return None
    return suggested["action"], suggested["targets"][0], suggested["reason"]


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
    if (candidate["type"] in _EVENTS) != (neighbour["type"] in _EVENTS) or not _one_subject(new, old):
        return None
    relation, slot = _relation(new.slots, old.slots)
    apart = opposed(candidate["content"], neighbour["content"])
    named = slot is not None and attribute(slot.attribute).named
    if (
        relation is Relation.SAME
        and not apart
        and candidate["type"] not in _EVENTS
        and equal_facts(new, old, named=named)
    ):
        return _same(neighbour, f"the same {_label(slot)}", further=says_more(new, old))
    if relation is Relation.CHANGED:
        return _replace("supersede", neighbour, f"the {_label(slot)} changed from this to another value", late)
    if relation is Relation.DENIED:
        action: _Action = "contradict" if new.denied or _denies(new.slots) else "supersede"
        return _replace(action, neighbour, f"the same {_label(slot)}, one affirmed and one denied", late)
    if apart or relation is Relation.SIBLING or (new.slots and old.slots and relation is not Relation.SAME):
        return None
    return _by_words(candidate, new, neighbour, old, late)


def _one_subject(new: Likeness, old: Likeness) -> bool:
    """Whether both are about the user, or about somebody who is named alike."""
    return bool(new.subject & old.subject) if new.subject and old.subject else new.subject == old.subject


def _relation(new: Sequence[Slot], old: Sequence[Slot]) -> tuple[Relation, Slot | None]:
    order = (Relation.SAME, Relation.DENIED, Relation.CHANGED, Relation.SIBLING)
    found = {relate(a, b): a for a in new for b in old}
    return next(((r, found[r]) for r in order if r in found), (Relation.UNRELATED, None))


def _by_words(
    candidate: Mapping[str, Any], new: Likeness, neighbour: Mapping[str, Any], old: Likeness, late: bool
) -> _Verdict | None:
    event = candidate["type"] in _EVENTS
    match compare(new, old, _STEMMED):
        case Comparison.REPLACED:
            return _replace("supersede", neighbour, "the same statement, and it says that it replaces another", late)
        case Comparison.DENIED:
            action: _Action = "contradict" if new.denied else "supersede"
            return _replace(action, neighbour, "the same words, one affirmed and one denied", late)
        case Comparison.OTHER_DATE if candidate["type"] in _DATED:
            return _replace("supersede", neighbour, "the same plan on another date", late)
        case Comparison.OTHER_NUMBER if not event and (candidate["operation"] == "update" or one_number(new, old)):
            return _replace("supersede", neighbour, "the same statement with another figure", late)
        case Comparison.SAME | Comparison.LESS | Comparison.MORE as found:
            return _same(neighbour, "the same statement in other words", further=found is Comparison.MORE)
    return None


def _same(neighbour: Mapping[str, Any], what: str, *, further: bool) -> _Verdict:
    if further:
        return "merge", neighbour["memory"], f"{what}, told with more detail"
    return "reinforce", neighbour["memory"], f"{what}, said again"


def _replace(action: _Action, neighbour: Mapping[str, Any], reason: str, late: bool) -> _Verdict:
    if late:
        return "none", neighbour["memory"], "older than what is remembered, so it changes nothing"
    return action, neighbour["memory"], reason


def _denies(slots: Sequence[Slot]) -> bool:
    return any(slot.negated for slot in slots)


def _label(slot: Slot | None) -> str:
    return (slot.attribute or "fact").replace("_", " ") if slot else "fact"


def _at(item: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(item["observed_at"])
