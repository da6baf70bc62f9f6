"""Does a store that grows old stay as quick and as small? Months of chat, night after night. Prints JSON.

    python -m benchmarks.ageing [--days 400] [--users 50] [--activity 0.5] [--out benchmarks/results]

Simulated users (``lives.py``) chat with the builtin models; each night makes what the schedules would make
(``nights.py``). Targets: CPU of the last 30 nights at most 1.2 times that of nights 31 to 60, stored bytes per message
flat from then on, after every night's maintenance at most 3 times the bytes that are live, and active memories that
grow slower than the messages (an exponent below 1). With ``--out`` the
figures and a plot go there. Old versions of the index are dropped each night, since simulated nights are seconds apart.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from datetime import timedelta
from math import log
from pathlib import Path
from typing import Any

from benchmarks.line_chart import Chart, svg
from benchmarks.lives import people
from benchmarks.nights import START, mean, memories, night, sizes, weight
from memory_pipeline.inference.encoder import Encoder

_EVERY = 10  # nights between two looks at the store
_WEIGHED = {"lake", "index"}
Row = dict[str, Any]


def simulate(
    home: str, days: int, users: int, activity: float = 0.5, kept: Path | None = None, encoder: Encoder | None = None
) -> list[Row]:
    """Figures of every night; of some of them also what the store holds.

    Args:
        activity: share of days on which a user writes.
        kept: file that gets a line a night.
        encoder: in place of the builtin one.
    """
    everybody, rows, messages = people(users, activity), [], 0
    for n in range(days):
        day = START + timedelta(days=n)
        lines = [line for person in everybody for line in person.day(day)]
        messages += len(lines)
        row: Row = {"night": n + 1, "day": day.isoformat(), "messages": messages, "new": len(lines)}
        row["cpu"] = {name: round(s, 3) for name, s in night(home, day, lines, encoder).items()}
        row["bytes"], row["live_bytes"] = weight(home, day)
        if (n + 1) % _EVERY == 0 or n + 1 == days:
            row["stores"] = sizes(home)
            row["memories"] = _by_status(memories(home, day))
        rows.append(row)
        if kept is not None:
            with kept.open("a") as out:
                out.write(json.dumps(row) + "\n")
    return rows


def _by_status(users: dict[str, dict[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for held in users.values():
        for status, n in held.items():
            found[status] = found.get(status, 0) + n
    return found


def report(rows: Sequence[Row], users: int) -> Row:
    """The figures that the targets are about, and whether they are met (None where the run was too short)."""
    looks = [row for row in rows if "stores" in row]
    early, late = rows[30:60], rows[-30:]
    long = len(rows) >= 90
    cpu = {"nights_31_to_60": _cpu(early), "last_30_nights": _cpu(late)} if long else {"all": _cpu(rows)}
    ratio = round(cpu["last_30_nights"] / cpu["nights_31_to_60"], 3) if long else None
    settled = [row for row in looks if row["night"] >= 60]
    bytes_ = {row["night"]: _bytes(row) for row in looks}
    growth = round(_bytes(settled[-1]) / _bytes(settled[0]), 3) if long else None
    exponent = _exponent(settled, "active") if long else None
    return {
        "nights": len(rows),
        "users": users,
        "messages": rows[-1]["messages"],
        "cpu_s_a_night": cpu,
        "cpu_by_stage": {name: _stages(part) for name, part in (("nights_31_to_60", early), ("last_30_nights", late))}
        if long
        else {"all": _stages(rows)},
        "cpu_ratio": ratio,
        "bytes_a_message": bytes_,
        "most_bytes_times_live": round(max(row["bytes"] / row["live_bytes"] for row in rows if row["live_bytes"]), 3),
        "bytes_times_live": {row["night"]: round(row["bytes"] / row["live_bytes"], 3) for row in looks},
        "bytes_ratio_since_night_60": growth,
        "files": {row["night"]: {s: row["stores"][s]["files"] for s in _WEIGHED} for row in looks},
        "memories_a_user": {
            row["night"]: {
                "messages": round(row["messages"] / users, 1),
                "active": round(row["memories"].get("active", 0) / users, 1),
                "all": round(sum(row["memories"].values()) / users, 1),
            }
            for row in looks
        },
        "active_memories_exponent": exponent,
        "all_memories_exponent": _exponent(settled, None) if long else None,
        "targets": {
            "stores at most 3 times what is live": all(row["bytes"] <= 3 * row["live_bytes"] for row in rows)
            if long
            else None,
            "nightly CPU flat: ratio at most 1.2": ratio is not None and ratio <= 1.2 if long else None,
            "bytes a message flat: ratio at most 1.1": growth is not None and growth <= 1.1 if long else None,
            "active memories sublinear: exponent below 1": exponent is not None and exponent < 1 if long else None,
        },
    }


def _cpu(rows: Sequence[Row]) -> float:
    return round(mean(sum(row["cpu"].values()) for row in rows), 2)


def _stages(rows: Sequence[Row]) -> dict[str, float]:
    names = dict.fromkeys(name for row in rows for name in row["cpu"])
    return {name: round(sum(row["cpu"].get(name, 0.0) for row in rows) / max(len(rows), 1), 3) for name in names}


def _bytes(row: Row) -> int:
    return round(sum(row["stores"][store]["bytes"] for store in _WEIGHED) / row["messages"])


def _exponent(looks: Sequence[Row], status: str | None) -> float:
    """Least squares of log(memories) over log(messages): 1 grows with the messages, 0 not at all."""
    points = [
        (log(row["messages"]), log(max(1, row["memories"].get(status, 0) if status else sum(row["memories"].values()))))
        for row in looks
    ]
    x, y = mean(p for p, _ in points), mean(q for _, q in points)
    spread = sum((p - x) ** 2 for p, _ in points)
    return round(sum((p - x) * (q - y) for p, q in points) / spread, 3) if spread else 0.0


def charts(rows: Sequence[Row], users: int) -> list[Chart]:
    """CPU a night (mean of seven), bytes a message, memories of a user."""
    looks = [row for row in rows if "stores" in row]
    week = {row["night"]: _cpu(rows[max(0, n - 6) : n + 1]) for n, row in enumerate(rows) if n >= 6}
    kinds = {"active": ("active",), "stale": ("stale",), "all": None}
    return [
        Chart("CPU seconds a night, mean of seven nights", {"all stages, audits and maintenance": week}),
        Chart(
            "stored bytes a message",
            {
                store: {row["night"]: row["stores"][store]["bytes"] / row["messages"] for row in looks}
                for store in sorted(_WEIGHED)
            },
        ),
        Chart(
            "a user's messages and memories",
            {"messages": {row["night"]: row["messages"] / users for row in looks}}
            | {
                f"{name} memories": {
                    row["night"]: sum(n for s, n in row["memories"].items() if wanted is None or s in wanted) / users
                    for row in looks
                }
                for name, wanted in kinds.items()
            },
        ),
    ]


def measure(days: int = 400, users: int = 50, activity: float = 0.5, out: Path | None = None) -> Row:
    """Simulate in a home of its own; write the figures and the plot where ``out`` says."""
    with tempfile.TemporaryDirectory() as home:
        rows = simulate(home, days, users, activity, out and out / "ageing.log.jsonl")
    found = report(rows, users)
    if out is not None:
        (out / "ageing.json").write_text(json.dumps(found, indent=2) + "\n")
        (out / "ageing.svg").write_text(svg(charts(rows, users)))
    return found


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=400)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--activity", type=float, default=0.5, help="share of days on which a user writes")
    parser.add_argument("--out", type=Path)
    print(json.dumps(measure(**vars(parser.parse_args())), indent=2))


if __name__ == "__main__":
    main()
