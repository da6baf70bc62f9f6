"""Whose words the sentences of a message are: the user's own, or asked, supposed, reported, pasted, played, ordered.

:func:`spans` reads one message. It cuts it into ``sentences``, recognises foreign text by its layout (``shapes``,
``letters``) or because a sentence announces it (``announcements``), and reads what the rest does (``acts``).
"""

from memory_pipeline.language.standing.reader import Span, Standing, Turn, replies, spans

__all__ = ["Span", "Standing", "Turn", "replies", "spans"]
