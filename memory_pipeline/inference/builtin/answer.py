"""Answers out of what is remembered: the items that share the question's words, told back with their time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memory_pipeline.inference.builtin.about import of_the_user
from memory_pipeline.inference.builtin.likeness import likeness
from memory_pipeline.inference.replies import AnswerReply
from memory_pipeline.language.agreement import plural

_Item = Mapping[str, Any]
_OVER = frozenset({"superseded", "contradicted"})
_FITS = 0.5  # share of the question's words that an item must have
_UNKNOWN = "I do not know: nothing that you told me answers this."
# What a question asks for, where its words differ from those of a statement.
_ASKED = tuple(
    (re.compile(pattern, re.I), attributes)
    for pattern, attributes in (
        (r"\bwhere\b.*\b(?:live|based|home|reside|staying)\b|\bwhich city\b", {"residence"}),
        (r"\bwhere\b.*\bfrom\b|\bgrow up\b|\bhometown\b", {"hometown"}),
        (r"\bwhere\b.*\bwork\b|\bemployer\b|\bcompany\b|\bwho do i work for\b", {"employer"}),
        (
            r"\bwhat do i do\b|\bjob\b|\boccupation\b|\bprofession\b|\bliving\b",
            {"occupation", "employer", "current_field"},
        ),
        (r"\bmy name\b|\bwho am i\b|\bwhat am i called\b|\bcall me\b", {"name", "preferred_name"}),
        (r"\bhow old\b|\bmy age\b", {"age"}),
        (r"\bbirthday\b|\bborn\b", {"birthday", "hometown"}),
        (r"\ballerg", {"allergy"}),
        (r"\b(?:diet|eat|vegetarian|vegan|food)\b", {"diet", "eats", "allergy", "preferred_food"}),
        (r"\b(?:pet|pets|dog|cat)\b", {"pet"}),
        (r"\b(?:wife|husband|partner|girlfriend|boyfriend|spouse|married)\b", {"partner", "relationship_status"}),
        (
            r"\b(?:together with|in a relationship|relationship status|dating|seeing (?:anyone|somebody|someone)|"
            r"still with|am i single)\b",
            {"partner", "relationship_status"},
        ),
        (r"\b(?:kids|children|son|daughter|siblings|sister|brother|family)\b", {"family"}),
        (r"\bwhat languages\b|\bwhich languages\b", {"language"}),
        (r"\bdrink\b", {"preferred_drink", "drinking"}),
        (r"\bhobb|\bfree time\b|\bspare time\b", {"hobby", "likes"}),
        (r"\b(?:plans?|planning|to do|upcoming|appointments?)\b", {"plan"}),
        (r"\bhealth\b|\bcondition\b|\bdiagnos", {"health", "medication"}),
    )
)
_SECOND = {
    "they": "you", "them": "you", "their": "your", "theirs": "yours", "themselves": "yourself", "the assistant": "me",
    "the assistant's": "my",
}  # fmt: skip
_PRONOUN = re.compile(r"\b(the assistant's|the assistant|themselves|theirs|their|them|they)\b", re.I)


def answer(inputs: Mapping[str, Any]) -> AnswerReply:
    """The item or items that answer a question, cited; ``known`` is False where none does (see task ``answer``)."""
    question: str = inputs["question"]
    scored = [(score, n, item) for n, item in enumerate(inputs["items"]) if (score := fit(question, item)) >= _FITS]
    if not scored:
        return AnswerReply(text=_UNKNOWN, citations=[], known=False)
    best = max(score for score, _, _ in scored)
    chosen = [item for score, _, item in sorted(scored, key=lambda s: (-s[0], s[1])) if score >= best - 0.15]
    holding = [i for i in chosen if i["status"] not in _OVER]
    over = [i for i in chosen if i["status"] in _OVER]
    told = holding[:3] or over[:1]
    parts = [_told(item) for item in told]
    if holding and over:
        told = [*told, over[0]]
        parts.append(_changed(over[0]))
    return AnswerReply(text=" ".join(parts), citations=[i["id"] for i in told], known=True)


def fit(question: str, item: _Item) -> float:
    """How well an item answers a question: the share of its words it has, 1 when it fills the slot asked for."""
    wanted = likeness(question.rstrip("?")).stems - {"tell", "what", "who", "know"}
    there = likeness(item["content"])
    asked = {a for pattern, attributes in _ASKED if pattern.search(question) for a in attributes}
    filled = {s.attribute for s in there.slots if s.subject == "user"}
    if asked & filled:
        return 1.0 + 0.1 * len(wanted & there.stems)
    others = {s.subject for s in there.slots if s.subject} - {"user"}
    if others and not any(likeness(other).stems & wanted for other in others):
        return 0.0  # it speaks of somebody whom the question does not name
    return len(wanted & (there.stems | there.names)) / len(wanted) if wanted else 0.0


def _told(item: _Item) -> str:
    if item["status"] in _OVER:
        return f"You told me {item['age']}: {_reported(item)}. That no longer holds."
    if item["layer"] == "narrative":
        return f"From what you told me ({item['age']}): {item['content']}"
    if item["layer"] == "episodic":
        return f'You said {item["age"]}: "{item["content"].strip()}"'
    said = second_person(item["content"])
    if item["status"] in {"stale", "archived"}:
        return f"You told me {item['age']}: {said[:1].lower()}{said[1:]}"
    return f"{said.rstrip('.')} (you told me {item['age']})."


def _reported(item: _Item) -> str:
    said = second_person(item["content"]).rstrip(".")
    return said[:1].lower() + said[1:]


def _changed(item: _Item) -> str:
    return f"That has changed: {item['age']} you had told me that {_reported(item)}."


def second_person(content: str) -> str:
    """ "Lives in Lisbon with their wife." → "You live in Lisbon with your wife."."""
    said = _PRONOUN.sub(lambda m: _SECOND[m.group().lower()], content)
    if not of_the_user(said):
        return said
    return "You " + plural(said[:1].lower() + said[1:])
