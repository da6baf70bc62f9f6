"""Asking for summaries: one request a period, and several periods of one user in one call (DL-29).

A member request is what the reply cache knows; a joint one lists each message and memory once, whatever periods rest on
it. Never two users in one call.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import groupby
from typing import Any, TypeVar

from memory_pipeline.domain.calendar import Grain, period_of
from memory_pipeline.domain.derived.selection import clipped, memory_size, shown_tokens, size, told_order
from memory_pipeline.domain.derived.summary import SummaryGrain
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.policy import SummaryPolicy
from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.replies import CalendarReply, PeriodSummary
from memory_pipeline.inference.reply_cache import Pack
from memory_pipeline.stages.extraction.prompt_inputs import memory_input, message_input
from memory_pipeline.stages.summaries.summary_evidence import Evidence

_REPLY_OVERHEAD = 80  # ids and braces of one answer
_REPLY_TOKENS = 8192
_GRAINS = list(SummaryGrain)
N = TypeVar("N", bound=Hashable)


@dataclass(frozen=True)
class Member:
    """One user's period, or session, to be summarised.

    Attributes:
        label: of a period; empty for a session.
        start, end: first and last local day.
        tokens: the text at most.
        most: tokens of a message that is shown.
    """

    scope: Scope
    grain: SummaryGrain
    label: str
    start: date
    end: date
    tokens: int
    most: int
    evidence: Evidence

    @cached_property
    def request(self) -> ChatRequest[CalendarReply]:
        """The request of this period alone; its hash is the key under which the reply is kept."""
        return joint_request([self], self.evidence.messages, self.evidence.memories)

    @property
    def aliases(self) -> tuple[dict[str, Message], dict[str, MemoryVersion]]:
        """The messages and memories behind the ids of its own request."""
        return (
            {f"m{n}": m for n, m in enumerate(self.evidence.messages, 1)},
            {f"k{n}": v for n, v in enumerate(self.evidence.memories, 1)},
        )


def joint_request(
    members: Sequence[Member], messages: Sequence[Message], memories: Sequence[MemoryVersion]
) -> ChatRequest[CalendarReply]:
    """One request for some periods of a user.

    Args:
        messages, memories: all that the periods rest on, in the order in which they are shown.
    """
    place = {m: n for n, m in enumerate(messages, 1)}
    held = {v: n for n, v in enumerate(memories, 1)}
    first = members[0]
    inputs: dict[str, Any] = {
        "periods": [
            {
                "period": f"p{n}",
                "grain": str(member.grain),
                "label": member.label,
                "max_tokens": member.tokens,
                "messages": spans("m", (place[m] for m in member.evidence.messages)),
                "memories": spans("k", (held[v] for v in member.evidence.memories)),
            }
            for n, member in enumerate(members, 1)
        ],
        "messages": [_shown(m, f"m{n}", shown_tokens(m, first.most)) for m, n in place.items()],
        "memories": _remembered(held),
        "unspoken": list(dict.fromkeys(text for member in members for text in member.evidence.unspoken)),
    }
    return ChatRequest("calendar", inputs, CalendarReply, first.scope, first.start, max_tokens=_REPLY_TOKENS)


def _remembered(held: Mapping[MemoryVersion, int]) -> list[dict[str, Any]]:
    """The memories as they are listed.

    ``memory`` numbers what several versions are of; ``replaced_by`` is the number of what took its place, where that is
    listed too.
    """
    number: dict[str, int] = {}
    for version in held:
        number.setdefault(version.memory_id, len(number) + 1)
    return [
        memory_input(v, f"k{n}") | {"memory": number[v.memory_id], "replaced_by": number.get(v.superseded_by or "")}
        for v, n in held.items()
    ]


def _shown(message: Message, alias: str, tokens: int) -> dict[str, Any]:
    return message_input(message, alias) | {"content": clipped(message.content, tokens)}


def spans(letter: str, numbers: Iterable[int]) -> list[list[str]]:
    """Ids as first and last of each run: 1, 2, 3, 5 → [["m1", "m3"], ["m5", "m5"]]."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return [[f"{letter}{a}", f"{letter}{b}"] for a, b in runs]


def grouped(members: Iterable[Member], policy: SummaryPolicy) -> list[list[Member]]:
    """Packs of periods: of one user each, in the order of time, within the budgets of prompt and reply.

    A month that fits into a call is not cut, else its weeks are not, where they fit: what a cut parts is listed twice.
    """
    packs: list[list[Member]] = []
    ordered = sorted(members, key=lambda m: (m.scope, m.end, _GRAINS.index(m.grain), m.start))
    for _, same in groupby(ordered, key=lambda m: m.scope):
        pack = _Load(policy)
        for unit in _units(list(same), policy, tuple(Grain)[:0:-1]):
            if pack.members and not pack.holds(unit):
                packs.append(pack.members)
                pack = _Load(policy)
            pack.add(unit)
        packs.append(pack.members)
    return packs


def _units(members: Sequence[Member], policy: SummaryPolicy, grains: Sequence[Grain]) -> Iterator[list[Member]]:
    """What is not to be cut: the periods that end in one month, or week, where they fit into a call together."""
    if not grains:
        yield from ([member] for member in members)
        return
    for _, ending in groupby(members, key=lambda m: period_of(grains[0], m.end)):
        unit = list(ending)
        if _Load(policy).holds(unit):
            yield unit
        else:
            yield from _units(unit, policy, grains[1:])


class _Load:
    """A pack being filled."""

    def __init__(self, policy: SummaryPolicy) -> None:
        self.members: list[Member] = []
        self._policy = policy
        self._shown: dict[Message | MemoryVersion, int] = {}

    def holds(self, more: Sequence[Member]) -> bool:
        """Whether some members still fit."""
        lines = self._shown | {line: tokens for member in more for line, tokens in _lines(member).items()}
        wanted = sum(member.tokens + _REPLY_OVERHEAD for member in (*self.members, *more))
        return sum(lines.values()) <= self._policy.pack_tokens and wanted <= self._policy.pack_reply_tokens

    def add(self, more: Sequence[Member]) -> None:
        """Take members in, whether they fit or not."""
        self.members += more
        self._shown |= {line: tokens for member in more for line, tokens in _lines(member).items()}


def _lines(member: Member) -> dict[Message | MemoryVersion, int]:
    lines: dict[Message | MemoryVersion, int] = {m: size(m, member.most) for m in member.evidence.messages}
    return lines | {v: memory_size(v) for v in member.evidence.memories}


def joint_pack(members: Sequence[Member]) -> Pack:
    """One call for some periods of one user; each period keeps what it would have got alone."""
    messages = sorted({m for member in members for m in member.evidence.messages}, key=told_order)
    memories = sorted(
        {v for member in members for v in member.evidence.memories},
        key=lambda v: (v.day, v.changed_at, v.memory_id, v.version_id, v.content),
    )
    request = joint_request(members, messages, memories)
    shown = {f"m{n}": m for n, m in enumerate(messages, 1)}, {f"k{n}": v for n, v in enumerate(memories, 1)}

    def split(value: CalendarReply) -> list[CalendarReply | None]:
        found = {told.period: told for told in reversed(value.periods)}
        if len(members) == 1:  # asked about alone, whatever it is called, it is meant; no answer is no text
            found = {"p1": next(iter(value.periods), PeriodSummary("p1", "", [], []))}
        return [_own(found.get(f"p{n}"), member, *shown) for n, member in enumerate(members, 1)]

    return Pack(request, [member.request for member in members], split)


def _own(
    told: PeriodSummary | None, member: Member, messages: dict[str, Message], memories: dict[str, MemoryVersion]
) -> CalendarReply | None:
    """A period's part of a joint reply, in the ids of its own request; ids of what it does not rest on are dropped."""
    if told is None:
        return None
    return CalendarReply(
        [
            PeriodSummary(
                period="p1",
                text=told.text,
                messages=_renamed(told.messages, messages, member.evidence.messages, "m"),
                memories=_renamed(told.memories, memories, member.evidence.memories, "k"),
            )
        ]
    )


def _renamed(ids: Iterable[str], shown: dict[str, N], own: Sequence[N], letter: str) -> list[str]:
    place = {thing: n for n, thing in enumerate(own, 1)}
    numbers = (place.get(shown[i]) for i in dict.fromkeys(ids) if i in shown)
    return [f"{letter}{n}" for n in numbers if n is not None]
