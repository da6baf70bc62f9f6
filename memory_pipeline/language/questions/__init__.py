"""What a question to a memory asks for: whom it is about, the kind of its answer, and the attributes that fill it.

:func:`read` reads one question. ``subjects`` finds whom it is about, ``tables/questions.toml`` holds the wordings, and
``kinds`` tells whether a text holds something of the kind that is asked for. No parser. English.
"""

from memory_pipeline.language.questions.reading import Question, Wants, in_english, read
from memory_pipeline.language.questions.subjects import Whose

__all__ = ["Question", "Wants", "Whose", "in_english", "read"]
