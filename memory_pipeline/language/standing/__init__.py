"""Whose words the sentences of a message are: the user's own, or asked, supposed, reported, pasted, played, ordered.

:func:`spans` reads one message. It cuts it into ``sentences``, recognises foreign text by its layout (``shapes``,
``letters``) or because a sentence announces it (``announcements``), and reads what the rest does (``acts``).
What is not to be kept is read by the sentence (``off_record``) and out of the turns around it (``unsaid``).
"""

from memory_pipeline.language.standing.off_record import told_before
from memory_pipeline.language.standing.reader import Span, Standing, Turn, replies, spans
from memory_pipeline.language.standing.unsaid import UNSAID, recorded, unsaid

__all__ = ["UNSAID", "Span", "Standing", "Turn", "recorded", "replies", "spans", "told_before", "unsaid"]
