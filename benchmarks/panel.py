"""How long the panel's pages take where one user has many memories, each said in a conversation of its own.

    python -m benchmarks.panel [--memories 10000] [--rounds 12] [--home DIR]

A real server and a real client on one machine. Prints one JSON object: for each page milliseconds of the first request
and the median and the slowest of the others, and its size in kilobytes. A home that is given is filled once and kept.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import httpx
import numpy as np
import uvicorn

from benchmarks.homes import NOW, open_home
from benchmarks.large_store import OWN, TENANT, fill
from memory_pipeline.domain.calendar import Grain, Period, period_of
from memory_pipeline.domain.derived.summary import Summary, SummaryGrain
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.ledger.curation import as_proposal
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.proposal import Finding, Outcome, Verdict
from memory_pipeline.domain.scope import Classification
from memory_pipeline.serving.app import create_app
from memory_pipeline.serving.panel.pages import link
from memory_pipeline.stages.context import StageContext

USER = "ann"
WHO = {"tenant_id": TENANT, "user_id": USER}
TARGET_MS = 300


def measure(memories: int = 10_000, rounds: int = 12, home: str | None = None) -> dict[str, Any]:
    """All figures."""
    with tempfile.TemporaryDirectory() as folder:
        ctx = open_home(home or folder)
        if not ctx.lake.days("memory_versions"):
            fill(ctx, memories, [USER] * (memories // OWN), NOW.date())
            _tell(ctx)
        with _served(ctx) as url, httpx.Client(base_url=url, timeout=60) as client:
            pages = {name: _timed(request, rounds) for name, request in _requests(client).items()}
    slowest = max(page["p50"] for page in pages.values())
    return {"memories": memories, "target ms": TARGET_MS, "slowest page p50": slowest, "pages": pages}


def _tell(ctx: StageContext) -> None:
    """What led to the memories, and what was made of their days."""
    fine = Finding("confidence", True, 0.9, 0.4, "how sure the extractor is")
    months: set[Period] = set()
    for day in ctx.lake.days("memory_versions"):
        versions = ctx.lake.read("memory_versions", MemoryVersion, days=[day])
        proposals = [as_proposal(v) for v in versions]
        named = [
            replace(p, proposal_id=v.proposal_id, window_id=f"win_{v.memory_id}")
            for p, v in zip(proposals, versions, strict=True)
        ]
        ctx.lake.append("proposals", named)
        ctx.lake.append(
            "verdicts",
            [
                Verdict(
                    identifier("vdt", p.proposal_id), p.proposal_id, p.tenant_id, p.user_id, p.day, Outcome.ACCEPTED,
                    "add", (fine,) * 12, v.memory_id,
                )
                for p, v in zip(named, versions, strict=True)
            ],
        )  # fmt: skip
        told = [Period(Grain.DAY, day)]
        month = period_of(Grain.MONTH, day)
        if month not in months:
            months.add(month)
            told.append(month)
        for period in told:
            part = f"{period.grain}-{USER}"
            ctx.lake.replace("summaries", period.start, [_summary(ctx, period, versions)], part)


def _summary(ctx: StageContext, period: Period, versions: list[MemoryVersion]) -> Summary:
    last = max(v.observed_at for v in versions)
    return Summary(
        summary_id=identifier("sum", USER, period.label),
        tenant_id=TENANT,
        user_id=USER,
        grain=SummaryGrain(period.grain),
        start=period.start,
        text="Saw exhibitions. " * 12,
        observed_at=last,
        message_ids=(),
        memory_ids=tuple(v.memory_id for v in versions),
        input_hash="none",
        classification=Classification.INTERNAL,
        domains=(),
        agent_ids=(),
        model="none",
        prompt_hash="none",
        run_id=ctx.run_id,
        recorded_at=ctx.now,
    )


@contextmanager
def _served(ctx: StageContext) -> Iterator[str]:
    app = create_app(ctx.settings, work=False)
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def _requests(client: httpx.Client) -> dict[str, Callable[[], httpx.Response]]:
    """Each kind of page, as a browser asks for it."""
    listed = client.get(link("user", **WHO)).text
    memory = re.findall(r"/panel/memories/(mem_\w+)", listed)[0]
    session = re.findall(r"session_id=([^&\"]+)", client.get(link("conversations", **WHO)).text)[0]
    token = re.findall(r'name="form_token" value="(\w+)"', client.get(link("prompt", **WHO)).text)[0]
    message = {"message": "Which exhibition of old maps did I see?", "form_token": token, **WHO}
    addresses = {
        "users": link(),
        "user": link("user", **WHO),
        "search as you type": link("user", q="old maps", part="list", **WHO),
        "memory": link(f"memories/{memory}", **WHO),
        "timeline, months": link("timeline", **WHO),
        "timeline, days of a week": link("timeline", grain="day", start="2026-10-19", end="2026-10-25", **WHO),
        "conversations": link("conversations", **WHO),
        "conversation": link("conversation", session_id=session, **WHO),
        "gate": link("gate", **WHO),
        "gate, one reason": link("gate", reason="add", **WHO),
        "runs": link("runs"),
    }
    found: dict[str, Callable[[], httpx.Response]] = {
        name: lambda address=address: client.get(address) for name, address in addresses.items()
    }
    return {**found, "try a prompt": lambda: client.post(link("prompt"), data=message)}


def _timed(request: Callable[[], httpx.Response], rounds: int) -> dict[str, float]:
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        answer = request()
        taken.append((time.perf_counter() - began) * 1000)
        answer.raise_for_status()
    rest = taken[1:] or taken
    return {
        "first": round(taken[0], 1),
        "p50": round(float(np.median(rest)), 1),
        "most": round(max(rest), 1),
        "kB": round(len(answer.content) / 1000, 1),
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--home")
    given = parser.parse_args()
    print(json.dumps(measure(given.memories, given.rounds, given.home), indent=2))


if __name__ == "__main__":
    main()
