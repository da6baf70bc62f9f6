"""An erasure in each store in turn: the index first, so that no read finds what is going."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.erasure import Erasure
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.window import Window
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.landing.message_log import exclusive
from memory_pipeline.stages.operations.erasure import partitions
from memory_pipeline.stages.operations.erasure.deliveries import Deliveries
from memory_pipeline.stages.operations.erasure.erased_rows import Rows
from memory_pipeline.stages.operations.erasure.reach import params
from memory_pipeline.stages.operations.erasure.run_records import Redaction, redact
from memory_pipeline.stages.publication.staging import erase_staged
from memory_pipeline.storage.logs.access_log import AccessLog
from memory_pipeline.storage.logs.block_files import BlockFiles
from memory_pipeline.storage.logs.recall_log import RecallLog
from memory_pipeline.storage.logs.working_files import WorkingMemory

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_pipeline.storage.erasing.erasures import Erasures
    from memory_pipeline.storage.erasing.traces import Traces
    from memory_pipeline.storage.vectors.index import Index

_WRITTEN_AT_ONCE = timedelta(minutes=1)
_NEVER_AGAIN = frozenset({"messages", "message_revisions", "message_classes", "windows"})


class Stores:
    """Every place of a home that may hold something of what is erased."""

    def __init__(self, ctx: StageContext, erasure: Erasure, kept: Erasures, traces: Traces) -> None:
        self._ctx = ctx
        self._erasure = erasure
        self._traces = traces
        self.rows = Rows(erasure, traces, kept.pseudonym, _clean_replies(ctx, erasure))
        self._kept_as = kept.pseudonym
        self._deliveries = Deliveries(ctx, erasure, kept, traces)
        self._blocks = BlockFiles(ctx.settings.path("recall"))
        self._working = WorkingMemory(ctx.settings)
        self._accesses = AccessLog(ctx.settings)
        self._redaction = Redaction(traces, {scope.user_id for scope in erasure.whole})

    # -- looking

    def count(self) -> Counter[str]:
        """What there is to be removed, by store; nothing is changed.

        Raises:
            StorageError: a file of the inbox must be taken before anything can be erased from it.
        """
        found = partitions.count(self._ctx, self.rows)
        found.update(self._deliveries.inbox(dry=True))
        found.update(self._deliveries.quarantine_files(dry=True))
        found.update(self._quarantined(dry=True))
        found["reads in spools"] += self._spools(dry=True)
        found["kept prompt blocks"] += self._blocks.count(self._erasure.scopes)
        found["turns of sessions under way"] += self._working.count(self._erasure.whole, self._turns())
        found["entries of the access log"] += self._accesses.count(self._erasure.whole)
        for index in indexes(self._ctx):
            for name, ids in _keys(self._erasure).items():
                found[f"index rows of {name}"] += sum(
                    index.rows(name, s, [_key(name)]).num_rows for s in self._erasure.whole
                )
                found[f"index rows of {name}"] += index.lookup(name, ids, [_key(name)]).num_rows
        found.update(redact(self._ctx.settings, self._redaction, dry=True))
        return +found

    # -- removing

    def remove(self) -> Counter[str]:
        """Remove it; doing it twice is as good as once."""
        done: Counter[str] = Counter()
        for index in indexes(self._ctx):
            for name, ids in _keys(self._erasure).items():
                index.delete_users(name, self._erasure.whole)
                index.delete(name, ids)
        done["unfinished files"] += self._unfinished()
        for scope in sorted(self._erasure.scopes):  # what is staged is made again
            done["staged rows"] += erase_staged(self._ctx, scope)
        with exclusive(self._ctx.settings):
            done.update(partitions.remove(self._ctx, self.rows))
            done.update(self._quarantined())
        self._spools()
        self._blocks.forget(self._erasure.scopes)
        self._working.forget(self._erasure.whole, self._turns())
        self._accesses.rename({scope: self._kept_as(scope) for scope in self._erasure.whole})
        done.update(self._deliveries.inbox())
        done.update(self._deliveries.quarantine_files())
        with exclusive(self._ctx.settings):
            names = {scope.user_id: self._kept_as(scope) for scope in self._erasure.whole}
            done["names of files taken"] += partitions.rename_sources(self._ctx, names)
        users = {scope.user_id for scope in self._erasure.whole}
        done["notes made again"] += partitions.forget_notes(self._ctx, self._traces, users)
        done.update(redact(self._ctx.settings, self._redaction))
        return +done

    def purge_index(self) -> Counter[str]:
        """Let the index forget its older versions."""
        done: Counter[str] = Counter()
        for index in indexes(self._ctx):
            done.update(index.purge(self._ctx.policy.maintenance.fragment_rows))
        return done

    def left(self) -> Counter[str]:
        """Rows that are still there, by dataset and index table: what the proof wants to be none."""
        found = partitions.count(self._ctx, self.rows)
        found["kept prompt blocks"] = self._blocks.count(self._erasure.whole)
        found["turns of sessions under way"] = self._working.count(self._erasure.whole)
        found["entries of the access log"] = self._accesses.count(self._erasure.whole)
        if not self._erasure.whole:  # what was made anew bears the ids that it had
            found = Counter({name: n for name, n in found.items() if name in _NEVER_AGAIN})
            found["memory_versions"] += self._citing()
        for index in indexes(self._ctx):
            for name in _keys(self._erasure):
                count = sum(index.rows(name, s, [_key(name)]).num_rows for s in self._erasure.whole)
                found[f"index rows of {name}"] += count
        return +found

    def _turns(self) -> list[tuple[Scope, frozenset[tuple[str, str]]]]:
        """Session and message ids of what is erased of users who stay."""
        return [(scope, frozenset(target.messages or ())) for scope, (target, _) in self._erasure.partly.items()]

    def _citing(self) -> int:
        """Versions that still rest on an erased message; an id that another session has too says nothing."""
        total = 0
        for scope, (target, _) in self._erasure.partly.items():
            total += self._ctx.lake.sql(
                "SELECT count(*) AS n FROM memory_versions WHERE tenant_id = $tenant AND user_id = $user "
                "AND list_has_any(list_transform(evidence, lambda e: e.message_id), $gone) "
                "AND NOT list_has_any(list_transform(evidence, lambda e: e.message_id), coalesce("
                "(SELECT list(message_id) FROM messages WHERE tenant_id = $tenant AND user_id = $user "
                "AND list_contains($gone, message_id)), []))",
                {**params(scope), "gone": [message for _, message in target.messages or ()]},
            )["n"][0].as_py()
        return total

    def _unfinished(self) -> int:
        """Remove what killed processes have left half written: nobody writes to the lake while the fence is held."""
        from memory_pipeline.storage.erasing.unfinished import remove_unfinished

        with self._ctx.lake.fence.rewriting():
            lake = f"{self._ctx.lake.store.base}/"
            return remove_unfinished(self._ctx.settings, timedelta(), lake) + remove_unfinished(
                self._ctx.settings, _WRITTEN_AT_ONCE
            )

    def _spools(self, *, dry: bool = False) -> int:
        gone = {s: frozenset((*r.turns, *r.summaries)) for s, (_, r) in self._erasure.partly.items()}

        def taken(event: Mapping[str, Any]) -> bool:
            scope = Scope(event.get("tenant") or "?", event.get("user") or "?")
            if scope in self._erasure.whole:
                return True
            if scope not in gone:
                return False
            items = {item[0] for item in event.get("items", ())} | {event.get("item")}
            return not gone[scope].isdisjoint(items) or self._traces.touch(str(event.get("query", "")))

        return RecallLog(self._ctx.settings.path("recall")).drop(taken, dry=dry)

    def _quarantined(self, *, dry: bool = False) -> Counter[str]:
        done: Counter[str] = Counter()
        others = _others(self._ctx, self._erasure)
        for path in self._ctx.lake.files("quarantined"):
            table = self._ctx.lake.columns("quarantined", [path], ["source", "reason", "content"])
            hits = sum(self._deliveries.quarantined(iter(table.to_pylist()), others))
            done["quarantined"] += hits
            if hits and not dry:
                partitions.rewrite(self._ctx, path, lambda found: self._kept(found, others))
        return done

    def _kept(self, table: pa.Table, others: Mapping[str, set[str]]) -> pa.Table:
        import pyarrow as pa

        gone = self._deliveries.quarantined(iter(table.to_pylist()), others)
        return table.filter(pa.array([not g for g in gone], pa.bool_()))


def indexes(ctx: StageContext) -> Iterator[Index]:
    """The index of every encoder that has one in this home, its own last of all to be opened anew."""
    import os

    from memory_pipeline.storage.vectors.index import Index

    yield ctx.index
    base = ctx.settings.path("index")
    if ctx.settings.remote or not os.path.isdir(base):
        return
    for entry in sorted(os.scandir(base), key=lambda e: e.name):
        model, _, dimensions = entry.name.rpartition("-")
        if entry.is_dir() and dimensions.isdigit() and entry.path != ctx.index.uri:
            yield Index(base, model, int(dimensions))


def _keys(erasure: Erasure) -> dict[str, list[str]]:
    """Keys of index rows that go, by table; empty for users as a whole."""
    reached = [found for _, found in erasure.partly.values()]
    return {
        "messages": [i for found in reached for i in found.turns],
        "memories": [i for found in reached for i in found.memories],
        "summaries": [i for found in reached for i in found.summaries],
    }


def _key(name: str) -> str:
    from memory_pipeline.storage.vectors.index import TABLES

    return TABLES[name].key


def _clean_replies(ctx: StageContext, erasure: Erasure) -> set[str]:
    """Keys of the extraction replies that are still asked for without the erased messages: they never saw them."""
    if not erasure.partly:
        return set()
    from memory_pipeline.stages.extraction.extract_requests import works
    from memory_pipeline.stages.extraction.session_context import DAYS

    days = {day + timedelta(days=n) for _, r in erasure.partly.values() for day in r.days for n in range(-1, DAYS + 2)}
    held = {
        scope: {(session, message) for session, message in target.messages or ()}
        for scope, (target, _) in erasure.partly.items()
    }
    keys = set()
    for work in works(ctx, sorted(days & set(ctx.lake.days("messages")))):
        gone = held.get(work.request.scope)
        if gone is None:
            continue
        seen = (*work.messages, *work.lookback.context, *work.lookback.summarised)
        if not gone.intersection((m.session_id, m.message_id) for m in seen):
            keys.add(ctx.replies.key(work.request))
    return keys


def _others(ctx: StageContext, erasure: Erasure) -> dict[str, set[str]]:
    """Windows and proposals of the users who stay, by the task that asks about them."""
    if not erasure.whole:
        return {}
    windows = {
        w.window_id for w in ctx.lake.read("windows", Window) if Scope(w.tenant_id, w.user_id) not in erasure.whole
    }
    proposals = {
        p.proposal_id
        for p in ctx.lake.read("proposals", Proposal)
        if Scope(p.tenant_id, p.user_id) not in erasure.whole
    }
    return {"extract": windows, "rolling_summary": windows, "consolidate": proposals}
