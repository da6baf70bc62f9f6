"""What is asked about one window: its messages, what stands before them, and the key under which the reply is kept.

The rolling summary enters the key by the messages that it is made from, not by its text. So it needs to be made only
where a model cannot read these messages themselves in the same call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.lookback import Lookback
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.text import ends_of
from memory_pipeline.domain.window import Window
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.replies import ExtractReply, SummaryReply
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.engines.user_buckets import Bucket
from memory_pipeline.stages.extraction.prompt_inputs import (
    MESSAGE_TOKENS,
    SUMMARISED_TOKENS,
    message_input,
    within_budget,
)
from memory_pipeline.stages.extraction.session_context import cut
from memory_pipeline.stages.messages.redaction import for_models

_CONTEXT_TOKENS = 200
_ASIDE_TOKENS = 400  # of a turn that is never a source: long enough for a summary of earlier turns (NM-8)
_ANSWER_TOKENS = 240  # of an assistant's turn: what was talked of, and what it asked at its end
_ASIDE = frozenset({Role.SYSTEM, Role.TOOL})
_SUMMARY_REPLY_TOKENS = 1024


@dataclass(frozen=True, slots=True)
class Work:
    """One window to be extracted.

    Attributes:
        request: of this window alone; it is asked as part of a joint request.
    """

    window: Window
    messages: Sequence[Message]
    lookback: Lookback
    request: ChatRequest[ExtractReply]

    @property
    def session(self) -> tuple[str, str, str]:
        return (self.window.tenant_id, self.window.user_id, self.window.session_id)

    @property
    def summary_of(self) -> str:
        """Key of the rolling summary that it may be shown with; empty where there is none."""
        key: str = self.request.inputs["windows"][0]["summary_of"]
        return key


def works(ctx: StageContext, days: Iterable[date]) -> list[Work]:
    """The windows of some days, ready to be asked about; what the policy withholds is masked in their messages."""
    return works_of(ctx, Bucket(tuple(days)))


def works_of(ctx: StageContext, bucket: Bucket) -> list[Work]:
    """The same, of some users alone."""
    found = []
    for window, inside, seen in cut(ctx, bucket):
        shown = for_models(inside, ctx.policy.gate)
        before = Lookback(for_models(seen.context, ctx.policy.gate), for_models(seen.summarised, ctx.policy.gate))
        request = request_for(window, shown, before.context, summary_key(ctx, before.summarised))
        found.append(Work(window, shown, before, request))
    return found


def request_for(
    window: Window, messages: Sequence[Message], context: Sequence[Message], summary_of: str = ""
) -> ChatRequest[ExtractReply]:
    """The request of one window alone.

    Args:
        context: the messages before it.
        summary_of: identity of the rolling summary that it may be shown with.
    """
    inputs = {
        "timezone": window.timezone,
        "windows": [
            {
                "window": "w1",
                "summary_of": summary_of,
                "context": [message_input(m, f"c{n}", _CONTEXT_TOKENS) for n, m in enumerate(context, 1)],
                "messages": [
                    message_input(_shortened(m), f"m{n}", _ASIDE_TOKENS if m.role in _ASIDE else MESSAGE_TOKENS)
                    for n, m in enumerate(messages, 1)
                ],
            }
        ],
    }
    return ChatRequest("extract", inputs, ExtractReply, Scope(window.tenant_id, window.user_id), window.day)


def _shortened(message: Message) -> Message:
    """An assistant's turn is never a source: its beginning and its end tell what the user answers."""
    if message.role is not Role.ASSISTANT:
        return message
    return replace(message, content=ends_of(message.content, _ANSWER_TOKENS))


def summary_key(ctx: StageContext, summarised: Sequence[Message]) -> str:
    """Identity of the rolling summary of some messages: of all that it is made from and by; empty without messages."""
    if not summarised:
        return ""
    figures, first = ctx.policy.summary, summarised[0]
    made_by = (
        ctx.prompts.prompt_hash("rolling_summary"),
        str(figures.rolling_tokens),
        str(figures.input_tokens),
        ctx.policy.version("gate.sensitive"),
    )
    hashes = (m.content_hash for m in summarised)
    return digest(*made_by, first.tenant_id, first.user_id, first.session_id, *hashes)[:16]


def summary_request(ctx: StageContext, work: Work) -> ChatRequest[SummaryReply]:
    """The request of a rolling summary, made anew from the messages each time, never from the one before (RX-23)."""
    figures = ctx.policy.summary
    summarised = work.lookback.summarised
    chosen = within_budget(summarised, figures.input_tokens)
    inputs = {
        "messages": [message_input(m, f"m{n}", SUMMARISED_TOKENS) for n, m in enumerate(chosen, 1)],
        "max_tokens": figures.rolling_tokens,
    }
    scope, day = work.request.scope, summarised[-1].day
    return ChatRequest("rolling_summary", inputs, SummaryReply, scope, day, max_tokens=_SUMMARY_REPLY_TOKENS)
