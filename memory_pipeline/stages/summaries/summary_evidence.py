"""What a summary may rest on: one user's messages and what became of the memories, without what was taken back.

A message whose words the user has corrected or forgotten is no evidence, whenever that was done; an edited memory is
told in the user's own words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cache
from typing import TYPE_CHECKING

from memory_pipeline.domain.classification import Classifier, strictest
from memory_pipeline.domain.consolidation.pleas import speaks_of
from memory_pipeline.domain.derived.selection import select, size, told_order, weightiest
from memory_pipeline.domain.ledger.memory import FORGOTTEN_TOPIC, RETIRED, Cause, Change, MemoryVersion, standing
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.policy import SummaryPolicy
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.domain.reading.topic_wordings import topics
from memory_pipeline.domain.reading.topics import Topic, beside, speaks
from memory_pipeline.domain.scope import Classification, Scope
from memory_pipeline.domain.text import content_words
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.engines.user_buckets import Bucket
from memory_pipeline.stages.messages.classes import classifier
from memory_pipeline.stages.messages.redaction import for_readers, on_record

if TYPE_CHECKING:
    import pyarrow as pa

# What the pipeline and the user state; not what reflections, patterns and time make of it.
TOLD = frozenset({Cause.PROPOSAL, Cause.MANUAL})
_ALWAYS = datetime.max.replace(tzinfo=UTC)
_BOOKKEEPING = frozenset({Change.PIN, Change.UNPIN, Change.SUPPRESS, Change.UNDO, Change.CLASSIFY})
_SAID_AGAIN = frozenset({Change.REINFORCE, Change.REVIVE, Change.MERGE, Change.EDIT})

# Memories whose present state reaches back: hidden from what is told, told in other words, or to fewer.
_REACHING_BACK = """
SELECT * FROM ({current})
WHERE change = 'forget' OR own_words OR len(taken_back) > 0 OR surface = 'avoid' OR type = 'boundary'
OR classification NOT IN ('public', 'internal')
"""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one summary is made from.

    Attributes:
        messages: those that it reads, in the order of time.
        memories: what became of each memory, its last version of the period; in the order of time. Where they are more
            than a summary may read, the most important ones.
        unspoken: contents that the user wants forgotten or not brought up, and that the period touches.
        classification: the strictest of all these messages and memories (KN-27).
        domains, agent_ids: every one that they belong to, in order.
        closed: the topics of boundaries and pleas to forget that stand; nothing of the above speaks of them.
    """

    messages: tuple[Message, ...]
    memories: tuple[MemoryVersion, ...]
    unspoken: tuple[str, ...]
    classification: Classification
    domains: tuple[str, ...]
    agent_ids: tuple[str, ...]
    closed: tuple[Topic, ...] = ()


class Diary:
    """One user's days, as evidence.

    Args:
        messages: of some days.
        versions: standing ones of the same days.
        reaching_back: present versions of memories that were taken back or corrected, must not be brought up, or are
            above the default class.
        classes: says which class a message has.
    """

    def __init__(
        self,
        policy: SummaryPolicy,
        messages: Iterable[Message],
        versions: Iterable[MemoryVersion],
        reaching_back: Iterable[MemoryVersion],
        classes: Classifier,
    ) -> None:
        self._policy = policy
        self._classes = classes
        self._back = {v.memory_id: v for v in reaching_back}
        self._hidden = {i: v for i, v in self._back.items() if _hidden(v)}
        gone = {m for v in self._back.values() for m in _gone(v)}
        told = list(versions)
        self._touched: set[str] = set()
        said = list(messages)
        own = [*(v.content for v in told), *(m.content for m in said if m.role is Role.USER)]
        self._closed = _closed(self._hidden.values(), own)
        self._messages: dict[date, list[Message]] = defaultdict(list)
        for message in said:
            if message.message_id not in gone and not _speaks(self._closed, message):
                self._messages[message.day].append(message)
        self._versions: dict[date, list[MemoryVersion]] = defaultdict(list)
        for version in told:
            if any(version.observed_at <= at and speaks_of(version, topic) for topic, at in self._closed):
                self._touched.add(version.memory_id)
            if version.cause in TOLD and version.change not in _BOOKKEEPING:
                self._versions[version.day].append(version)
        self._read = cache(self._read_of)
        named: dict[str, set[str]] = defaultdict(set)
        for message in (m for said in self._messages.values() for m in said if m.domain):
            named[message.session_id].add(str(message.domain))
        self._parts: dict[str | None, Diary] = {}
        self._of_session = {session: min(found) for session, found in named.items() if len(found) == 1}

    def days(self) -> list[date]:
        """Days on which the user wrote, in order."""
        return sorted(d for d, said in self._messages.items() if any(m.role is Role.USER for m in said))

    def domains(self, days: Iterable[date]) -> list[str | None]:
        """The domains that the user wrote in on some days, None where a message belongs to none."""
        said = (m for day in days for m in self._messages.get(day, ()) if m.role is Role.USER)
        return sorted({self._domain(m) for m in said}, key=lambda name: name or "")

    def _domain(self, message: Message) -> str | None:
        """Its own; of one that names none, the only one that its session names."""
        return message.domain or self._of_session.get(message.session_id)

    def of_domain(self, domain: str | None) -> Diary:
        """The part of it that belongs to a domain, or to none."""
        if domain not in self._parts:
            said = [m for found in self._messages.values() for m in found if self._domain(m) == domain]
            versions = [v for found in self._versions.values() for v in found if v.domain == domain]
            self._parts[domain] = Diary(self._policy, said, versions, self._back.values(), self._classes)
        return self._parts[domain]

    def evidence(
        self, days: Iterable[date], tokens: int, keep: Callable[[Message], bool] | None = None
    ) -> Evidence | None:
        """What some days are told from; None where the user wrote nothing.

        Each day's messages are chosen first, then so many of those as fit: a week reads nothing that its days do not.

        Args:
            tokens: budget of the messages.
            keep: which messages it is about; memories then rest on these. None = all.
        """
        span = sorted(set(days))
        said = [m for day in span for m in self._messages.get(day, ()) if keep is None or keep(m)]
        if not any(m.role is Role.USER for m in said):
            return None
        read = [m for day in span for m in self._read(day) if keep is None or keep(m)]
        there = {m.message_id for m in said}
        memories = self._told(span, strictest([Classification.INTERNAL, *map(self._classes.of, read)]))
        if keep is not None:
            memories = [v for v in memories if any(e.message_id in there for e in v.evidence)]
        memories = weightiest(memories, self._policy.memory_tokens)
        messages = select(read, tokens, self._policy.message_tokens, _words(memories))
        return Evidence(
            messages=tuple(sorted(messages, key=told_order)),
            memories=tuple(memories),
            unspoken=self._unspoken(span, there),
            classification=strictest([*map(self._classes.of, messages), *map(self._class, memories)]),
            domains=_named([*(m.domain for m in messages), *(v.domain for v in memories)]),
            agent_ids=_named([*(m.agent_id for m in messages), *(v.agent_id for v in memories if not v.shared)]),
            closed=tuple(topic for topic, _ in self._closed),
        )

    def _read_of(self, day: date) -> Sequence[Message]:
        figures = self._policy
        said = self._messages.get(day, [])
        total = sum(size(m, figures.message_tokens) for m in said if m.role is not Role.SYSTEM)
        tokens = min(max(int(figures.input_share * total), figures.day_input_floor), figures.day_input_tokens)
        return select(said, tokens, figures.message_tokens, _words(self._told([day], Classification.INTERNAL)))

    def _told(self, days: Sequence[date], ceiling: Classification) -> list[MemoryVersion]:
        """Of each memory that is not hidden what became of it in some days, told on the day on which it came up.

        What is above the messages' own class is left to searches: it would withhold all the rest from others (KN-27).
        """
        by_memory: dict[str, list[MemoryVersion]] = defaultdict(list)
        for day in days:
            for version in self._versions.get(day, ()):
                if version.memory_id in self._hidden or version.memory_id in self._touched:
                    continue
                if ceiling.permits(self._class(version)):
                    by_memory[version.memory_id].append(version)
        told = [self._in_own_words(_last(versions)) for versions in by_memory.values()]
        return sorted(told, key=lambda v: (v.day, v.changed_at, v.memory_id))

    def _in_own_words(self, version: MemoryVersion) -> MemoryVersion:
        corrected = self._back.get(version.memory_id)
        return version if corrected is None else replace(version, content=corrected.content)

    def _class(self, version: MemoryVersion) -> Classification:
        """The stricter one of what it had then and of what its memory has now."""
        now = self._back.get(version.memory_id, version)
        return strictest((version.classification, now.classification))

    def _unspoken(self, days: Sequence[date], messages: set[str]) -> tuple[str, ...]:
        touched = {v.memory_id for day in days for v in self._versions.get(day, ())}
        span = set(days)
        return tuple(
            sorted(
                {
                    v.content
                    for i, v in self._hidden.items()
                    if i in touched or v.day in span or any(e.message_id in messages for e in v.evidence)
                }
            )
        )


def _closed(hidden: Iterable[MemoryVersion], told: Sequence[str]) -> list[tuple[Topic, datetime]]:
    """The topics that boundaries and pleas close, each with the time up to which: a plea holds for what was said before
    it, a boundary at all times."""
    found = []
    for v in hidden:
        held = v.attribute == FORGOTTEN_TOPIC
        if held or (v.type is MemoryType.BOUNDARY and not v.forgotten):
            for topic in topics(v.value, v.content):
                names = {name for other in told for name in beside(topic, other)}
                found.append((topic.called(names), v.observed_at if held else _ALWAYS))
    return found


def _speaks(closed: Iterable[tuple[Topic, datetime]], message: Message) -> bool:
    """Whether a message speaks of what is closed; what the assistant says of it after a plea, too."""
    aside = message.role is not Role.USER
    return any((aside or message.created_at <= at) and speaks(topic, message.content) for topic, at in closed)


def _hidden(version: MemoryVersion) -> bool:
    if version.forgotten:
        return True
    kept_silent = version.surface is Surface.AVOID or version.type is MemoryType.BOUNDARY
    return kept_silent and version.status not in RETIRED


def _gone(version: MemoryVersion) -> set[str]:
    """Messages that must not be shown: those behind what is hidden, and those that an edit put right."""
    return set(version.taken_back) | ({e.message_id for e in version.evidence} if _hidden(version) else set())


def _named(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name}))


def _last(versions: Sequence[MemoryVersion]) -> MemoryVersion:
    """The last of a memory's versions; where it only confirms or refines, under the change of the first one."""
    ordered = sorted(versions, key=lambda v: v.version)
    first, last = ordered[0], ordered[-1]
    return replace(last, change=first.change, day=first.day) if last.change in _SAID_AGAIN else last


def _words(memories: Iterable[MemoryVersion]) -> frozenset[str]:
    return frozenset().union(*(content_words(v.content) for v in memories))


def diaries(
    ctx: StageContext, bucket: Bucket, sessions: Iterable[tuple[Scope, str]] | None = None
) -> Mapping[Scope, Diary]:
    """The diaries of those of some users who wrote on some days.

    Args:
        sessions: read these sessions' messages alone; None = all.
    """
    from memory_pipeline.storage.parquet.arrow_rows import from_table
    from memory_pipeline.storage.queries.ledger import CURRENT, ledger_files, scopes_table

    span = bucket.days
    messages: dict[Scope, list[Message]] = defaultdict(list)
    for message in messages_of(ctx, bucket, sessions):
        messages[Scope(message.tenant_id, message.user_id)].append(message)
    if not messages:
        return {}
    wanted = {"wanted": scopes_table(messages)}
    semi = "SELECT * FROM memory_versions SEMI JOIN wanted USING (tenant_id, user_id)"
    rows = from_table(ctx.lake.sql(semi, days={"memory_versions": span}, tables=wanted), MemoryVersion)
    back = from_table(
        ctx.lake.sql(
            f"WITH memory_versions AS ({semi}) {_REACHING_BACK.format(current=CURRENT)}",
            tables=wanted,
            files=ledger_files(ctx.lake, messages.keys()),
        ),
        MemoryVersion,
    )
    versions, reaching = _by_scope(standing(rows)), _by_scope(back)
    classes = classifier(ctx)
    return {
        scope: Diary(ctx.policy.summary, said, versions[scope], reaching[scope], classes)
        for scope, said in sorted(messages.items())
    }


def messages_of(
    ctx: StageContext, bucket: Bucket, sessions: Iterable[tuple[Scope, str]] | None = None
) -> Sequence[Message]:
    """The messages of some users' days, of all sessions or of some, without what the policy withholds from readers and
    without what is off the record."""
    if sessions is None:
        where, params = bucket.where
        said = ctx.lake.read("messages", Message, days=bucket.days, where=where, params=params)
        return on_record(for_readers(said, ctx.policy.gate))
    from memory_pipeline.storage.parquet.arrow_rows import from_table

    table = ctx.lake.sql(
        "SELECT * FROM messages SEMI JOIN asked USING (tenant_id, user_id, session_id)",
        days={"messages": bucket.days},
        tables={"asked": sessions_table(sessions)},
    )
    return on_record(for_readers(from_table(table, Message), ctx.policy.gate))


def sessions_table(sessions: Iterable[tuple[Scope, str]]) -> pa.Table:
    """Sessions as a table to join with."""
    import pyarrow as pa

    ordered = sorted(set(sessions))
    columns = {
        "tenant_id": [s.tenant_id for s, _ in ordered],
        "user_id": [s.user_id for s, _ in ordered],
        "session_id": [name for _, name in ordered],
    }
    return pa.table(columns, schema=pa.schema([(name, pa.string()) for name in columns]))


def _by_scope(rows: Iterable[MemoryVersion]) -> dict[Scope, list[MemoryVersion]]:
    found: dict[Scope, list[MemoryVersion]] = defaultdict(list)
    for row in rows:
        found[row.scope].append(row)
    return found
