"""The one home in which all fixtures of a day are played: the real stages, each user apart from every other."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_pipeline.curator import MemoryCurator
from memory_pipeline.domain.calendar import Grain, period_of
from memory_pipeline.domain.ledger.memory import FORGOTTEN_TOPIC, MemoryVersion, fold
from memory_pipeline.domain.proposal import DERIVED_TYPES, Proposal, Verdict
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import EvaluationError
from memory_pipeline.evaluation.fixture import Chat, Fixture
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext

if TYPE_CHECKING:
    from memory_pipeline.inference.encoder import Encoder

_MINUTE = timedelta(minutes=1)
_AGAIN = timedelta(seconds=20)


class FixtureHome:
    """A home of its own; its clock stands where the fixtures say.

    Attributes:
        now: time of the next read or act, UTC.
    """

    def __init__(self, settings: Settings, encoder: Encoder, today: datetime) -> None:
        self.settings = settings
        self.today = self.now = today.replace(tzinfo=UTC)
        self.encoder = encoder
        self._runs = 0
        self.reader = MemoryReader(settings, encoder=encoder, clock=lambda: self.now, seed=7)
        self.curator = MemoryCurator(settings, encoder=encoder, clock=lambda: self.now)

    @cached_property
    def lake(self) -> Any:
        return self._context().lake

    def _context(self) -> StageContext:
        self._runs += 1
        ctx = StageContext(self.settings, f"fixtures-{self._runs}", self.today)
        ctx.encoder = self.encoder
        return ctx

    # -- writing

    def take(self, lines: Iterable[dict[str, Any]]) -> None:
        """Messages into the log, and the memories that follow from them.

        Raises:
            EvaluationError: the message log did not take one.
        """
        from memory_pipeline.stages.consolidation.consolidate import consolidate
        from memory_pipeline.stages.extraction.extract import extract
        from memory_pipeline.stages.messages.ingest import ingest

        ctx = self._context()
        before = self._days_by_message(ctx)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "messages.jsonl"
            file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
            report = ingest(ctx, [file])
        if report.quarantined:
            raise EvaluationError(f"{report.quarantined} messages of fixtures are not of the landing format")
        after = self._days_by_message(ctx)
        days = sorted({day for key, day in after.items() if before.get(key) != day})
        extract(ctx, days)
        consolidate(ctx, days)

    def let_time_pass(self) -> None:
        """Everything up to today: what time does, the index, links, and the summaries of days."""
        from memory_pipeline.stages.links.link import link
        from memory_pipeline.stages.messages.index_messages import index_messages
        from memory_pipeline.stages.operations.age import age
        from memory_pipeline.stages.publication.publish import index_days
        from memory_pipeline.stages.summaries.summarize import summarize

        ctx = self._context()
        index_messages(ctx, ctx.lake.days("messages"))
        age(ctx, [self.today.date()])
        index_days(ctx, ctx.lake.days("memory_versions"))
        link(ctx, ctx.lake.days("memory_versions"))
        summarize(ctx, [period_of(Grain.DAY, day) for day in ctx.lake.days("messages")])

    def _days_by_message(self, ctx: StageContext) -> dict[tuple[str, ...], date]:
        days = ctx.lake.days("messages")
        if not days:
            return {}
        table = ctx.lake.sql(
            "SELECT tenant_id, user_id, session_id, message_id, content_hash, day FROM messages",
            days={"messages": days},
        )
        rows = zip(*(table[name].to_pylist() for name in table.column_names), strict=True)
        return {tuple(row[:-1]): row[-1] for row in rows}

    # -- looking

    def memories(self, scopes: Sequence[Scope]) -> dict[Scope, list[MemoryVersion]]:
        """What is remembered of some users in any state, without what is derived and without pleas on record."""
        from memory_pipeline.storage.queries.ledger import versions_of

        found: dict[Scope, list[MemoryVersion]] = {scope: [] for scope in scopes}
        for memory in fold(versions_of(self.lake, scopes)).values():
            if memory.type not in DERIVED_TYPES and memory.attribute != FORGOTTEN_TOPIC:
                found[memory.scope].append(memory)
        return {scope: sorted(part, key=lambda m: (m.observed_at, m.memory_id)) for scope, part in found.items()}

    def ledger_rows(self) -> dict[Scope, int]:
        """Rows of the ledger, withdrawals included, by user."""
        table = self.lake.sql("SELECT tenant_id, user_id, count(*) AS n FROM memory_versions GROUP BY ALL")
        columns = (table[name].to_pylist() for name in ("tenant_id", "user_id", "n"))
        return {Scope(tenant, user): rows for tenant, user, rows in zip(*columns, strict=True)}

    def verdicts(self) -> list[tuple[Verdict, Proposal]]:
        """Every verdict with what it was about."""
        proposals = {p.proposal_id: p for p in self.lake.read("proposals", Proposal)}
        return [(v, proposals[v.proposal_id]) for v in self.lake.read("verdicts", Verdict)]


@contextmanager
def open_home(settings: Settings | None, today: datetime) -> Iterator[FixtureHome]:
    """A home in a temporary folder, with the models of the settings; the builtin ones by default."""
    from memory_pipeline.inference.encoder import RememberingEncoder
    from memory_pipeline.inference.models import open_encoder

    given = settings or Settings.load(chat="builtin", encoder="builtin", timezone="UTC")
    with tempfile.TemporaryDirectory() as folder:
        own = given.model_copy(update={"home": folder, "timezone": "UTC", "chat_batch": False})
        yield FixtureHome(own, RememberingEncoder(open_encoder(own)), today)


# -- messages


def session_name(fixture: Fixture, chat: str, mark: str = "") -> str:
    """Id of a session: no two fixtures have the same."""
    return f"{mark}{fixture.name}/{chat}"


def message_name(fixture: Fixture, name: str, mark: str = "") -> str:
    """Id of a message that the fixture calls ``s1.2``."""
    return f"{mark}{fixture.name}/{name}"


def lines(
    fixture: Fixture,
    chats: Sequence[Chat],
    owner: Callable[[Scope], Scope] = lambda scope: scope,
    mark: str = "",
) -> Iterator[dict[str, Any]]:
    """Messages in the landing format.

    Args:
        owner: whose they are instead.
        mark: beginning of the ids of a copy, which is said a moment later.
    """
    for chat in chats:
        scope = owner(chat.scope(fixture.name))
        for n, turn in enumerate(chat.turns):
            at = (turn.at or chat.at + n * _MINUTE) + (_AGAIN if mark else timedelta())
            line = {
                "tenant_id": scope.tenant_id,
                "user_id": scope.user_id,
                "session_id": session_name(fixture, chat.id, mark),
                "message_id": message_name(fixture, f"{chat.id}.{n + 1}", mark),
                "role": turn.role.value,
                "speaker": turn.speaker,
                "content": turn.content,
                "created_at": at.isoformat(),
                "agent_id": chat.agent,
                "domain": chat.domain,
                "metadata": {"timezone": fixture.timezone},
            }
            yield {k: v for k, v in line.items() if v is not None}
