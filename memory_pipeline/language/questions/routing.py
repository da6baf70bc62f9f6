"""Whether a message asks for what the user has told, or is a turn of a conversation like any other (NM-31)."""

from __future__ import annotations

import re
from functools import cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.questions.reading import Wants, read
from memory_pipeline.language.questions.subjects import Whose
from memory_pipeline.language.questions.tables import elsewhere
from memory_pipeline.language.tables import read as table

_MARKS = ("?", "？")


def asks_memory(message: str) -> bool:
    """Whether a message asks for something of the user's own past, or of somebody of theirs: a question for memory
    alone. Advice, tasks, statements and questions about the world are none."""
    asked = read(message)
    if asked.wants in table("questions")["routing"]["never"] or _pattern("advice").search(asked.text):
        return False
    if not _pattern("opens").search(asked.text):
        return message.rstrip().endswith(_MARKS) and any(ask.search(message) for ask, _ in elsewhere())
    return asked.whose in (Whose.USER, Whose.OTHER) or asked.wants is Wants.SAID


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return lazy(table("questions")["routing"][name], re.I)
