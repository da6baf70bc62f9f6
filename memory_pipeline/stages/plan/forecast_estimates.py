"""Estimates of what tasks will take whose requests rest on replies that are not there yet.

A task is taken to go on as it has: by the ledger's own history of the task and model, calls for each user and day (or
week, or month) that was extracted, and tokens for each call. Where there is no history, the figures of the policy
table stand in.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from math import ceil

from memory_pipeline.domain.calendar import Grain, Period, period_of
from memory_pipeline.domain.policy import CallFigures
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.plan.freshness import code_version
from memory_pipeline.stages.plan.registry import BY_NAME, STAGES

_OTHER = "other"  # figures of a task that the policy table does not name


@dataclass(frozen=True, slots=True)
class Unit:
    """A user's day, or the first day of a user's week or month."""

    scope: Scope
    start: date


@dataclass(frozen=True, slots=True)
class Part:
    """Partitions of one stage that a run would make."""

    stage: str
    grain: Grain
    partitions: Sequence[date]

    def days(self) -> list[date]:
        return [day for start in self.partitions for day in Period(self.grain, start).days()]


Fresh = set[Unit]


@dataclass(frozen=True, slots=True)
class Estimate:
    """See ``forecast.TaskForecast``."""

    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    basis: str


class Estimates:
    """What is known of the tasks' calls so far."""

    def __init__(self, ctx: StageContext) -> None:
        from memory_pipeline.storage.queries.costs import habits

        self._ctx = ctx
        self._model = ctx.chat.model
        self._habits = habits(ctx.lake, self._model)

    @staticmethod
    def tasks(stage: str) -> tuple[str, ...]:
        """The tasks that a stage asks a model for."""
        return BY_NAME[stage].prompts

    def counted(self, task: str, prompts: Sequence[int]) -> tuple[int, int, str]:
        """Prompt tokens, completion tokens and basis of requests whose prompts are known, by their size."""
        habit, figures = self._habits.get(task), self._figures(task)
        if habit is None:
            share = figures.completion_tokens / figures.prompt_tokens
            basis = "prompts counted; replies by the policy table, no history of this model yet"
        else:
            share = habit.completion_tokens / habit.prompt_tokens
            basis = f"prompts counted; replies as in {habit.calls:,} calls so far"
        return sum(prompts), round(sum(prompts) * share), basis

    def of(self, task: str, parts: Sequence[Part], fresh: Fresh) -> Estimate:
        """What a task will take.

        Args:
            parts: what asks it; several stages may share a task.
            fresh: user-days on which extraction will find something new.
        """
        kept = self._kept(task, [day for part in parts for day in part.days()])
        settled = {unit.scope for unit in kept}
        waiting = [self._waiting(part, fresh, settled) for part in parts]
        rate, basis = self._rate(task)
        calls = sum(map(len, waiting)) * rate
        habit, figures = self._habits.get(task), self._figures(task)
        prompt, completion = (
            (habit.prompt_tokens, habit.completion_tokens)
            if habit
            else (figures.prompt_tokens, figures.completion_tokens)
        )
        again = {unit.scope for units in waiting for unit in units}
        answered = sum(n for unit, n in kept.items() if unit.scope not in again)
        return Estimate(ceil(calls), answered, round(calls * prompt), round(calls * completion), basis)

    def _waiting(self, part: Part, fresh: Fresh, settled: Container[Scope]) -> set[Unit]:
        """The user-periods that will be asked about: those with something new, and those made in another way before."""
        changed = {Unit(u.scope, period_of(part.grain, u.start).start) for u in fresh}
        remade = self._made_otherwise(part)
        return {u for u in self._units(part) if u in changed or (u.start in remade and u.scope not in settled)}

    def _figures(self, task: str) -> CallFigures:
        tasks = self._ctx.policy.forecast.tasks
        return tasks.get(task) or tasks[_OTHER]

    def _rate(self, task: str) -> tuple[float, str]:
        """Calls for each user and period, and where the figure comes from."""
        habit = self._habits.get(task)
        grains = [stage.grain for stage in STAGES if task in stage.prompts]
        asked = sum(len({(who, period_of(grain, day).start) for who, day in self._extracted}) for grain in grains)
        if habit is None or not asked:
            return self._figures(task).calls, "estimated by the policy table: no history of this model yet"
        rate = habit.calls / asked
        periods = " or ".join(dict.fromkeys(map(str, grains)))
        return rate, f"estimated: {rate:.2g} calls a user and {periods}, as in {habit.calls:,} calls so far"

    @cached_property
    def _extracted(self) -> list[tuple[Scope, date]]:
        """The user-days that this model has been asked to extract."""
        table = self._ctx.lake.sql(
            "SELECT DISTINCT tenant_id, user_id, coalesce(event_day, day) AS day FROM costs "
            "WHERE stage = 'extract' AND model = $model AND calls + prompt_tokens > 0",
            {"model": self._model},
        )
        return [(Scope(r["tenant_id"], r["user_id"]), r["day"]) for r in table.to_pylist()]

    def _units(self, part: Part) -> set[Unit]:
        """Users who wrote in some periods, with the period."""
        table = self._ctx.lake.sql(
            "SELECT DISTINCT tenant_id, user_id, day FROM messages WHERE role = 'user'",
            days={"messages": part.days()},
        )
        return {
            Unit(Scope(r["tenant_id"], r["user_id"]), period_of(part.grain, r["day"]).start) for r in table.to_pylist()
        }

    def _kept(self, task: str, days: Iterable[date]) -> dict[Unit, int]:
        """How many replies are kept for each user and day, by this model to this prompt."""
        table = self._ctx.lake.sql(
            "SELECT tenant_id, user_id, day, count(DISTINCT key) AS n FROM replies "
            "WHERE task = $task AND model = $model AND prompt_hash = $hash GROUP BY ALL",
            {"task": task, "model": self._model, "hash": self._ctx.prompts.prompt_hash(task)},
            days={"replies": days},
        )
        return {Unit(Scope(r["tenant_id"], r["user_id"]), r["day"]): r["n"] for r in table.to_pylist()}

    def _made_otherwise(self, part: Part) -> set[date]:
        """Partitions that were never made, or by other prompts, another model or other policies."""
        code = code_version(self._ctx.settings, self._ctx.prompts, BY_NAME[part.stage])
        table = self._ctx.lake.sql(
            "SELECT day, arg_max(code, recorded_at) AS code FROM made WHERE stage = $stage GROUP BY day",
            {"stage": part.stage},
            days={"made": part.partitions},
        )
        same = {r["day"] for r in table.to_pylist() if r["code"] == code}
        return set(part.partitions) - same
