"""Short answers joined to the assistant's question, as sentences that the user thereby states.

:func:`answered` finds what the assistant asked (``prompts``, ``questions``) and what the reply says (``replies``), and
joins the two: yes and no (``closed``), one of several things (``options``), a value for "what" or "where" (``values``).
"""

from memory_pipeline.language.answers.answer import Answer, answered, remainder

__all__ = ["Answer", "answered", "remainder"]
