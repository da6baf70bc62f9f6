"""What a clause states, before it is dated and tied to its message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memory_pipeline.domain.proposal import MemoryType, Operation, Surface

Direction = Literal["past", "future"]


@dataclass(frozen=True, slots=True)
class Weight:
    """How much a statement matters (NM-35, DL-9), before hedges are taken into account."""

    salience: float
    importance: float
    confidence: float


CORE = Weight(0.9, 0.95, 0.95)  # name, birthday, health, family
FIRM = Weight(0.8, 0.8, 0.9)  # home, work, protocols
PLAIN = Weight(0.65, 0.6, 0.85)  # tastes, tools, hobbies
LIGHT = Weight(0.5, 0.45, 0.75)  # happenings, habits, whatever fits no row
FAINT = Weight(0.4, 0.35, 0.65)  # considered, generic
PASSING = Weight(0.4, 0.3, 0.75)  # moods of the day
IDLE = Weight(0.1, 0.1, 0.6)  # said, but not worth keeping: the gate says so
WEIGHTS = {
    "core": CORE, "firm": FIRM, "plain": PLAIN, "light": LIGHT, "faint": FAINT, "passing": PASSING, "idle": IDLE,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a clause states.

    Attributes:
        content: the sentence a memory would have; ``{when}`` stands where its time goes.
        when: which field its times go to: ``valid`` (it holds from then), ``happened``, ``due``, or "" (none).
        dated: which times are told at the end of its content: all, those since and until when it holds, or none.
        corrects: it puts something right that was said before.
    """

    type: MemoryType
    content: str
    subject: str = "user"
    attribute: str | None = None
    value: str | None = None
    negated: bool = False
    operation: Operation = Operation.ADD
    weight: Weight = PLAIN
    surface: Surface = Surface.SPEAK
    when: str = "valid"
    dated: Literal["all", "span", "none"] = "all"
    names: tuple[str, ...] = ()
    corrects: bool = False


def idle(content: str, subject: str) -> Fact:
    """What is said, but not worth keeping."""
    return Fact(MemoryType.EPHEMERAL, content, subject or "user", weight=IDLE, when="")


def faint(content: str, subject: str) -> Fact:
    """A plain statement that says little."""
    return Fact(MemoryType.PROFILE_FACT, content, subject or "user", weight=FAINT)


def mood(content: str) -> Fact:
    """How the user is just now."""
    return Fact(MemoryType.EPHEMERAL, content, "user", "mood", weight=PASSING)


def open_loop(
    content: str,
    attribute: str | None = None,
    value: str | None = None,
    *,
    operation: Operation = Operation.ADD,
    weight: Weight = PLAIN,
    dated: Literal["all", "span", "none"] = "all",
) -> Fact:
    """What the user has still to do or to come to."""
    return Fact(
        MemoryType.OPEN_LOOP,
        content,
        "user",
        attribute,
        value,
        operation=operation,
        weight=weight,
        surface=Surface.CONTINUE,
        when="due",
    )


def closing(content: str, *, negated: bool = False) -> Fact:
    """That something the user had still to do is done, or dropped where it is denied."""
    return Fact(
        MemoryType.OPEN_LOOP,
        content,
        "user",
        negated=negated,
        operation=Operation.CLOSE_OPEN_LOOP,
        when="",
        dated="none",
    )
