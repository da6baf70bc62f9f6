"""What the embedded chat model can be asked, and who answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memory_pipeline.inference.builtin.answer import answer
from memory_pipeline.inference.builtin.clusters import pattern
from memory_pipeline.inference.builtin.extract import extract
from memory_pipeline.inference.builtin.judge import judge
from memory_pipeline.inference.builtin.reflect import reflect
from memory_pipeline.inference.builtin.session import rolling
from memory_pipeline.inference.builtin.summarise import calendar

TASKS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "extract": extract,
    "consolidate": judge,
    "rolling_summary": rolling,
    "calendar": calendar,
    "reflect": reflect,
    "pattern": pattern,
    "answer": answer,
}
