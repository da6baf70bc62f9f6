"""kill -9 at every write boundary and at any moment: is the final state the one of an undisturbed run? Prints JSON.

    python -m benchmarks.fault_injection --kills 200 --jobs 16
    python -m benchmarks.fault_injection --kills 40 --dagster     # through the real `run`
    python -m benchmarks.fault_injection --kills 40 --commands    # rollback, acts, import, ageing, erasure, maintenance

A small home lives through some weeks (``faults.scenario``). Once undisturbed, with all write boundaries counted and the
home kept before each step; then once for each kill: from the step that it falls into a process works until it is
killed, another goes on to the end, and everything that the home holds is compared. Every fourth time the process that
goes on is killed, too.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.faults.commands import commands
from benchmarks.faults.scenario import Step, scenario
from benchmarks.faults.trials import Kill, Outcome, Reference, import_everything, reference, trial

_MOMENTS = 6  # one kill in so many is at a moment rather than a boundary
_AGAIN = 4
_SHOWN = 5


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--days", type=int, default=8, help="of the sample")
    parser.add_argument("--users", default="alice", help="of the sample: alice, ben, yumi")
    parser.add_argument("--dagster", action="store_true", help="through the real `run` and its Dagster instance")
    parser.add_argument("--commands", action="store_true", help="the commands beside the daily round")
    parser.add_argument("--short", action="store_true", help="one run, acts and maintenance: seconds, for a test")
    given = parser.parse_args()
    users, kind = given.users.split(","), {"dagster": given.dagster, "short": given.short, "apart": given.commands}
    found = measure(given.kills, given.seed, given.jobs, given.days, users, **kind)
    print(json.dumps(found, indent=2))
    if found["lost"] or found["doubled"] or found["differing final states"] or found["could not be finished"]:
        raise SystemExit(1)


def measure(
    kills: int = 60,
    seed: int = 1,
    jobs: int = 2,
    days: int = 8,
    users: Sequence[str] = ("alice",),
    *,
    dagster: bool = False,
    short: bool = False,
    apart: bool = False,
) -> dict[str, Any]:
    """Boundaries, kills, and what was lost, doubled or otherwise different after them."""
    began = time.monotonic()
    import_everything(dagster)
    with tempfile.TemporaryDirectory(prefix="faults-") as place:
        folder = Path(place)
        if apart:
            steps = commands(folder / "files", days, [*users, "ben"] if len(users) < 2 else users)
        else:
            steps = scenario(folder / "files", days, users, dagster=dagster, short=short)
        undisturbed = reference(steps, folder / "undisturbed")
        plan = chosen(undisturbed, kills, seed, [step.killed for step in steps])
        names = [step.name for step in steps]
        outcomes = _all(steps, plan, undisturbed, folder, jobs)
    by_step = Counter(names[o.kill.step] for o in outcomes if o.kills)
    return {
        **told(undisturbed, outcomes),
        "kills by step": dict(by_step.most_common()),
        "seconds": round(time.monotonic() - began, 1),
    }


def chosen(undisturbed: Reference, kills: int, seed: int, killed: Sequence[bool] = ()) -> list[Kill]:
    """Kills: some at moments, the others spread evenly over the kinds of boundaries.

    Args:
        killed: of each step, whether processes are killed in it, as often in each; by default in all.
    """
    where = killed or [True] * len(undisturbed.seconds)
    draw = random.Random(seed)
    by_kind: dict[str, list[Kill]] = defaultdict(list)
    for step, kinds in enumerate(undisturbed.boundaries):
        for n, kind in enumerate(kinds if where[step] else (), start=1):
            by_kind[kind if all(where) else str(step)].append(Kill(step, kind, n))
    moments = kills // _MOMENTS
    busy = [n for n, seconds in enumerate(undisturbed.seconds) if seconds > 0.05 and where[n]]
    found = []
    for _ in range(moments):
        step = draw.choices(busy, [undisturbed.seconds[n] for n in busy])[0]
        found.append(Kill(step, "a moment", after_s=draw.uniform(0, undisturbed.seconds[step])))
    found += _evenly(list(by_kind.values()), kills - moments, draw)
    for n in range(0, len(found), _AGAIN):
        kill = found[n]
        again = draw.randint(1, max(len(undisturbed.boundaries[kill.step]), 1))
        found[n] = Kill(kill.step, kill.kind, kill.boundary, kill.after_s, again)
    return found


def _evenly(groups: list[list[Kill]], wanted: int, draw: random.Random) -> list[Kill]:
    """Some of every group, of all as many; where there are more groups than that, of one for each operation first."""
    for group in groups:
        draw.shuffle(group)
    draw.shuffle(groups)
    seen: Counter[str] = Counter()
    ranked = []
    for group in groups:
        operation = group[0].kind.partition(":")[0]
        for n, kill in enumerate(group):
            ranked.append((n, seen[operation], len(ranked), kill))
        seen[operation] += 1
    return [kill for *_, kill in sorted(ranked, key=lambda entry: entry[:3])][:wanted]


_SHARED: dict[str, Any] = {}


def _all(steps: Sequence[Step], plan: Sequence[Kill], undisturbed: Reference, folder: Path, jobs: int) -> list[Outcome]:
    """Every trial in a process that has been forked from this one."""
    _SHARED.update(steps=steps, undisturbed=undisturbed, folder=folder)
    if jobs <= 1:
        return [_one(entry) for entry in enumerate(plan)]
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        return list(pool.imap_unordered(_one, enumerate(plan)))


def _one(entry: tuple[int, Kill]) -> Outcome:
    number, kill = entry
    with tempfile.TemporaryDirectory(prefix=f"kill-{number}-", dir=_SHARED["folder"]) as place:
        return trial(_SHARED["steps"], kill, _SHARED["undisturbed"], _SHARED["folder"] / "undisturbed", Path(place))


def told(undisturbed: Reference, outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """The report."""
    every = list(outcomes)
    kinds = Counter(kind for of in undisturbed.boundaries for kind in of)
    tried = Counter(o.kill.kind for o in every if o.kills)
    bad = [o for o in every if o.difference or o.failed]
    return {
        "boundaries": kinds.total(),
        "kinds of boundaries": len(kinds),
        "kinds tried": len(tried.keys() & kinds.keys()),
        "boundaries by operation": dict(Counter(k.partition(":")[0] for k in kinds.elements()).most_common()),
        "trials": len(every),
        "kills": sum(o.kills for o in every),
        "kills by operation": dict(Counter(k.partition(":")[0] for k in tried.elements()).most_common()),
        "lost": sum(len(o.difference.lost) for o in every),
        "doubled": sum(len(o.difference.doubled) for o in every),
        "differing final states": sum(bool(o.difference) for o in every),
        "could not be finished": sum(bool(o.failed) for o in every),
        "by what differs": dict(Counter(n for o in bad for n in _names(o)).most_common()),
        "examples": [_shown(o) for o in bad[:_SHOWN]],
    }


def _names(outcome: Outcome) -> list[str]:
    faults = [fault.partition(":")[0] for fault in outcome.difference.faults]
    return sorted({*outcome.difference.differing, *faults, *(["could not be finished"] if outcome.failed else [])})


def _shown(outcome: Outcome) -> dict[str, Any]:
    difference = outcome.difference
    return {
        "kill": vars(outcome.kill) if hasattr(outcome.kill, "__dict__") else str(outcome.kill),
        "failed": outcome.failed,
        "lost": difference.lost[:3],
        "doubled": difference.doubled[:3],
        "differing": difference.differing,
        "faults": difference.faults,
    }


if __name__ == "__main__":
    main()
