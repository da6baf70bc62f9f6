"""One user's windows into as few calls as the token budget allows, and the joint replies apart again.

Never two users in one call. What stands in a pack as messages of one window is not repeated as context of the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from memory_pipeline.domain.policy import Policy, WindowPolicy
from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.hosted.limits import Limits
from memory_pipeline.inference.replies import ExtractReply, ProposalDraft, WindowReply
from memory_pipeline.inference.reply_cache import Pack
from memory_pipeline.stages.extraction.extract_requests import Work

_LINE_TOKENS = 10  # id, time and name of a line
_WINDOW_TOKENS = 40  # tags and headings
_REPLY_TOKENS = 16_000
_REPLY_LEAST = 1024  # what a reply may have besides: its frame, and more for the first window
_REPLY_DENSEST = 20  # times its windows: a reply that is longer than that goes round in circles
_FULL = 0.8  # of what a reply may have: the estimate is one
User = tuple[str, str]
"""Tenant and user."""

_Message = tuple[str, str]  # session and message id: a pack holds one user's


@dataclass(frozen=True, slots=True)
class Capacity:
    """What one call can take.

    Attributes:
        window_tokens: of the windows in it, whatever the reply.
        reply_tokens: of its reply.
        context: of prompt and reply together; None = not known.
        constant: of the prompt without windows.
        share: tokens of reply for each of the windows, of a user nothing is known of.
        shares: the same by user, as measured.
    """

    window_tokens: int
    reply_tokens: int
    context: int | None = None
    constant: int = 0
    share: float = 0.5
    shares: Mapping[User, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls, policy: WindowPolicy, limits: Limits, constant: int, share: float | None, shares: Mapping[User, float]
    ) -> Capacity:
        """The capacity of a model.

        Args:
            constant: tokens of the prompt without windows, by our estimate.
            share: as measured of the model; None = nothing is known of it.
            shares: as measured of its replies about single users.
        """
        most = policy.reply_tokens if limits.output is None else min(policy.reply_tokens, limits.output)
        context = None if limits.context is None else int((limits.context - limits.thoughts) / limits.scale)
        usual = policy.reply_share if share is None else share
        return cls(policy.pack_tokens, most, context, constant, usual, shares)

    def tokens(self, user: User) -> int:
        """Tokens of windows that a call about a user may hold, so that the reply to be expected fits, too."""
        share = max(self.shares.get(user, self.share), 0.05)
        most = min(self.window_tokens, self.reply_tokens * _FULL / share)
        if self.context is not None:
            most = min(most, (self.context * _FULL - self.constant) / (1 + share))
        return int(most)


def grouped(works: Iterable[Work], policy: Policy, capacity: Capacity | None = None) -> list[list[Work]]:
    """Packs of windows: of one user and one zone each, the sessions in the order of time, each session's in a row.

    Args:
        capacity: of the model; by default what the policy table says.
    """
    figures = policy.window
    capacity = capacity or Capacity(figures.pack_tokens, figures.reply_tokens, share=figures.reply_share)
    todo = list(works)
    begins: dict[tuple[str, str, str], datetime] = {}
    for work in todo:
        begins[work.session] = min(begins.get(work.session, work.window.started_at), work.window.started_at)
    todo.sort(key=lambda w: (*_kind(w), begins[w.session], w.session, w.window.day, w.window.ordinal))
    packs: list[list[Work]] = []
    summary_tokens = policy.summary.rolling_tokens
    for kind, same in groupby(todo, key=_kind):
        budget = capacity.tokens(kind[:2])
        pack: list[Work] = []
        shown: set[_Message] = set()
        size = 0
        for work in same:
            tokens = _tokens(work, shown, summary_tokens)
            if pack and size + tokens > budget:
                packs.append(pack)
                pack, shown, size = [], set(), 0
                tokens = _tokens(work, shown, summary_tokens)
            pack.append(work)
            shown |= _own(work)
            size += tokens
        packs.append(pack)
    return packs


def own_tokens(work: Work) -> int:
    """Tokens of a window's own messages."""
    (window,) = work.request.inputs["windows"]
    return sum(estimate_tokens(line["content"]) + _LINE_TOKENS for line in window["messages"])


def _kind(work: Work) -> tuple[str, str, str]:
    return (work.window.tenant_id, work.window.user_id, work.window.timezone)


def _own(work: Work) -> set[_Message]:
    return {(work.window.session_id, m.message_id) for m in work.messages}


def _tokens(work: Work, shown: set[_Message], summary_tokens: int) -> int:
    (window,) = work.request.inputs["windows"]
    session = work.window.session_id
    lines = [
        *window["messages"],
        *(
            line
            for m, line in zip(work.lookback.context, window["context"], strict=True)
            if (session, m.message_id) not in shown
        ),
    ]
    summary = summary_tokens if _unread(work, shown) else 0
    return _WINDOW_TOKENS + summary + sum(estimate_tokens(line["content"]) + _LINE_TOKENS for line in lines)


def _unread(work: Work, shown: set[_Message]) -> bool:
    """Whether its rolling summary tells of messages that do not stand in the same pack."""
    return any((work.window.session_id, m.message_id) not in shown for m in work.lookback.summarised)


def to_summarise(pack: Sequence[Work]) -> list[Work]:
    """The windows of a pack that need their rolling summary."""
    shown: set[_Message] = set()
    found = []
    for work in pack:
        if _unread(work, shown):
            found.append(work)
        shown |= _own(work)
    return found


class Joint:
    """Some windows of one user as one request; messages are numbered through, so that no id stands twice in it.

    Attributes:
        works: in the order in which they are shown.
        strays: what the reply said of windows that were not asked about.

    Args:
        summaries: texts of rolling summaries, by their key; those that are missing are not shown.
        most_reply: tokens that the reply may have at most.
    """

    def __init__(self, works: Sequence[Work], summaries: Mapping[str, str], most_reply: int = _REPLY_TOKENS) -> None:
        self.works = works
        self.strays: list[WindowReply] = []
        self._names = [f"w{n}" for n in range(1, len(works) + 1)]
        self._original: dict[str, dict[str, str]] = {}  # by window: id in this request → id in the window's own
        self._home: dict[str, str] = {}  # id in this request → window
        needy = {id(w) for w in to_summarise(works)}
        first = works[0].request
        told = {id(w): summaries.get(w.summary_of, "") if id(w) in needy else "" for w in works}
        inputs = {**first.inputs, "windows": self._windows(told)}
        self.pack = Pack(
            ChatRequest(first.task, inputs, first.reply, first.scope, first.day, max_tokens=self._room(most_reply)),
            [work.request for work in works],
            self.split,
        )

    @property
    def first(self) -> str:
        """Id of its first window, by which it is named."""
        return self.works[0].window.window_id

    def _room(self, most: int) -> int:
        return min(most, _REPLY_LEAST + _REPLY_DENSEST * self.tokens)

    @property
    def tokens(self) -> int:
        """Of its windows."""
        return sum(map(own_tokens, self.works))

    def _windows(self, told: Mapping[int, str]) -> list[dict[str, Any]]:
        shown: set[_Message] = set()
        latest: dict[tuple[str, str, str], str] = {}
        context = 0
        joined = []
        for name, work in zip(self._names, self.works, strict=True):
            (window,) = work.request.inputs["windows"]
            ids = [f"m{len(self._home) + n}" for n in range(1, len(window["messages"]) + 1)]
            self._original[name] = {i: m["id"] for i, m in zip(ids, window["messages"], strict=True)}
            self._home |= dict.fromkeys(ids, name)
            before = [{**m, "id": f"c{context + n}"} for n, m in enumerate(window["context"], 1)]
            context += len(before)
            session = work.window.session_id
            joined.append(
                {
                    "window": name,
                    "after": latest.get(work.session, ""),
                    "summary": told[id(work)],
                    "context": before,
                    "shown": [
                        line["id"]
                        for m, line in zip(work.lookback.context, before, strict=True)
                        if (session, m.message_id) in shown
                    ],
                    "messages": [{**m, "id": i} for i, m in zip(ids, window["messages"], strict=True)],
                }
            )
            shown |= _own(work)
            latest[work.session] = name
        return joined

    def split(self, value: ExtractReply) -> list[ExtractReply | None]:
        """One reply a window, None for a window that the reply leaves out.

        A proposal belongs to the window whose message it cites, whatever window it was listed under. Asked about one
        window alone, a reply without any says that there is nothing in it.
        """
        found: dict[str, list[ProposalDraft]] = {name: [] for name in self._names}
        answered = set(self._names) if len(self._names) == 1 and not value.windows else set()
        for window in value.windows:
            if window.window not in found:
                self.strays.append(window)
                continue
            answered.add(window.window)
            for draft in window.proposals:
                home = self._belongs(draft, window.window)
                found[home].append(_renamed(draft, self._original[home]))
        return [ExtractReply([WindowReply("w1", found[name])]) if name in answered else None for name in self._names]

    def _belongs(self, draft: ProposalDraft, listed: str) -> str:
        homes = [self._home[e.message] for e in draft.evidence if e.message in self._home]
        return listed if listed in homes or not homes else homes[0]


def _renamed(draft: ProposalDraft, original: Mapping[str, str]) -> ProposalDraft:
    return replace(draft, evidence=[replace(e, message=original.get(e.message, "")) for e in draft.evidence])
