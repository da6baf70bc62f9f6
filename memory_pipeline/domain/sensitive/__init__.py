"""Secrets and personal data in text: recognised by format, checksum or the words around them, and masked.

Pure functions of a text. What happens to a class (reject, mask, restrict, allow) stands in the policy table,
``[gate.sensitive]``; what is recognised stands here.
"""

from __future__ import annotations

from memory_pipeline.domain.policy import SensitiveClass
from memory_pipeline.domain.sensitive.detection import Span, find
from memory_pipeline.domain.sensitive.masking import marked, marker, masked
from memory_pipeline.domain.sensitive.screening import everything, handled, screen, statement, withheld

__all__ = [
    "SensitiveClass",
    "Span",
    "everything",
    "find",
    "handled",
    "marked",
    "marker",
    "masked",
    "screen",
    "statement",
    "withheld",
]
