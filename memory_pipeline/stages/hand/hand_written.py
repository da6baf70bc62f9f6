"""What a sentence written by hand states: its type, slot and dates, as far as the embedded rules can read them.

The words stay the user's; only what is beside them is read. English; of other languages nothing is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory_pipeline.domain.calendar import zone
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.proposal import MemoryType, Operation, Surface
from memory_pipeline.domain.text import negated, normalise, words
from memory_pipeline.stages.extraction.drafts import moment

_STATING = frozenset({Operation.ADD, Operation.UPDATE, Operation.REINFORCE, Operation.CONTRADICT})
# What may stand before the verb of a sentence without subject: "No longer lives …".
_ADVERBS = frozenset(
    {"no", "longer", "never", "always", "also", "currently", "still", "usually", "often", "sometimes", "really", "now"}
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read; None and the empty tuple where nothing was."""

    type: MemoryType
    subject: str | None
    attribute: str | None
    value: str | None
    negated: bool
    entities: tuple[str, ...]
    salience: float
    importance: float
    surface: Surface
    valid_from: datetime | None
    valid_until: datetime | None
    due_at: datetime | None


def read(content: str, at: datetime, timezone: str) -> Reading | None:
    """What a sentence states; None when the rules find nothing in it, or more than one fact.

    Args:
        content: in the first person, or as memories are worded ("Lives in Lisbon.").
        at: when it was written, UTC: "by Friday" counts from then.
    """
    for text in dict.fromkeys((_first_person(content), content)):
        found = _read(text, at, timezone)
        if found is not None:
            return found
    return None


def _read(text: str, at: datetime, timezone: str) -> Reading | None:
    from memory_pipeline.inference.builtin.extraction.extract import read_window

    local = at.astimezone(zone(timezone))
    message = {"id": "m1", "role": "user", "speaker": None, "content": text, "created_at": local.isoformat()}
    stating = [d for d in read_window({"messages": [message]}, zone(timezone)) if d.operation in _STATING]
    if len(stating) != 1:
        return None
    (draft,) = stating
    slotted = bool(draft.attribute and draft.value)
    return Reading(
        type=draft.type,
        subject=draft.subject,
        attribute=draft.attribute if slotted else None,
        value=draft.value if slotted else None,
        negated=draft.negated,
        entities=tuple(draft.entities),
        salience=draft.salience,
        importance=draft.importance,
        surface=draft.surface,
        valid_from=moment(draft.valid_from, timezone, end=False),
        valid_until=moment(draft.valid_until, timezone, end=True),
        due_at=moment(draft.due_at, timezone, end=True),
    )


def _first_person(content: str) -> str:
    """ "Is allergic to nuts." → "I am allergic to nuts."; a sentence that has a subject stays as it is."""
    from memory_pipeline.inference.builtin.verbs import FORMS, Kind

    parts = content.split()
    for n, word in enumerate(parts):
        form = FORMS.get(word.lower().strip(",."))
        if form is not None and form.kind & Kind.S:
            verb = "am" if form.lemma == "be" else form.lemma
            return " ".join(["I", *(p.lower() for p in parts[:n]), verb, *parts[n + 1 :]])
        if word.lower() not in _ADVERBS:
            break
    return content


@dataclass(frozen=True, slots=True)
class Slotted:
    """The slot of an edited memory."""

    subject: str | None
    attribute: str | None
    value: str | None
    negated: bool


def slot_after(memory: MemoryVersion, content: str, reading: Reading | None) -> Slotted:
    """The slot of a memory in new words: what is read out of them, else the old one where they still fit it.

    "Lives in Lisbon." → "Lives in Braga." changes the value where the rest of the sentence stays. Words that fit
    neither way have no slot: they decide by themselves.
    """
    if reading is not None and reading.attribute is not None:
        return Slotted(reading.subject, reading.attribute, reading.value, reading.negated)
    turned = memory.negated != (negated(content) != negated(memory.content))
    if memory.attribute and memory.value:
        if f" {' '.join(words(memory.value))} " in f" {' '.join(words(content))} ":
            return Slotted(memory.subject, memory.attribute, memory.value, turned)
        value = _replaced(memory.content, memory.value, content)
        if value:
            return Slotted(memory.subject, memory.attribute, value, turned)
    return Slotted(memory.subject, None, None, turned)


def _replaced(old: str, value: str, new: str) -> str:
    """What stands in ``new`` where ``value`` stood in ``old``; empty when the sentences differ elsewhere."""
    folded, there = normalise(old), normalise(value)
    before, found, after = folded.partition(there)
    if not found or not (before or after):
        return ""
    plain = " ".join(new.split()).rstrip(".!?… ")
    folded = normalise(plain)
    fits = len(folded) == len(plain) and len(plain) > len(before) + len(after)
    if not fits or not folded.startswith(before) or not folded.endswith(after):
        return ""
    return plain[len(before) : len(plain) - len(after)].strip()
