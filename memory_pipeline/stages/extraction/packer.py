"""Packs as large as the model at hand can answer: by what its server allows, and by how much it has written so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.chat import ChatReply, limits_of
from memory_pipeline.inference.hosted.structured_output import UnfitReply
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract_requests import Work
from memory_pipeline.stages.extraction.packing import Capacity, User, grouped, own_tokens

_TASK = "extract"
_TELLING = 300  # tokens of windows; fewer say nothing of a user
_TYPICAL = 1_500  # … of a call; of smaller ones the frame of the reply is most
_LEAST, _MOST = 0.1, 20.0  # tokens of reply for one of a window
_FRUITLESS = 2.0  # a reply that was cut off before it had anything would have been at least so many times as long
Told = ChatReply[Any] | ReplyError


class Packer:
    """Makes packs, and learns from the replies: by user, for some say much of themselves."""

    def __init__(self, ctx: StageContext) -> None:
        self._ctx = ctx
        self._written: dict[User, int] = defaultdict(int)
        self._windows: dict[User, int] = defaultdict(int)

    @property
    def most_reply(self) -> int:
        """Tokens that a reply may have."""
        return self._ctx.policy.window.reply_tokens

    def grouped(self, works: Iterable[Work]) -> list[list[Work]]:
        """See :func:`packing.grouped`."""
        shares = {
            user: min(max(self._written[user] / tokens, _LEAST), _MOST)
            for user, tokens in self._windows.items()
            if tokens >= _TELLING
        }
        window = self._ctx.policy.window
        capacity = Capacity.of(window, limits_of(self._ctx.chat), self._constant, self._share, shares)
        return grouped(works, self._ctx.policy, capacity)

    def learn(self, pack: Sequence[Work], answers: Mapping[int, Told]) -> None:
        """Take notice of what came of a pack; ``answers`` by identity of their window."""
        user = (pack[0].window.tenant_id, pack[0].window.user_id)
        replies = {id(work): answers[id(work)] for work in pack}
        good = [work for work in pack if isinstance(replies[id(work)], ChatReply)]
        if good:
            reply = replies[id(good[0])]
            written = reply.usage.completion_tokens if isinstance(reply, ChatReply) and not reply.cached else 0
            self._note(user, written, sum(map(own_tokens, good)))
            return
        error = replies[id(pack[0])]
        if isinstance(error, UnfitReply) and error.cut_off:
            self._note(user, round(error.usage.completion_tokens * _FRUITLESS), sum(map(own_tokens, pack)))

    def _note(self, user: User, written: int, tokens: int) -> None:
        if written:
            self._written[user] += written
            self._windows[user] += tokens

    @cached_property
    def _constant(self) -> int:
        """Tokens of the prompt without windows; 0 where no prompt is rendered."""
        if self._ctx.settings.chat == "builtin":
            return 0
        rendered = self._ctx.prompts.render(_TASK, {"timezone": "Europe/Berlin", "windows": []})
        return sum(estimate_tokens(m["content"]) for m in rendered)

    @cached_property
    def _share(self) -> float | None:
        """Tokens of reply for each of the windows, by the ledger; None where that says nothing of this model."""
        if self._ctx.settings.chat == "builtin":
            return None
        from memory_pipeline.storage.queries.costs import habits

        habit = habits(self._ctx.lake, self._ctx.chat.model).get(_TASK)
        if habit is None or habit.prompt_tokens - self._constant < _TYPICAL:
            return None
        return min(max(habit.completion_tokens / (habit.prompt_tokens - self._constant), _LEAST), _MOST)
