"""Which figures of the policy each stage goes by: exactly these make its partitions stale when they change.

A stage that calls no rule with a figure is left out of it, however near the figure stands in the table: how requests
are packed into calls, how often a bad reply is asked for again, and what only reads go by change no partition.
"""

from __future__ import annotations

_CONFIRMING = ("consolidation.reinforce_importance", "consolidation.reinforce_confidence")
_TOLD = (
    "summary.day_tokens",
    "summary.input_share",
    "summary.day_input_floor",
    "summary.day_input_tokens",
    "summary.message_tokens",
    "summary.memory_tokens",
    "gate.sensitive",
    "classification",
    "gate.max_blob",
    "derived",
)
_BY_SESSION = (
    "summary.rolling_tokens",
    "summary.rolling_user_turns",
    "summary.session_added",
    "summary.session_updated",
    "summary.session_input_tokens",
    "summary.session_shown_turns",
    "summary.session_days",
    "summary.session_pause_minutes",
)
# A period in which one finer period says it all is told in that one's words.
_BY_WEEK = (*_TOLD, "summary.week_tokens", "summary.week_input_tokens")

FIGURES: dict[str, tuple[str, ...]] = {
    "message_vectors": (
        "retrieval.previous_turn_characters",
        "retrieval.encoded_characters",
        "retrieval.encoded_reply_characters",
        "gate.sensitive",
        "classification",
    ),
    "proposals": (
        "window.max_messages",
        "window.max_tokens",
        "window.pause_minutes",
        "window.context_messages",
        "window.max_proposals_per_message",
        "summary.rolling_tokens",
        "summary.rolling_user_turns",
        "summary.input_tokens",
        "gate.sensitive",
    ),
    "memories": (
        "gate",
        "classification",
        "similarity.auto_merge",
        "similarity.merge",
        "similarity.judge",
        "similarity.link",
        "similarity.same_words",
        "consolidation.candidates",
        "consolidation.merge_importance",
        "consolidation.outcome_importance",
        *_CONFIRMING,
        "lifecycle",  # a replay lets time pass: what has been archived meanwhile is not confirmed
    ),
    "lifecycle": ("lifecycle", "curves", "strength.recalls", "prune"),
    "patterns": ("pattern", "gate", "derived"),
    "reflections": (
        "reflection.min_evidence",
        "reflection.min_days",
        "reflection.importance_threshold",
        "reflection.max_insights",
        "reflection.recent_days",
        "reflection.shown",
        "reflection.same_evidence",
        "similarity.same_words",
        *_CONFIRMING,
        "gate",
        "derived",
    ),
    "memory_vectors": (),
    "memory_links": ("similarity.link", "consolidation.max_links", "links"),
    "daily_summaries": (*_TOLD, *_BY_SESSION),
    "weekly_summaries": _BY_WEEK,
    "monthly_summaries": (*_BY_WEEK, "summary.month_tokens", "summary.month_input_tokens"),
    "recall_feedback": ("feedback",),
}
