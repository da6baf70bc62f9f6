"""Shapes of the figures that working memory and the server go by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorkingPolicy:
    """The turns of sessions under way (LS-24 to LS-26).

    Attributes:
        ttl_hours: since a session's last turn, after which it is not under way any more.
        turns: the latest that are in view, besides the first.
        context_tokens: of what a prompt block shows of them at most.
        builtin_pause_seconds, hosted_pause_seconds: without a new turn, after which the turns of a session are taken
            into the log and extracted, by the chat model that extracts.
        longest_seconds: the same for a session that does not pause.
    """

    ttl_hours: int
    turns: int
    context_tokens: int
    builtin_pause_seconds: float
    hosted_pause_seconds: float
    longest_seconds: float


@dataclass(frozen=True, slots=True)
class ServingPolicy:
    """Limits of the server.

    Attributes:
        body_bytes: of a request.
        batch_messages: in one request.
        most_items: that a search may ask for.
        page_items, most_page_items: of a list, where none is given, and at most.
        requests_per_minute, burst: of each key; without keys of everybody together.
        stop_seconds: that requests under way have to finish when the server stops.
        panel_session_hours: after which whoever has signed in to the panel shows a key again.
    """

    body_bytes: int
    batch_messages: int
    most_items: int
    page_items: int
    most_page_items: int
    requests_per_minute: int
    burst: int
    stop_seconds: int
    panel_session_hours: int
