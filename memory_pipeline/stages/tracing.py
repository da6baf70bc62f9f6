"""Spans around stages: how much they took in and made, and what models took for it (RX-27)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from memory_pipeline import telemetry

if TYPE_CHECKING:
    from memory_pipeline.inference.reply_cache import ReplyCache
    from memory_pipeline.stages.context import StageContext
    from memory_pipeline.telemetry import Value

P = ParamSpec("P")
R = TypeVar("R")
Stage = Callable[Concatenate["StageContext", P], R]


def traced(name: str, figures: Callable[[Any], Mapping[str, Value]]) -> Callable[[Stage[P, R]], Stage[P, R]]:
    """Have a stage's work told as a span.

    Args:
        figures: the stage's result → attributes, worked out only when somebody takes spans; their names get the prefix
            ``memory_pipeline.``.
    """

    def around(stage: Stage[P, R]) -> Stage[P, R]:
        @wraps(stage)
        def told(ctx: StageContext, /, *args: P.args, **kwargs: P.kwargs) -> R:
            if not telemetry.is_traced():
                return stage(ctx, *args, **kwargs)
            before = _taken(ctx)
            with telemetry.span(name, **{"memory_pipeline.run_id": ctx.run_id}) as span:
                try:
                    made = stage(ctx, *args, **kwargs)
                    span.set_attributes({f"memory_pipeline.{key}": value for key, value in figures(made).items()})
                finally:
                    span.set_attributes(_difference(ctx, before))
            return made

        return told

    return around


def _taken(ctx: StageContext) -> tuple[int, int, int, int]:
    replies: ReplyCache | None = ctx.__dict__.get("replies")  # asking for it would open a model that nobody needs
    return (0, 0, 0, 0) if replies is None else replies.taken


def _difference(ctx: StageContext, before: tuple[int, int, int, int]) -> Mapping[str, Value]:
    calls, cached, read, written = (now - then for now, then in zip(_taken(ctx), before, strict=True))
    if not calls and not cached:
        return {}
    return {
        "gen_ai.request.model": ctx.chat.model,
        "memory_pipeline.model_calls": calls,
        "memory_pipeline.model_calls_cached": cached,
        "gen_ai.usage.input_tokens": read,
        "gen_ai.usage.output_tokens": written,
    }
