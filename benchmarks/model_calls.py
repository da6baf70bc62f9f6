"""What a chat model is asked for LoCoMo 26 (419 messages), counted at a server that speaks OpenAI's protocol.

    DATASETS=<folder> python -m benchmarks.model_calls            # all but live_run_daily, some minutes
    DATASETS=<folder> python -m benchmarks.model_calls live       # back_fill and those that are named

* ``back_fill``: everything in one ``run``, through Dagster, as a user does it.
* ``live``: a day's messages come, its daily stages run; a week's and a month's run when it is over.
* ``live_run_daily``: a day's messages come, and ``run`` makes whatever is missing or stale, unfinished weeks included.
* ``second_ingest``: the same file again, and ``run``: must make no call and no memory.
* ``made_again``: a copy of the home loses everything but messages and kept replies, and ``run`` makes it again: must
  make no call, and the same versions and summaries but for the run and the time of recording.

Calls and prompt tokens (estimated, four characters each) are for 1,000 messages. The server's extraction is what the
builtin rules find in the prompt's lines; its judge finds everything new.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from benchmarks.dev_data import MISSING, folder
from benchmarks.plausible_answers import teach
from memory_pipeline.domain.calendar import Grain, period_of
from memory_pipeline.domain.derived.summary import Summary
from memory_pipeline.domain.ledger.memory import MemoryVersion, fold, standing
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline.stages.plan.registry import STAGES
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.schemas import Quarantined
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import Call

_KEPT = ("messages", "replies", "sources")
_OF_THE_RUN = frozenset({"run_id", "recorded_at"})
_EXAMPLES = 3


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """Environment variables for a while; Dagster's resources read them."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def model() -> Iterator[ProtocolServer]:
    """A server with plausible answers, and the environment that makes the pipeline ask it."""
    with ProtocolServer() as server:
        teach(server)
        with environment(
            OPENAI_BASE_URL=server.url,
            OPENAI_API_KEY="local",
            MEMORY_PIPELINE_CHAT="openai",
            MEMORY_PIPELINE_CHAT_MODEL="counted",
            MEMORY_PIPELINE_ENCODER="builtin",
        ):
            yield server


def conversation(place: Path, sample: str = "conv-26") -> Path:
    """A LoCoMo file with one conversation, in a folder."""
    source = folder()
    if source is None:
        raise FileNotFoundError(MISSING)
    every = json.loads((source / "locomo" / "locomo10.json").read_text(encoding="utf-8"))
    chosen = [row for row in every if row["sample_id"] == sample]
    path = place / "locomo.json"
    path.write_text(json.dumps(chosen, ensure_ascii=False), encoding="utf-8")
    return path


def asked(calls: Sequence[Call], messages: int) -> dict[str, Any]:
    """Calls and prompt tokens for 1,000 messages, by task and together."""
    counts, tokens = Counter(c.task for c in calls), Counter[str]()
    for call in calls:
        tokens[call.task] += call.prompt_tokens
    scale = 1000 / messages if messages else 0.0
    by_task = {
        task: {"calls": round(counts[task] * scale, 1), "prompt_tokens": round(tokens[task] * scale)}
        for task in sorted(counts)
    }
    return {
        "calls": len(calls),
        "calls_per_1000": round(len(calls) * scale, 1),
        "prompt_tokens_per_1000": round(sum(tokens.values()) * scale),
        "per_1000_by_task": by_task,
    }


def back_fill(server: ProtocolServer, home: Path, file: Path) -> dict[str, Any]:
    """Ingest a file and run once."""
    start, before, cpu = len(server.calls), time.perf_counter(), time.process_time()
    settings = Settings.load(home=str(home))
    report = ingest(_context(settings), [file])
    run(settings)
    return {
        **asked(server.calls[start:], report.taken or report.known),
        "taken": report.taken,
        **held(home),
        "wall_s": round(time.perf_counter() - before, 1),
        "cpu_s": round(time.process_time() - cpu, 1),
    }


def live(server: ProtocolServer, home: Path, messages: Sequence[Message], *, closed_only: bool) -> dict[str, Any]:
    """A day at a time.

    Args:
        closed_only: weeks and months run when they are over; else whatever is stale runs every day.
    """
    start, cpu = len(server.calls), time.process_time()
    settings = Settings.load(home=str(home))
    days = sorted({m.day for m in messages})
    stages = {grain: [s.name for s in STAGES if s.grain is grain] for grain in Grain}
    for n, day in enumerate(days):
        _append(settings, [m for m in messages if m.day == day])
        run(settings, only=stages[Grain.DAY] if closed_only else ())
        if not closed_only:
            continue
        following = days[n + 1] if n + 1 < len(days) else date.max
        for grain in (Grain.WEEK, Grain.MONTH):
            if following >= period_of(grain, day).end:
                run(settings, only=stages[grain])
    return {**asked(server.calls[start:], len(messages)), **held(home), "cpu_s": round(time.process_time() - cpu, 1)}


def _append(settings: Settings, messages: Sequence[Message]) -> None:
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "day.jsonl"
        file.write_text("".join(json.dumps(_landing(m), ensure_ascii=False) + "\n" for m in messages), "utf-8")
        ingest(_context(settings), [file])


def _landing(message: Message) -> dict[str, Any]:
    return {
        "tenant_id": message.tenant_id,
        "user_id": message.user_id,
        "session_id": message.session_id,
        "message_id": message.message_id,
        "role": str(message.role),
        "speaker": message.speaker,
        "content": message.content,
        "created_at": message.created_at.isoformat(),
        "metadata": json.loads(message.metadata),
    }


def _context(settings: Settings) -> StageContext:
    return StageContext(settings, "benchmark", datetime.now(UTC))


def held(home: Path) -> dict[str, Any]:
    """How much a home holds, and how many replies did not fit."""
    lake = Lake(str(home / "lake"))
    versions = standing(lake.read("memory_versions", MemoryVersion))
    return {
        "proposals": len(lake.read("proposals", Proposal)),
        "memories": len(fold(versions)),
        "versions": len(versions),
        "summaries": len(lake.read("summaries", Summary)),
        "replies_that_did_not_fit": len(lake.read("quarantined", Quarantined)),
    }


def states(home: Path) -> dict[str, dict[str, Any]]:
    """Every standing version and every summary by id, all fields but the run's."""
    lake = Lake(str(home / "lake"))
    versions = standing(lake.read("memory_versions", MemoryVersion))
    summaries = lake.read("summaries", Summary)
    return {
        "versions": {v.version_id: _fields(v) for v in versions},
        "summaries": {s.summary_id: _fields(s) for s in summaries},
    }


def _fields(row: Any) -> dict[str, str]:
    return {name: repr(getattr(row, name)) for name in type(row).__dataclass_fields__ if name not in _OF_THE_RUN}


def compared(one: Mapping[str, Mapping[str, Any]], other: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """How two homes differ: ids that only one has, with examples, and rows of the same id with other fields."""
    found: dict[str, Any] = {}
    for name in one:
        both = one[name].keys() & other[name].keys()
        found[name] = {
            "in_both": len(both),
            "only_before": len(one[name].keys() - both),
            "only_after": len(other[name].keys() - both),
            "other_fields": sum(one[name][i] != other[name][i] for i in both),
            "examples": [
                f"{side}: {row.get('cause', '')} {row.get('change', '')} {row.get('content', '')}".strip()
                for side, rows, ids in (
                    ("before", one[name], one[name].keys() - both),
                    ("after", other[name], other[name].keys() - both),
                )
                for row in (rows[i] for i in sorted(ids)[:_EXAMPLES])
            ],
        }
    found["identical"] = all(
        not part["only_before"] and not part["only_after"] and not part["other_fields"] for part in found.values()
    )
    return found


def made_again(server: ProtocolServer, home: Path, copy: Path) -> dict[str, Any]:
    """Run a copy of the home of which only messages and kept replies are left."""
    shutil.copytree(home, copy)
    for part in copy.iterdir():
        if part.name != "lake":
            shutil.rmtree(part) if part.is_dir() else part.unlink()
    for dataset in (copy / "lake").iterdir():
        if dataset.name not in _KEPT:
            shutil.rmtree(dataset) if dataset.is_dir() else dataset.unlink()
    start = len(server.calls)
    run(Settings.load(home=str(copy)))
    return {"calls": len(server.calls) - start, **compared(states(home), states(copy))}


def measure(names: Sequence[str] = ("second_ingest", "made_again", "live")) -> dict[str, Any] | str:
    """Some forms over LoCoMo 26, after the back-fill that they are compared with."""
    if folder() is None:
        return MISSING
    with tempfile.TemporaryDirectory() as place, model() as server:
        root = Path(place)
        file = conversation(root)
        home = root / "back_fill"
        found: dict[str, Any] = {"back_fill": back_fill(server, home, file)}
        messages = Lake(str(home / "lake")).read("messages", Message)
        if "second_ingest" in names:
            found["second_ingest"] = _again(server, home, lambda: back_fill(server, home, file))
        if "made_again" in names:
            found["made_again"] = made_again(server, home, root / "copy")
        for name in ("live", "live_run_daily"):
            if name in names:
                found[name] = live(server, root / name, messages, closed_only=name == "live")
                found[name]["against_back_fill"] = compared(states(home), states(root / name))
        return found


def _again(server: ProtocolServer, home: Path, act: Callable[[], Any]) -> dict[str, Any]:
    start, before = len(server.calls), states(home)
    taken = act()["taken"]
    return {"taken": taken, "calls": len(server.calls) - start, **compared(before, states(home))}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1:]) if sys.argv[1:] else measure(), indent=2))
