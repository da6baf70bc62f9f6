"""How long things are kept."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """Days after which messages and what accompanies them are erased; 0 = they are kept for good.

    Attributes:
        messages_days: of the message's own day, with all that rests on it alone.
        quarantine_days: since a line or a reply was put aside.
        recalls_days: since a read.
        replies_days: of the day of the messages that a model was asked about.
        clock_gap_days, clock_settles_days: after a longer time without a night, how long nothing is erased for its age:
            the machine's clock may have jumped.
    """

    messages_days: int
    quarantine_days: int
    recalls_days: int
    replies_days: int
    clock_gap_days: int
    clock_settles_days: int
