"""MemoryAgentBench's FactConsolidation: of two facts with the same subject and relation, does the later one stand?

    DATASETS=<folder> python -m benchmarks.fact_consolidation [--failures]

The facts of sh_6k are told by one user, in order: once 20 to a message, three messages a day, and once a fact a
message, 60 a day. Ingest, the builtin extractor and consolidation do the rest. A reading of the data set's own
sentence patterns (it has about thirty) says which facts conflict. Target: in 95 % of the conflicts the later fact is
active and the earlier one superseded. Prints one JSON object.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks.dev_data import MISSING, loaders
from benchmarks.homes import remember, take, temporary_home
from memory_pipeline.domain.ledger.memory import RETIRED, MemoryVersion, fold, standing
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.domain.text import normalise
from memory_pipeline.storage.parquet.schemas import Quarantined

_START = datetime(2026, 3, 1, 9, tzinfo=UTC)
# Subject, then what stands for the relation, then the value. The data set's own spelling mistakes are its own.
_PATTERNS = [
    r"The univeristy where (?P<subject>.+?) (?P<relation>was educated) is (?P<value>.+)",
    r"The (?P<relation>company that produced) (?P<subject>.+?) is (?P<value>.+)",
    r"The name of the current (?P<relation>head of the) (?P<subject>.+?) government is (?P<value>.+)",
    r"The name of the current (?P<relation>head of state) in (?P<subject>.+?) is (?P<value>.+)",
    r"The (?P<relation>type of music) that (?P<subject>.+?) plays is (?P<value>.+)",
    r"The (?P<relation>[\w ]+?) of (?P<subject>.+?)(?: is located in the city of | is )(?P<value>.+)",
    r"(?P<subject>.+?)'s (?P<relation>child) is (?P<value>.+)",
    r"(?P<subject>.+?) (?P<relation>(?:is a citizen of|is married to|died in the city of|is located in the continent of"
    r"|was founded by|is affiliated with the religion of|is associated with the sport of|was performed by"
    r"|is famous for|speaks the language of|was founded in the city of|was born in the city of"
    r"|was created in the country of|was created by|is employed by|was developed by|was written in the language of"
    r"|works in the field of|worked in the city of|plays the position of)) (?P<value>.+)",
]


@dataclass(frozen=True, slots=True)
class Fact:
    """A numbered fact; ``key`` is its subject and relation, None where no pattern fits."""

    number: int
    text: str
    key: tuple[str, str] | None
    value: str


def read(text: str, number: int) -> Fact:
    """A fact by the first pattern that fits the whole sentence."""
    for pattern in _PATTERNS:
        match = re.fullmatch(pattern, text.rstrip("."))
        if match:
            key = (normalise(match["subject"]), normalise(match["relation"]))
            return Fact(number, text, key, normalise(match["value"]))
    return Fact(number, text, None, "")


def conflicts(facts: Sequence[Fact]) -> list[tuple[Fact, Fact]]:
    """Each fact with the next one of the same subject and relation that gives another value."""
    last: dict[tuple[str, str], Fact] = {}
    found = []
    for fact in facts:
        if fact.key is None:
            continue
        before = last.get(fact.key)
        if before is not None and before.value != fact.value:
            found.append((before, fact))
        last[fact.key] = fact
    return found


def told(facts: Sequence[Fact], a_message: int, a_day: int) -> list[dict[str, Any]]:
    """Landing lines that tell the facts in order."""
    chunks = [facts[n : n + a_message] for n in range(0, len(facts), a_message)]
    return [
        {
            "user_id": "reader",
            "session_id": f"s-{n // a_day}",
            "message_id": f"f-{n}",
            "role": "user",
            "content": "\n".join(fact.text for fact in chunk),
            "created_at": (_START + timedelta(days=n // a_day, minutes=2 * (n % a_day))).isoformat(),
        }
        for n, chunk in enumerate(chunks)
    ]


def score(facts: Sequence[Fact], lines: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[str]]:
    """Tell the facts, and say what stands and what was superseded; and a line for each conflict that went wrong."""
    with temporary_home() as ctx:
        take(ctx, lines)
        remember(ctx)
        versions = standing(ctx.lake.read("memory_versions", MemoryVersion))
        proposals = ctx.lake.read("proposals", Proposal)
        aside = Counter(row.reason for row in ctx.lake.read("quarantined", Quarantined))
    home = {fact.number: line["message_id"] for line in lines for fact in facts if _says(line["content"], fact)}
    proposed = _proposed(facts, home, proposals)
    current = fold(versions)
    first = {v.proposal_id: v.memory_id for v in versions if v.proposal_id and v.version == 1}
    pairs = conflicts(facts)
    causes: Counter[str] = Counter()
    failed = []
    for earlier, later in pairs:
        cause = _cause(earlier, later, proposed, first, current)
        causes[cause] += 1
        if cause != "right":
            failed.append(f"{cause}: {earlier.text} / {later.text}")
    alone = {f.number for f in facts if f.key} - {e.number for e, _ in pairs}
    kept = [n for n in alone if any(_active(first.get(i), current) for i in proposed[n])]
    heard = [n for n in alone if proposed[n]]
    report = {
        "facts": len(facts),
        "messages": len(lines),
        "facts_extracted_pct": _pct(sum(bool(proposed[f.number]) for f in facts), len(facts)),
        "put_aside": dict(aside),
        "conflicts": len(pairs),
        "right_pct": _pct(causes["right"], len(pairs)),
        "right_of_extracted_pct": _pct(causes["right"], len(pairs) - causes["not extracted"]),
        "causes": dict(causes.most_common()),
        "unchallenged_facts_extracted": len(heard),
        "unchallenged_facts_not_active": len(heard) - len(kept),
    }
    failed += [f"not active though unchallenged: {f.text}" for f in facts if f.number in set(heard) - set(kept)]
    return report, failed


def _says(content: str, fact: Fact) -> bool:
    return fact.text in content.split("\n")


def _proposed(facts: Sequence[Fact], home: Mapping[int, str], proposals: Sequence[Proposal]) -> dict[int, list[str]]:
    """Ids of the proposals that quote a fact, or whose quote stands in it, and that name its value."""
    by_message: dict[str, list[tuple[str, Proposal]]] = defaultdict(list)
    for made in proposals:
        for cited in made.evidence:
            by_message[cited.message_id].append((normalise(cited.quote), made))
    found: dict[int, list[str]] = defaultdict(list)
    for fact in facts:
        text = normalise(fact.text)
        for quote, made in by_message[home[fact.number]]:
            said = normalise(f"{made.content} {made.value or ''}")
            if quote and (quote in text or text in quote) and (not fact.value or fact.value in said):
                found[fact.number].append(made.proposal_id)
    return found


def _active(memory_id: str | None, current: Mapping[str, MemoryVersion]) -> bool:
    return memory_id is not None and memory_id in current and current[memory_id].status not in RETIRED


def _cause(
    earlier: Fact,
    later: Fact,
    proposed: Mapping[int, Sequence[str]],
    first: Mapping[str, str],
    current: Mapping[str, MemoryVersion],
) -> str:
    if not proposed[earlier.number] or not proposed[later.number]:
        return "not extracted"
    old = [first[i] for i in proposed[earlier.number] if i in first]
    new = [first[i] for i in proposed[later.number] if i in first]
    if not old:
        return "earlier made no memory of its own"
    if not new:
        return "later made no memory of its own"
    if not any(_active(i, current) for i in new):
        return "later not active"
    if any(_active(i, current) for i in old):
        return "not related: both active"
    return "right" if any(current[i].status == "superseded" for i in old) else "earlier ended otherwise"


def _pct(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 1) if whole else None


def measure(failures: bool = False) -> dict[str, Any] | str:
    """Both ways of telling; the failures go to stderr."""
    data = loaders()
    if data is None:
        return MISSING
    facts = [read(m.content, m.meta["serial"]) for m in data.load_mab_conflict("factconsolidation_sh_6k").messages]
    found: dict[str, Any] = {"facts_no_pattern_fits": sum(f.key is None for f in facts)}
    for name, a_message, a_day in (("twenty_a_message", 20, 3), ("one_a_message", 1, 60)):
        found[name], failed = score(facts, told(facts, a_message, a_day))
        if failures:
            print(f"== {name}", *failed, sep="\n", file=sys.stderr)
    return found


if __name__ == "__main__":
    print(json.dumps(measure("--failures" in sys.argv), indent=2))
