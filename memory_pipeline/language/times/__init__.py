"""Expressions of time in English, tied to the calendar of the person who wrote them.

``times`` reads whatever a message says; ``phrases`` and ``resolve`` are the smaller reader of questions.
"""

from memory_pipeline.language.times.expressions import TimeExpression, times

__all__ = ["TimeExpression", "times"]
