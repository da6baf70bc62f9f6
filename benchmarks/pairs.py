"""What consolidation does with two statements that look alike: duplicates caught, and memories wrongly merged or ended.

    python -m benchmarks.pairs                     # our own pairs: with slots, without, and said by a user
    python -m benchmarks.pairs slots               # one of: slots bare said msrp stsb sick beam
    python -m benchmarks.pairs slots --failures    # and each pair that went wrong, to stderr
    python -m benchmarks.pairs bare --area diet --failures
    python -m benchmarks.pairs --held-out          # pairs that no rule and no threshold may be tuned to
    DATASETS=<folder> python -m benchmarks.pairs msrp stsb sick beam

Our own pairs stand in ``pairs.jsonl`` beside this file (the held-out ones in ``pairs_held_out.jsonl``), with the label
that a careful reader gives them:

    same      says the same              → reinforce or merge (superseded by its equal also leaves no duplicate)
    detail    the same with more detail  → merge
    changed   the slot has a new value   → supersede
    denied    the first no longer holds  → contradict (close, for a plan; supersede, by its opposite)
    distinct  another fact               → add

``slots`` gives both statements as proposals with the slots of a good extractor, ``bare`` the same without any slot,
``said`` lets a user say them in two messages, through ingest and the builtin extractor. A week lies between the two.
Targets: duplicates caught ≥ 90 %, false merges ≤ 1 % (of changed, denied and distinct), false retirements ≤ 1 % (of
distinct). Prints one JSON object; takes about ten seconds for our own pairs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import pair_corpora
from benchmarks.pair_outcomes import CONFIRMED, Pair, Result, conversations, statements

OWN = Path(__file__).with_name("pairs.jsonl")
HELD_OUT = Path(__file__).with_name("pairs_held_out.jsonl")
_RIGHT = {
    "same": frozenset({"reinforce", "merge", "revive"}),
    "detail": frozenset({"merge"}),
    "changed": frozenset({"supersede"}),
    "denied": frozenset({"contradict", "close", "supersede"}),
    "distinct": frozenset({"add"}),
}
_DUPLICATE = frozenset({"same", "detail"})
_FORMS = ("slots", "bare", "said")
_CORPORA = ("msrp", "stsb", "sick", "beam")
_SHOWN = 160  # characters of a statement in the list of failures


def own_pairs(area: str | None = None, file: Path = OWN) -> list[Pair]:
    """The pairs that ship with the benchmark."""
    rows = [Pair(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if area in (None, row.area)]


def caught(result: Result) -> bool:
    """No duplicate is left: it was taken for the first, or replaced it."""
    return bool((CONFIRMED | {"supersede"}) & set(result.changes))


def report(results: Sequence[Result]) -> dict[str, Any]:
    """Shares in per cent over the pairs of which both statements were heard, and what became of each label."""
    heard = [r for r in results if not r.unheard]
    by_label: dict[str, list[Result]] = defaultdict(list)
    for result in heard:
        by_label[result.pair.label].append(result)
    duplicates = [r for label in sorted(_DUPLICATE & set(by_label)) for r in by_label[label]]
    others = [r for label, part in by_label.items() if label not in _DUPLICATE for r in part]
    return {
        "pairs": len(results),
        "heard": len(heard),
        "duplicates": len(duplicates),
        "duplicates_caught_pct": _share(duplicates, caught),
        "not_duplicates": len(others),
        "false_merges_pct": _share(others, lambda r: r.merged),
        "distinct": len(by_label["distinct"]),
        "false_retirements_pct": _share(by_label["distinct"], lambda r: r.retired),
        "right_action_pct": _share(heard, right),
        "actions": {label: dict(Counter(r.action for r in by_label[label])) for label in _RIGHT if by_label[label]},
        "rejected": dict(Counter(code for r in results for code in r.rejected)),
    }


def right(result: Result) -> bool:
    """What was done to the first memory is what ought to be done, and nothing else."""
    wanted = _RIGHT[result.pair.label]
    done = {c for c in result.changes if c != "add"} or {result.action}
    return done <= wanted


def _share(results: Sequence[Result], test: Callable[[Result], bool]) -> float | None:
    return round(100 * sum(map(test, results)) / len(results), 1) if results else None


def failures(results: Sequence[Result]) -> list[str]:
    """A line for each pair that went wrong, and for each that was not heard."""
    lines = []
    for r in results:
        said = " / ".join(_short(side) for side in (r.pair.first, r.pair.second))
        if r.unheard:
            lines.append(f"unheard: {'+'.join(r.unheard)} {r.pair.id} {said}")
        elif not right(r):
            why = "; ".join(r.reasons or r.rejected)
            lines.append(f"{r.pair.label:8} → {'+'.join(r.changes) or 'none':14} {r.pair.id:15} {said}  ({why})")
    return sorted(lines, key=lambda line: line.startswith("unheard"))


def _short(side: Mapping[str, Any]) -> str:
    said = side.get("said") or side["text"]
    text = " ".join((said if isinstance(said, str) else " ".join(said)).split())
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def run(name: str, area: str | None = None, file: Path = OWN) -> list[Result]:
    """The results of one form or one data set; empty without data."""
    if name in ("slots", "bare"):
        return statements(own_pairs(area, file), slots=name == "slots")
    if name == "said":
        return conversations(own_pairs(area, file))
    if name == "beam":
        return conversations(pair_corpora.beam())
    return statements(pair_corpora.sentence_pairs(name), slots=False)


def measure() -> dict[str, Any]:
    """The reports of all forms and data sets, by name."""
    own = {name: report(run(name)) for name in _FORMS}
    held_out = {f"held_out_{name}": report(run(name, file=HELD_OUT)) for name in _FORMS}
    corpora = {name: report(found) if (found := run(name)) else pair_corpora.MISSING for name in _CORPORA}
    return {**own, **held_out, **corpora}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of: {', '.join((*_FORMS, *_CORPORA))}")
    parser.add_argument("--area", help="only our own pairs of this area")
    parser.add_argument("--held-out", action="store_true", help="the held-out pairs instead of the others")
    parser.add_argument("--failures", action="store_true", help="list the pairs that went wrong on stderr")
    given = parser.parse_args()
    names = given.names or list(_FORMS)
    if unknown := [name for name in names if name not in (*_FORMS, *_CORPORA)]:
        parser.error(f"unknown: {', '.join(unknown)}")
    found = {}
    for name in names:
        results = run(name, given.area, HELD_OUT if given.held_out else OWN)
        found[name] = report(results) if results else pair_corpora.MISSING
        if given.failures:
            print(f"== {name}", *failures(results), sep="\n", file=sys.stderr)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
