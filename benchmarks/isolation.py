"""Many tenants whose users have said the same, and reads by all of them: how many rows come back that are another's.

    python -m benchmarks.isolation [--tenants 100] [--users 50] [--queries 10000]

Every text is in the store once for each user, so each query has thousands of foreign rows as near as the reader's own.
Users and tenants have names that look like filters. Goes through the real index and the real reader.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

from benchmarks.command_line import command_line
from benchmarks.homes import NOW, open_home
from memory_pipeline.domain.scope import Scope
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.parquet.arrow_rows import to_table
from memory_pipeline.storage.vectors.index import IndexedMemory, IndexedMessage
from memory_pipeline.storage.vectors.projection import indexed_memory
from memory_pipeline_tests import factories

SAYINGS = (
    "I moved to Lisbon last week.",
    "My sister Ana is allergic to peanuts.",
    "I bank with the harbour savings bank.",
    "I want to run the marathon in October.",
    "My manager is called Petra.",
)
QUESTIONS = ("Where do I live?", "Who is allergic?", "Petra", "", "🙂", "' OR 1=1 --", "tenant_id IS NOT NULL")
_TENANTS = ("acme", "acme'", 'ac"me', "acme OR true", "ACME", "acme\\", "ácme", "%", "_", "acme) OR (1=1")
_USERS = (
    "alice",
    "\\' OR true --",
    "alice'--",
    "Alice",
    "alice ",
    "*",
    "NULL",
    "user_id",
    "αlice",
    "alice;",
    "a" * 200,
)


def scopes(tenants: int, users: int) -> list[Scope]:
    """Owners; the first ones of each have names that look like filters."""
    names = [*_TENANTS, *(f"tenant-{n:03}" for n in range(tenants))][:tenants]
    people = [*_USERS, *(f"user-{n:03}" for n in range(users))][:users]
    return [Scope(tenant, user) for tenant in names for user in people]


def fill(ctx: StageContext, owners: list[Scope]) -> None:
    """The same sayings by everybody, as turns and as memories; each id tells its owner."""
    vectors = ctx.encoder.encode(SAYINGS)
    for start in range(0, len(owners), 500):
        part = owners[start : start + 500]
        memories = [row for n, scope in enumerate(part, start) for row in _memories(n, scope)]
        messages = [row for n, scope in enumerate(part, start) for row in _messages(n, scope)]
        ctx.index.upsert("memories", to_table(memories, IndexedMemory), vectors[list(range(5)) * len(part)])
        ctx.index.upsert("messages", to_table(messages, IndexedMessage), vectors[list(range(5)) * len(part)])
    ctx.index.optimize(timedelta(0), ctx.policy.maintenance.fragment_rows)


def _memories(number: int, scope: Scope) -> Iterator[IndexedMemory]:
    for n, text in enumerate(SAYINGS):
        made = indexed_memory(factories.memory(factories.proposal(text, factories.NOON)))
        yield replace(
            made,
            memory_id=f"mem|{number}|{n}",
            tenant_id=scope.tenant_id,
            user_id=scope.user_id,
            evidence=(f"msg|{number}|{n}",),
            shared=n == 0 and number % 10 == 0,
        )


def _messages(number: int, scope: Scope) -> Iterator[IndexedMessage]:
    for n, text in enumerate(SAYINGS):
        yield IndexedMessage(
            message_key=f"{number}|{n}",
            message_id=f"msg|{number}|{n}",
            tenant_id=scope.tenant_id,
            user_id=scope.user_id,
            session_id="s-1",
            agent_id=None,
            domain=None,
            role="user",
            speaker=None,
            content=text,
            previous="",
            created_at=factories.NOON,
            ordinal=n,
            classification="internal",
        )


def ask(reader: MemoryReader, owners: list[Scope], queries: int) -> dict[str, Any]:
    """Random reads; a foreign row is one whose id names another owner, unless it is shared within the tenant."""
    draw, found = random.Random(7), Counter[str]()
    began = time.perf_counter()
    for n in range(queries):
        number = draw.randrange(len(owners))
        scope, pool = owners[number], n % 4 == 0
        hits = reader.search(
            draw.choice((*SAYINGS, *QUESTIONS)),
            user_id=scope.user_id,
            tenant_id=scope.tenant_id,
            k=draw.choice((1, 10, 100)),
            layers=("semantic", "episodic", "narrative"),
            max_classification="confidential",
            include_shared=pool,
        )
        found["rows"] += len(hits)
        for item_id in (i for hit in hits for i in (hit.id, *hit.evidence)):
            owner = owners[int(item_id.split("|")[1])]
            shared = pool and owner.tenant_id == scope.tenant_id and int(item_id.split("|")[1]) % 10 == 0
            found["foreign"] += owner != scope and not shared
            found["shared by others of the tenant"] += owner != scope and shared
    seconds = time.perf_counter() - began
    return {"queries": queries, **found, "foreign": found["foreign"], "seconds": round(seconds, 1)}


def measure(tenants: int = 100, users: int = 50, queries: int = 10_000) -> dict[str, Any]:
    """Fill a home and read from it."""
    with tempfile.TemporaryDirectory() as home:
        ctx = open_home(home, NOW)
        owners = scopes(tenants, users)
        fill(ctx, owners)
        reader = MemoryReader(ctx.settings, encoder=ctx.encoder, recorded=False)
        return {"tenants": tenants, "users of each": users, "rows of the store": 10 * len(owners)} | ask(
            reader, owners, queries
        )


if __name__ == "__main__":
    command_line(measure, __doc__)
