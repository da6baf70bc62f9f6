"""The isolation probe: users read with their neighbours' words, and nothing that is not theirs may come back (KN-26).

Every reader asks with the very texts of somebody else's memories, turns and summaries, another tenant's where there is
one. They are the query's nearest neighbours in the whole store, so a filter that fails shows at once. Besides, every
tenant has a canary (``domain.canary``), and the canaries of all tenants are nearest neighbours of one another. What
keeps a user's own rows from a read is probed in the same way (``bounded_reads``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.canary import CANARY_USER, canary_name, canary_of, canary_text
from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.scope import Classification, Scope
from memory_pipeline.evaluation.isolation.bounded_reads import asking_back, bounded_reads
from memory_pipeline.evaluation.isolation.markings import markings
from memory_pipeline.retrieval.answers.answer import STATUSES
from memory_pipeline.retrieval.answers.answer_evidence import MOST
from memory_pipeline.stages.messages.classes import classifier

if TYPE_CHECKING:
    from memory_pipeline.domain.reading.recall import RecalledItem
    from memory_pipeline.retrieval.reader import MemoryReader
    from memory_pipeline.stages.context import StageContext
    from memory_pipeline.storage.vectors.index import Index

_IDS = {"memories": "memory_id", "messages": "message_id", "summaries": "summary_id"}
_LAYERS = ("semantic", "episodic", "narrative")


@dataclass(frozen=True, slots=True)
class Foreign:
    """A row that came back to somebody whose it is not, or to a read that may not see it; ids only, nothing of what it
    says.

    Attributes:
        read: how it was read: ``search``, ``shared`` (a search that includes what the tenant shares), ``ask``,
            ``context``, ``memories`` or ``rows`` (the index itself).
        words_of: whose words were asked with.
        bound: what should have kept it out: ``owner``, or ``class``, ``domain``, ``agent``, ``session``.
        layer: of an own row: ``memory``, ``reflection``, ``turn`` or ``summary``.
    """

    tenant_id: str
    user_id: str
    read: str
    words_of: str
    item_id: str
    bound: str = "owner"
    layer: str = ""


@dataclass(frozen=True, slots=True)
class Probe:
    """What a probe found.

    Attributes:
        planted: canaries that tenants did not have yet.
        reads: how many were made, each with the words of somebody else, or of what it may not see.
    """

    tenants: int
    users: int
    planted: int
    reads: int
    foreign: tuple[Foreign, ...]


def recent_users(ctx: StageContext) -> list[Scope]:
    """Who has written on the last days on which anybody did: whom a probe is about.

    The number of days is the policy's, so a probe does not grow with the age of the store.
    """
    days = [day for day in ctx.lake.days("messages") if day <= ctx.now.date()][-ctx.policy.isolation.days :]
    table = ctx.lake.sql("SELECT DISTINCT tenant_id, user_id FROM messages", days={"messages": days})
    pairs = zip(table["tenant_id"].to_pylist(), table["user_id"].to_pylist(), strict=True)
    return sorted(Scope(*pair) for pair in pairs if pair[1] != CANARY_USER)


def plant(ctx: StageContext, tenants: Iterable[str]) -> int:
    """Give every tenant its canary, where it has none. Returns how many were planted."""
    from memory_pipeline.domain.proposal import MemoryType, Surface
    from memory_pipeline.stages.hand.curate import remember
    from memory_pipeline.stages.hand.statement import Fact

    planted = 0
    for tenant in sorted(set(tenants)):
        scope = canary_of(tenant)
        if ctx.index.rows("memories", scope, ["memory_id"]).num_rows == 0:
            text = canary_text(tenant)  # pinned, so that time leaves it alone
            remember(ctx, scope, Fact(text, type=MemoryType.PROFILE_FACT, surface=Surface.SPEAK, pinned=True))
            planted += 1
    return planted


def probe(ctx: StageContext, reader: MemoryReader, users: Sequence[Scope], day: date, planted: int = 0) -> Probe:
    """Read as some of the users, others each day, and as the canaries of all their tenants.

    Args:
        reader: of the same home; its reads should not go on record.
        day: chooses whom it is the turn of.
    """
    tenants = sorted({scope.tenant_id for scope in users})
    turn = sorted(users, key=lambda s: digest("probe", day.isoformat(), s.tenant_id, s.user_id))
    turn = turn[: ctx.policy.isolation.users]
    found: list[Foreign] = []
    reads = 0
    for number, reading in enumerate(turn):
        other = _neighbour(turn, number)
        if other is not None:
            texts = _words(ctx.index, other, ctx.policy.isolation.texts)
            reads += _READS * len(texts)
            found += _foreign(ctx.index, reader, reading, other, texts)
    held = markings(ctx.lake, turn, classifier(ctx))
    for scope in turn:
        for read in bounded_reads(reader, scope, held[scope], day, ctx.policy.isolation.texts):
            reads += 1
            where = scope.tenant_id, scope.user_id, read.read, scope.user_id
            found += (Foreign(*where, item_id, read.bound, layer) for item_id, layer in read.outside)
    for tenant, other_tenant in zip(tenants, [*tenants[1:], *tenants[:1]], strict=True):
        own, other = canary_of(tenant), canary_of(other_tenant)
        reads += _READS
        found += _foreign(ctx.index, reader, own, other, [canary_text(other_tenant)])
        found += _other_canaries(reader, own, other_tenant)
    return Probe(len(tenants), len(turn), planted, reads, tuple(dict.fromkeys(found)))


# For each text: a search, one that includes what the tenant shares, what answers it, and two prompt blocks.
_READS = 5


def _neighbour(turn: Sequence[Scope], number: int) -> Scope | None:
    """Whose words a user reads with: the next one's of another tenant, else the next one's."""
    own = turn[number]
    others = [*turn[number + 1 :], *turn[:number]]
    return next((s for s in others if s.tenant_id != own.tenant_id), others[0] if others else None)


def _words(index: Index, scope: Scope, most: int) -> list[str]:
    """What some of a user's memories, reflections, turns and summaries say."""
    import pyarrow.compute as pc

    memories = index.rows("memories", scope, ["content", "type"])
    reflects = pc.equal(memories["type"], "reflection")
    tables = [
        memories.filter(pc.invert(reflects)),
        memories.filter(reflects),
        *(index.rows(name, scope, ["content"]) for name in ("messages", "summaries")),
    ]
    texts = (text for table in tables for text in sorted(set(table["content"].to_pylist()))[:most])
    return list(dict.fromkeys(texts))


def _foreign(index: Index, reader: MemoryReader, scope: Scope, other: Scope, texts: Sequence[str]) -> Iterator[Foreign]:
    own: set[str] = set()
    for name, key in _IDS.items():
        rows = index.rows(name, scope, [key, "tenant_id", "user_id"])
        for item_id, *owner in zip(*(rows[c].to_pylist() for c in (key, "tenant_id", "user_id")), strict=True):
            if Scope(*owner) == scope:
                own.add(item_id)
            else:
                yield Foreign(scope.tenant_id, scope.user_id, "rows", other.user_id, item_id)
    for read, item_id in _read(reader, scope, texts):
        if item_id not in own and not (read == "shared" and _shared(index, scope, item_id)):
            yield Foreign(scope.tenant_id, scope.user_id, read, other.user_id, item_id)
    for row in reader.memories(user_id=scope.user_id, tenant_id=scope.tenant_id):
        if Scope(row["tenant_id"], row["user_id"]) != scope:
            yield Foreign(scope.tenant_id, scope.user_id, "memories", other.user_id, row["memory_id"])


def _read(reader: MemoryReader, scope: Scope, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Ids of what a user is given for some texts, with how they were read."""
    who: dict[str, Any] = {"user_id": scope.user_id, "tenant_id": scope.tenant_id}
    widest: dict[str, Any] = {**who, "k": 50, "layers": _LAYERS, "max_classification": Classification.CONFIDENTIAL}
    for text in texts:
        yield from (("search", i) for i in _ids(reader.search(text, detail="high", **widest)))
        yield from (("shared", i) for i in _ids(reader.search(text, include_shared=True, **widest)))
        yield from (("ask", i) for i in _ids(reader.search(text, **{**widest, "k": MOST, "statuses": STATUSES})))
        for message in (text, asking_back(text)):
            yield from (("context", i) for i in reader.context(message, **who).item_ids)


def _ids(items: Iterable[RecalledItem]) -> Iterator[str]:
    return (item.id for item in items)


def _shared(index: Index, scope: Scope, item_id: str) -> bool:
    """Whether an item is one that another user of the same tenant shares (KN-11)."""
    rows = index.lookup("memories", [item_id], ["tenant_id", "shared"]).to_pylist()
    return bool(rows) and all(row["tenant_id"] == scope.tenant_id and row["shared"] for row in rows)


def _other_canaries(reader: MemoryReader, own: Scope, other_tenant: str) -> Iterator[Foreign]:
    """Whether a canary's prompt block names another tenant's canary."""
    if own.tenant_id != other_tenant:
        block = reader.context(canary_text(other_tenant), user_id=own.user_id, tenant_id=own.tenant_id)
        if canary_name(other_tenant) in block.text:
            yield Foreign(own.tenant_id, own.user_id, "context", CANARY_USER, canary_name(other_tenant))
