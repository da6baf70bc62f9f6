"""The stages of the flow, each told once: what it reads and goes by, what makes it, and what follows from it.

Plan, freshness, forecast, erasure, Dagster's assets, jobs and schedules read this table; a new stage is a new entry.
"""

from __future__ import annotations

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.domain.ledger.memory import Cause
from memory_pipeline.stages.messages.previous_turn import following
from memory_pipeline.stages.plan import work
from memory_pipeline.stages.plan.stage import Cadence, Rhythm, Stage

__all__ = ["BY_LEVEL", "BY_NAME", "RHYTHMS", "STAGES", "TELLING", "Cadence", "Stage", "of_cadence"]


RHYTHMS = {
    Cadence.WEEKLY: Rhythm(
        "weekly_reflection", Grain.WEEK, "0 4 * * *", "Patterns, reflections and summaries of a week."
    ),
    Cadence.MONTHLY: Rhythm("monthly_summary", Grain.MONTH, "30 4 * * *", "Summaries of a month."),
}


_LEDGER = "memories"  # the pool of those that write the ledger
_CONFIRMING = ("consolidation.reinforce_importance", "consolidation.reinforce_confidence")
_SUMMARY = (
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
_SESSION_SUMMARY = (
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
_WEEK_SUMMARY = (*_SUMMARY, "summary.week_tokens", "summary.week_input_tokens")


def _summaries(
    name: str,
    grain: Grain,
    cadence: Cadence,
    policy: tuple[str, ...],
    description: str,
    *,
    waits: bool = False,
    settles: bool = False,
) -> Stage:
    return Stage(
        name,
        grain,
        reads=("messages", "told", "classes"),
        work=work.summarise(grain),
        policy=policy,
        level=4,
        follows="memories",
        after=("transcripts", "memories"),
        cadence=cadence,
        group="4_summaries",
        kinds=frozenset({"llm", "parquet", "lancedb"}),
        description=description,
        prompts=("calendar",),
        encodes=True,
        waits=waits,
        settles=settles,
        holds=(f"{grain} summaries",),
        table="summaries",
        version=4,
        reached=lambda taken: taken.summarised(grain),
    )


STAGES = (
    Stage(
        "message_vectors",
        Grain.DAY,
        reads=("turns",),
        work=work.index_turns,
        policy=(
            "retrieval.previous_turn_characters",
            "retrieval.encoded_characters",
            "retrieval.encoded_reply_characters",
            "gate.sensitive",
            "classification",
        ),
        level=0,
        after=("transcripts",),
        cadence=Cadence.ARRIVAL,
        group="1_transcripts",
        kinds=frozenset({"lancedb"}),
        description="The user's and the assistant's turns with their vectors, for recall of verbatim passages.",
        version=5,
        encodes=True,
        holds=("turns",),
        table="messages",
        reached=lambda taken: taken.days | following(taken.days),
    ),
    Stage(
        "proposals",
        Grain.DAY,
        reads=("windows",),
        work=work.extract,
        policy=(
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
        level=0,
        after=("transcripts",),
        cadence=Cadence.ARRIVAL,
        group="2_proposals",
        kinds=frozenset({"llm", "parquet"}),
        description="Candidate memories of each closed window of messages: typed, dated, with the quoted words they "
        "rest on. A function of the transcripts alone.",
        version=5,
        prompts=("extract", "rolling_summary"),
        holds=("windows", "proposals"),
    ),
    # Vectors only bring up what may be meant; slots, words and the judge decide. So the ledger outlives an encoder.
    Stage(
        "memories",
        Grain.DAY,
        reads=("proposals", "put_back", "classes"),
        work=work.consolidate,
        policy=(
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
        level=1,
        follows="proposals",
        after=("proposals",),
        cadence=Cadence.ARRIVAL,
        group="3_memories",
        kinds=frozenset({"parquet", "llm"}),
        version=7,
        description="The append-only ledger of memory versions. Each user's days are replayed in order through the "
        "gate and consolidation; every proposal gets a verdict. Nothing is published unless every check has passed.",
        pool=_LEDGER,
        prompts=("consolidate",),
        writes_ledger=True,
        holds=("verdicts", "stated"),
        reached=lambda taken: taken.days | taken.changed,
    ),
    Stage(
        "lifecycle",
        Grain.DAY,
        reads=("memories",),
        work=work.age,
        policy=("lifecycle", "curves", "strength.recalls", "prune"),
        level=2,
        follows="memories",
        after=("memories",),
        cadence=Cadence.SWEEP,
        group="7_lifecycle",
        kinds=frozenset({"parquet", "lancedb"}),
        description="Active, stale, archived, closed: what the policy table says that time does, as versions with "
        "reasons.",
        version=2,
        pool=_LEDGER,
        writes_ledger=True,
        holds=("aged",),
        reached=lambda taken: taken.caused(Grain.DAY, Cause.LIFECYCLE, Cause.FADING),
    ),
    Stage(
        "patterns",
        Grain.WEEK,
        reads=("memories", "patterns_put_back"),
        work=work.find_patterns,
        policy=("pattern", "gate", "derived"),
        level=3,
        follows="memories",
        after=("memories",),
        cadence=Cadence.WEEKLY,
        group="5_reflections",
        kinds=frozenset({"llm", "parquet", "lancedb"}),
        version=3,
        description="Alike findings and events in one statement; their memories are superseded by it and kept.",
        pool=_LEDGER,
        prompts=("pattern",),
        waits=True,
        writes_ledger=True,
        holds=("patterns",),
        reached=lambda taken: taken.caused(Grain.WEEK, Cause.PATTERN),
    ),
    Stage(
        "reflections",
        Grain.WEEK,
        reads=("memories", "reflections_put_back"),
        work=work.reflect,
        policy=(
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
        level=3,
        follows="memories",
        after=("memories", "patterns"),
        cadence=Cadence.WEEKLY,
        group="5_reflections",
        kinds=frozenset({"llm", "parquet", "lancedb"}),
        version=3,
        description="Insights about a user that rest on several memories of several days, with their ids.",
        pool=_LEDGER,
        prompts=("reflect",),
        settles=True,
        writes_ledger=True,
        holds=("reflections",),
        reached=lambda taken: taken.caused(Grain.WEEK, Cause.REFLECTION),
    ),
    Stage(
        "memory_vectors",
        Grain.DAY,
        reads=("versions",),
        work=work.index_memories,
        policy=(),
        level=4,
        follows="memories",
        after=("memories",),
        cadence=Cadence.ARRIVAL,
        group="3_memories",
        kinds=frozenset({"lancedb"}),
        description="Current memories with their vectors: one row a memory, as the ledger has it.",
        encodes=True,
        holds=("versions",),
        table="memories",
    ),
    Stage(
        "memory_links",
        Grain.DAY,
        reads=("versions",),
        work=work.link,
        policy=("similarity.link", "consolidation.max_links", "links"),
        level=4,
        follows="memories",
        after=("memory_vectors",),
        cadence=Cadence.NIGHTLY,
        group="3_memories",
        kinds=frozenset({"parquet", "lancedb"}),
        description="Typed links between memories (supersedes, contradicts, caused by, elaborates, related), and the "
        "entities that they are about, with their aliases.",
        pool="memory_links",
        encodes=True,
        holds=("links",),
        shares=True,
        reached=lambda taken: taken.changed,
    ),
    _summaries(
        "daily_summaries",
        Grain.DAY,
        Cadence.NIGHTLY,
        (*_SUMMARY, *_SESSION_SUMMARY),
        "What each user's day was about, from its messages and what became of the memories; none for a silent day. "
        "Long sessions have a rolling summary of their own.",
        settles=True,
    ),
    _summaries(
        "weekly_summaries",
        Grain.WEEK,
        Cadence.WEEKLY,
        _WEEK_SUMMARY,
        "Each user's week, once it is over, from its messages and what became of the memories.",
        waits=True,
    ),
    _summaries(
        "monthly_summaries",
        Grain.MONTH,
        Cadence.MONTHLY,
        (*_WEEK_SUMMARY, "summary.month_tokens", "summary.month_input_tokens"),
        "Each user's month, once it is over, from its messages and what became of the memories.",
        waits=True,
    ),
    Stage(
        "recall_feedback",
        Grain.DAY,
        reads=("recall",),
        work=work.collect_recalls,
        policy=("feedback",),
        level=0,
        after=(),
        cadence=Cadence.NIGHTLY,
        group="6_recall",
        kinds=frozenset({"parquet"}),
        description="Reads and the feedback on them: access counts, last access and usefulness of each item.",
    ),
)
"""In the order in which a first run makes them."""
BY_NAME = {stage.name: stage for stage in STAGES}
BY_LEVEL = tuple(sorted(STAGES, key=lambda stage: stage.level))
"""In the order in which what has changed is made anew."""
TELLING = tuple(stage.name for stage in STAGES if stage.tells)


def of_cadence(*cadences: Cadence) -> tuple[str, ...]:
    """Names of the stages that schedules make as often as that."""
    return tuple(stage.name for stage in STAGES if stage.cadence in cadences)
