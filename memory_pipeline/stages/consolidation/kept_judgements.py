"""The judge's answers that are at hand: a fold that finds its answers need not be done again for them.

What the judge has said before is; and all that a judge says who runs in the process.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.chat import ChatReply
from memory_pipeline.inference.replies import JudgeReply
from memory_pipeline.stages.consolidation.judge import TASK, Case
from memory_pipeline.stages.context import StageContext

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory_pipeline.inference.reply_cache import CachedReply


class JudgedBefore:
    """The kept replies to questions about what some users said from a day on; read with the first question."""

    def __init__(self, ctx: StageContext, users: Sequence[Scope], first: date) -> None:
        self._ctx = ctx
        self._users = users
        self._first = first

    @cached_property
    def _kept(self) -> Mapping[str, CachedReply]:
        days = [day for day in self._ctx.lake.days("replies") if day >= self._first]
        return self._ctx.replies.kept_of(TASK, self._users, days)

    def answer(self, case: Case) -> ChatReply[JudgeReply] | None:
        """The reply to a case; None where it must be asked and waited for."""
        replies = self._ctx.replies
        return replies.recall(case.request, self._kept) or replies.at_once(case.request)
