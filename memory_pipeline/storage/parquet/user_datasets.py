"""The datasets that make up what is known of a user: what a bundle carries, and what a shadow home begins with.

Vectors are no part of it, since they can be made again, nor are costs, which are the operator's.
"""

from __future__ import annotations

OF_A_USER = (
    "messages",
    "message_revisions",
    "message_classes",
    "windows",
    "proposals",
    "verdicts",
    "memory_versions",
    "holds",
    "links",
    "entities",
    "summaries",
    "replies",
    "recalls",
    "usefulness",
)
