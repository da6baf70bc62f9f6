"""Which memories are put into one pattern: the clustering against a careful reader's labels. Prints JSON.

    python -m benchmarks.patterns             # precision and recall of pairs of memories, by owner
    python -m benchmarks.patterns --failures  # and the clusters found, to stderr

The memories stand in ``patterns.jsonl`` beside this file: of six owners, in 24 themes, with others that share words
but no theme. Thresholds were set on the owners ``dev-…`` alone; ``held-…`` are for the report. A pair counts as found
when both memories are in one cluster, and as right when the reader gives both the same theme. ``jaccard`` is the same
measure for the plain overlap of all content words at the same threshold. Takes about a second.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from memory_pipeline.domain.derived.clustering import UnionFind, clusters
from memory_pipeline.domain.derived.pattern import least
from memory_pipeline.domain.keywords import keywords
from memory_pipeline.domain.policy import PatternPolicy
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.text import content_words, overlap
from memory_pipeline.settings import Settings
from memory_pipeline.stages.insight.pattern_words import stem

LABELLED = Path(__file__).with_name("patterns.jsonl")
Clustering = Callable[[Sequence[str], int], list[list[int]]]
Row = dict[str, Any]


def labelled() -> list[list[Row]]:
    """The labelled memories, those that may be in one pattern together."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for line in LABELLED.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        groups[row["user"], row["type"]].append(row)
    return list(groups.values())


def by_keywords(policy: PatternPolicy) -> Clustering:
    """What the pipeline does."""
    return lambda texts, minimum: clusters([keywords(text, stem) for text in texts], policy, minimum)


def by_jaccard(threshold: float) -> Clustering:
    """Union-find over the plain overlap of all content words."""

    def found(texts: Sequence[str], minimum: int) -> list[list[int]]:
        sets = UnionFind(len(texts))
        for a, b in combinations(range(len(texts)), 2):
            if overlap(content_words(texts[a]), content_words(texts[b])) >= threshold:
                sets.union(a, b)
        return [group for group in sets.groups() if len(group) >= minimum]

    return found


def scored(clustering: Clustering, groups: Sequence[Sequence[Row]], policy: PatternPolicy) -> dict[str, Any]:
    """Precision and recall of pairs."""
    right = wrong = missed = 0
    for group in groups:
        minimum = least(MemoryType(group[0]["type"]), policy)
        found = {p for c in clustering([row["text"] for row in group], minimum) for p in combinations(sorted(c), 2)}
        theirs = {
            (a, b)
            for a, b in combinations(range(len(group)), 2)
            if group[a]["cluster"] and group[a]["cluster"] == group[b]["cluster"]
        }
        right, wrong, missed = right + len(found & theirs), wrong + len(found - theirs), missed + len(theirs - found)
    return {
        "pairs": right + missed,
        "precision": round(right / (right + wrong), 3) if right + wrong else None,
        "recall": round(right / (right + missed), 3) if right + missed else None,
    }


def measure() -> dict[str, Any]:
    """Both clusterings, over the owners that thresholds were set on and over the others."""
    policy = Settings.load(chat="builtin").policies.pattern
    groups = labelled()
    ways = {"keywords": by_keywords(policy), "jaccard": by_jaccard(policy.overlap)}
    sides = {side: [g for g in groups if g[0]["user"].startswith(side)] for side in ("dev", "held")}
    return {
        "memories": sum(map(len, groups)),
        "themes": len({(r["user"], r["type"], r["cluster"]) for g in groups for r in g if r["cluster"]}),
        **{name: {side: scored(way, own, policy) for side, own in sides.items()} for name, way in ways.items()},
    }


def show() -> None:
    """The clusters found, with the reader's labels, to stderr."""
    policy = Settings.load(chat="builtin").policies.pattern
    for group in labelled():
        kind = MemoryType(group[0]["type"])
        for cluster in by_keywords(policy)([row["text"] for row in group], least(kind, policy)):
            print(f"-- {group[0]['user']} {kind}", file=sys.stderr)
            for n in cluster:
                print(f"   {group[n]['cluster'] or '?':16} {group[n]['text']}", file=sys.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--failures", action="store_true")
    if parser.parse_args().failures:
        show()
    print(json.dumps(measure(), indent=2))
