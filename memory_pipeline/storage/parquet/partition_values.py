"""What is known of each partition of a dataset, worked out again only where the partition has changed.

The values lie in notes beside the datasets: a note that is missing, damaged or of another kind is made again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from datetime import date, timedelta
from typing import Any
from weakref import WeakKeyDictionary

from memory_pipeline.errors import StorageError
from memory_pipeline.storage.parquet.lake import Lake

Compute = Callable[[Collection[date]], Mapping[date, Any]]
Moved = Callable[[Any], Iterable[date]]
_Held = dict[date, tuple[str, Any]]
# What was last read of each note: a plan asks for the same ones again and again.
_read: WeakKeyDictionary[Lake, dict[str, tuple[bytes, str, _Held, Any]]] = WeakKeyDictionary()
# What was worked out of partitions that changed so lately that no note can be kept of them, with what it rests on.
_lately: WeakKeyDictionary[Lake, dict[tuple[str, int], tuple[str, Any, dict[date, tuple[Hashable, Any]]]]] = (
    WeakKeyDictionary()
)


def _none(before: Any) -> Iterable[date]:
    return ()


def by_partition(
    lake: Lake,
    name: str,
    kind: str,
    dataset: str,
    compute: Compute,
    *,
    reach: int = 0,
    beside: Any = None,
    moved: Moved = _none,
) -> dict[date, Any]:
    """A value for each partition; partitions without one are absent.

    Args:
        name: of the note.
        kind: what the values depend on besides the rows; another kind makes all of them anew.
        compute: values (of JSON's types) of some partitions, from the rows of those days and of ``reach`` days before.
        beside: something else (of JSON's types) that the values were made with, kept with them.
        moved: given what that was before, the partitions whose values must be made again for it.
    """
    states = lake.store.states(dataset)
    if reach:
        states = {day: _together(states, day, reach) for day in _reached(states, reach)}
    held, before = _load(lake, name, kind)
    again = set(moved(before)) if held and before != beside else set()
    good = {d: v for d, v in held.items() if d not in again and states.get(d) and states[d] == v[0]}
    missing = states.keys() - good.keys()
    if missing:
        good |= {
            day: (states[day], v) for day, v in _worked_out(lake, name, kind, dataset, compute, missing, reach, beside)
        }
    settled = {day: entry for day, entry in good.items() if entry[0]}
    if (settled or held) and (settled != held or before != beside):
        _keep(lake, name, kind, settled, beside)
    return {day: value for day, (_, value) in sorted(good.items()) if value is not None}


def _worked_out(
    lake: Lake,
    name: str,
    kind: str,
    dataset: str,
    compute: Compute,
    days: Set[date],
    reach: int,
    beside: Any,
) -> Iterator[tuple[date, Any]]:
    """The values of some partitions: those that this process has worked out from the very same files before, the others
    anew."""
    marks = {day: lake.store.marks(dataset, [day - timedelta(days=n) for n in range(reach + 1)]) for day in days}
    of_kind, with_, before = _lately.get(lake, {}).get((name, reach), (kind, beside, {}))
    if (of_kind, with_) != (kind, beside):
        before = {}
    known = {day: before[day] for day in days if marks[day] and before.get(day, ("",))[0] == marks[day]}
    unknown = days - known.keys()
    found = compute(unknown) if unknown else {}
    now = known | {day: (marks[day], found.get(day)) for day in unknown}
    _lately.setdefault(lake, {})[name, reach] = kind, beside, now
    return ((day, value) for day, (_, value) in now.items())


def _file(name: str) -> str:
    return f"partitions.{name}.json"


def _reached(states: Mapping[date, str], reach: int) -> set[date]:
    return {day + timedelta(days=n) for day in states for n in range(reach + 1)}


def _together(states: Mapping[date, str], day: date, reach: int) -> str:
    """The state of a day and of those before it; empty where one of them is not settled."""
    near = [(d, states[d]) for n in range(reach + 1) if (d := day - timedelta(days=n)) in states]
    return ",".join(f"{d:%j}:{state}" for d, state in near) if all(state for _, state in near) else ""


def _load(lake: Lake, name: str, kind: str) -> tuple[_Held, Any]:
    raw = lake.store.note(_file(name))
    seen = _read.get(lake, {}).get(name)
    if seen is not None and seen[:2] == (raw, kind):
        return dict(seen[2]), seen[3]
    try:
        note = json.loads(raw)
        if note["kind"] == kind:
            held = {date.fromisoformat(day): (state, value) for day, (state, value) in note["partitions"].items()}
            _read.setdefault(lake, {})[name] = (raw, kind, dict(held), note["beside"])
            return held, note["beside"]
    except (ValueError, KeyError, TypeError, AttributeError):
        pass  # as if it were not there
    return {}, None


def _keep(lake: Lake, name: str, kind: str, held: _Held, beside: Any) -> None:
    if lake.fence.crossed:  # what was read before an erasure may hold what is no more
        return
    partitions = {day.isoformat(): entry for day, entry in sorted(held.items())}
    note = {"kind": kind, "beside": beside, "partitions": partitions}
    with suppress(StorageError):  # what cannot be kept is worked out again
        lake.store.write_note(_file(name), json.dumps(note, separators=(",", ":")).encode())
