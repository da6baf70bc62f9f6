"""Conversations as people have them, played through the command line and the reader: what is remembered, what is not.

    CONVERSATIONS=<folder> python -m benchmarks.conversations [--floor]

The folder holds ``run.py``, the runner, and ``dev/*.yaml``, the cases; without the variable it is looked for beside the
checkout. Figures are shares of the English cases, one for each kind of expectation, and the share of active memories
that nobody expected. With ``--floor`` the status is 1 where one of them is worse than what was reached before.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

FLOORS = {
    "know": 0.86,
    "safety": 0.9,
    "never": 0.93,
    "retired": 0.8,
    "history": 0.63,
    "loop": 0.86,
    "block": 0.93,
    "block-never": 0.88,
    "avoid": 0.95,
    "ask": 0.87,
    "ask-known": 0.92,
    "ask-never": 0.95,
}
CEILING = 0.12  # of active memories that nobody expected
MISSING = {"left_out": "no conversations: set CONVERSATIONS to the folder with run.py and dev/"}


def measure() -> dict[str, Any]:
    """The figures, or why there are none."""
    folder = Path(os.environ.get("CONVERSATIONS") or Path(__file__).parents[2] / "shared" / "conversations")
    cases = sorted(str(path) for path in folder.glob("dev/*.yaml"))
    if not cases:
        return dict(MISSING)
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [sys.executable, str(folder / "run.py"), *cases, "--home", home, "--json"],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        return {"failed": done.stderr[-2000:]}
    return _figures(json.loads(done.stdout))


def _figures(report: dict[str, Any]) -> dict[str, Any]:
    spoken: dict[str, str] = report["by_language"]["en"]
    shares = {kind: _share(counts) for kind, counts in spoken.items()}
    return {
        "cases": report["cases"],
        "shares": shares,
        "active_memories": report["active_memories"],
        "unexpected": round(report["unexpected"] / max(report["active_memories"], 1), 3),
        "below_the_floor": [kind for kind, floor in FLOORS.items() if shares.get(kind, 0.0) < floor],
    }


def _share(counts: str) -> float:
    good, total = map(int, counts.split("/"))
    return round(good / total, 3)


def main() -> None:
    """Prints the figures as JSON."""
    found = measure()
    print(json.dumps(found, indent=2))
    worse = "failed" in found or found.get("below_the_floor") or found.get("unexpected", 0.0) > CEILING
    if "--floor" in sys.argv and worse:
        sys.exit("worse than what was reached before")


if __name__ == "__main__":
    main()
