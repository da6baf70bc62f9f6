"""Simulated users who chat for months: what they are, like, plan, do and find out at work. Seeded, no model.

Every user has a life of their own: facts that hold and come up again, tastes and homes that change, plans with a date
that are mostly carried out, events that are told once or come back, findings at work that repeat with other figures,
and much small talk.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from benchmarks import life_words as words

Line = dict[str, Any]
_OPENERS = 0.35  # of a person's facts are told in the first weeks; the others come up as life goes on
_AGAIN = 0.25  # a told fact is mentioned again rather than a new one told
_DONE = 0.7  # of the plans are carried out and told of


@dataclass
class _Plan:
    task: str
    done: str
    due: date


@dataclass
class Person:
    """One simulated user; the same seed and name live the same life.

    Attributes:
        activity: share of days on which they write.
    """

    name: str
    seed: int
    activity: float = 0.5
    _plans: list[_Plan] = field(default_factory=list)
    _events: list[str] = field(default_factory=list)
    _told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = random.Random(f"{self.seed}/{self.name}")
        draw = self._random
        self._friends = draw.sample(words.NAMES, 6)
        self._facts = [f.format(**self._fillers()) for f in draw.sample(words.FACTS, len(words.FACTS))]
        self._likes: dict[str, str] = {}
        self._systems = draw.sample(words.SYSTEMS, 4)
        self._haunts = draw.sample(words.PLACES, 8)

    def day(self, day: date) -> Iterator[Line]:
        """What is said on a day, as landing lines; nothing on a silent one."""
        draw = self._random
        if draw.random() >= self.activity:
            return
        at = datetime.combine(day, time(8 + draw.randrange(12), draw.randrange(60)), UTC)
        turns = [self._turn(day) for _ in range(draw.choice((2, 3, 3, 4, 5)))]
        for n, text in enumerate(turns):
            for role, said in (("user", text), ("assistant", draw.choice(words.REPLIES))):
                at += timedelta(seconds=20 + draw.randrange(90))
                yield {
                    "user_id": self.name,
                    "session_id": f"{self.name}-{day}",
                    "message_id": f"{self.name}-{day}-{n}-{role[0]}",
                    "role": role,
                    "content": said,
                    "created_at": at.isoformat(),
                }

    def _turn(self, day: date) -> str:
        due = next((p for p in self._plans if p.due <= day), None)
        if due is not None:
            self._plans.remove(due)
            if self._random.random() < _DONE:
                return f"{due.done} today, finally done."
        kinds: Sequence[tuple[Callable[[date], str], int]] = (
            (self._small_talk, 30),
            (self._fact, 12),
            (self._taste, 9),
            (self._plan, 8),
            (self._event, 22),
            (self._finding, 10),
            (self._mood, 8),
            (self._change, 1),
        )
        (speak,) = self._random.choices([k for k, _ in kinds], [w for _, w in kinds])
        return speak(day)

    def _small_talk(self, day: date) -> str:
        return self._random.choice(words.SMALL_TALK).format(**self._fillers())

    def _mood(self, day: date) -> str:
        return self._random.choice(words.MOODS)

    def _fact(self, day: date) -> str:
        told = self._told
        fresh = len(told) < len(self._facts)
        if told and (not fresh or self._random.random() < _AGAIN + (1 - _OPENERS) * len(told) / len(self._facts)):
            return self._random.choice(words.AGAIN).format(fact=self._random.choice(told))
        told.append(self._facts[len(told)])
        return f"{told[-1]}."

    def _taste(self, day: date) -> str:
        """A taste told, told again, or changed."""
        kind = self._random.choice(sorted(words.TASTES))
        value = self._likes.get(kind)
        if value is not None and self._random.random() < 0.6:
            return f"You know me, my favorite {kind} is {value}."
        self._likes[kind] = self._random.choice([v for v in words.TASTES[kind] if v != value])
        return f"My favorite {kind} is {self._likes[kind]}{' now' if value else ''}."

    def _plan(self, day: date) -> str:
        task, done = self._random.choice(words.TASKS)
        fill = self._fillers()
        due = day + timedelta(days=self._random.randrange(3, 25))
        self._plans.append(_Plan(task.format(**fill), done.format(**fill), due))
        return f"I need to {self._plans[-1].task} by {due:%B} {due.day}."

    def _event(self, day: date) -> str:
        """Something that happened: mostly new, sometimes one that is talked about again."""
        if self._events and self._random.random() < 0.2:
            return f"As I said, {self._random.choice(self._events[-6:])}."
        fill = self._fillers()
        what = self._random.choice(words.EVENTS).format(**fill)
        self._events.append(f"I {what}")
        when = self._random.choice(("Yesterday", "This morning", "On the weekend", "Last night"))
        return f"{when} I {what}."

    def _finding(self, day: date) -> str:
        """Findings of one kind repeat, with another figure each time."""
        system = self._random.choice(self._systems)
        say = words.FINDINGS[words.SYSTEMS.index(system) % len(words.FINDINGS)]
        return say.format(system=system, n=self._random.randrange(5, 60), x=self._random.randrange(11, 49) / 10)

    def _change(self, day: date) -> str:
        """Life turns: another town, employer or job; seldom."""
        return self._random.choice(words.CHANGES).format(**self._fillers())

    def _fillers(self) -> dict[str, str]:
        draw = self._random
        return {
            "friend": draw.choice(getattr(self, "_friends", words.NAMES)),
            "other": draw.choice(words.NAMES),
            "place": draw.choice(getattr(self, "_haunts", words.PLACES)),
            "city": draw.choice(words.CITIES),
            "dish": draw.choice(words.DISHES),
            "thing": draw.choice(words.THINGS),
            "job": draw.choice(words.JOBS),
            "firm": draw.choice(words.FIRMS),
            "animal": draw.choice(words.ANIMALS),
            "hobby": draw.choice(words.HOBBIES),
            "topic": draw.choice(words.TOPICS),
            "food": draw.choice(words.ALLERGENS),
        }


def people(users: int, activity: float = 0.5, seed: int = 7) -> list[Person]:
    """Some users, each with a life of their own.

    Args:
        activity: share of days on which they write, on average; some write half as often again as others.
    """
    return [Person(f"user-{n:03}", seed, activity * (0.75 + 0.5 * (n % 7) / 6)) for n in range(users)]
