"""Shapes of the figures from which a run is forecast."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CallFigures:
    """What a task takes, until the cost ledger has a history of it.

    Attributes:
        calls: for each user and day, week or month, by the stage's partitions. Of extraction and its rolling summaries
            the calls and prompts are counted, and only the ratio of the tokens matters.
        prompt_tokens, completion_tokens: of a call.
    """

    calls: float
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class ForecastPolicy:
    """The forecast before a run.

    Attributes:
        ask_usd: a run that is forecast to cost more is asked about, where somebody sits at the terminal.
        seconds: for a partition, by stage, until runs here have been measured; ``other`` for stages without a figure.
        seconds_of_call: of a hosted model, likewise.
        tasks: figures by task; ``other`` for tasks that have none of their own.
    """

    ask_usd: float
    seconds: Mapping[str, float]
    seconds_of_call: float
    tasks: Mapping[str, CallFigures]
