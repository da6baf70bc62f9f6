"""Statements told back to the user: "Lives in Lisbon." → "You live in Lisbon", with when they said it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.inference.builtin.about import lowered, of_the_user
from memory_pipeline.language.questions.subjects import belonging, canonical
from memory_pipeline.language.wording.agreement import in_the_past, plural

_Item = Mapping[str, Any]
_SECOND = {
    "they": "you", "them": "you", "their": "your", "theirs": "yours", "themselves": "yourself", "the assistant": "me",
    "the assistant's": "my", "they're": "you're", "they've": "you've", "they'll": "you'll", "they'd": "you'd",
}  # fmt: skip
_PRONOUN = lazy(r"\b(the assistant's|the assistant|themselves|theirs|their|them|they(?:['’](?:re|ve|ll|d))?)\b", re.I)


def second_person(content: str, subject: str | None = None) -> str:
    """ "Lives in Lisbon with their wife." → "You live in Lisbon with your wife."; "Brother …" → "Your brother …"."""
    said = _PRONOUN.sub(_addressed, content)
    if of_the_user(said, subject if subject == "user" else None) and not said.lower().startswith(("you ", "your ")):
        said = "You " + plural(said[:1].lower() + said[1:])
    elif canonical(said.split(" ", 1)[0]) in belonging() and said[:1].isupper():
        said = f"Your {lowered(said)}"
    return said[:1].upper() + said[1:]


def _addressed(hit: re.Match[str]) -> str:
    low = hit.group().lower().replace("’", "'")
    told = _SECOND[low]
    return told.capitalize() if hit.group()[:1].isupper() and hit.start() == 0 else told


def retold(item: _Item) -> str:
    """An item that holds, as a sentence to the user, saying whose words it is."""
    if item["layer"] == "episodic":
        return quoted(item, item.get("told") or item["content"])
    said = second_person(item["content"], item.get("subject")).rstrip(". ")
    for told, at in (("due", _day(item.get("due_at"))), ("since", _day(item.get("valid_from")))):
        if at and at.split(" ", 1)[1] not in said and at.rsplit(" ", 1)[0] not in said:
            said = f"{said}, {told} {at}"
    if item["status"] in {"stale", "archived"}:
        return f"You told me {item['age']}: {lowered(said)}."
    return f"{said} (you told me {item['age']})."


def quoted(item: _Item, text: str) -> str:
    """A turn's own words; the assistant's as its own."""
    who = "I said" if item.get("role") == "assistant" else "You asked" if item.get("asking") else "You said"
    return f'{who} {item["age"]}: "{text.strip()}"'


def past(item: _Item) -> str:
    """An item that no longer holds: "You lived in Berlin (you told me 3 months ago; until 13 October 2026)."."""
    if item["layer"] == "episodic":
        return quoted(item, item.get("told") or item["content"])
    content = re.sub(r"^No longer (\w)", lambda hit: hit[1].upper(), str(item["content"]).strip().rstrip("."))
    of_user = of_the_user(content, "user" if item.get("subject") == "user" else None)
    said = in_the_past(lowered(content)) if of_user else content
    said = re.sub(r"^(?:were|was)\b", "were", said) if of_user else said
    said = f"You {_PRONOUN.sub(_addressed, said)}" if of_user else second_person(content, item.get("subject"))
    until = _day(item.get("valid_until"))
    when = f"you told me {item['age']}"
    if until:
        when += f"; until {until}"
    return f"{said} ({when})." if of_user else f"{said} ({when}; that no longer holds)."


def _day(at: str | None) -> str:
    return f"{(day := datetime.fromisoformat(at)).day} {day:%B %Y}" if at else ""
