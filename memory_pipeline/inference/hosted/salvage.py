"""What can be kept of a reply that does not fit: the sound items of its lists, and those before it was cut off."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints

from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.replies import parse

R = TypeVar("R")
_SHOWN = 4_000
_LISTS: dict[type[Any], Mapping[str, type[Any]]] = {}
_DECODER = json.JSONDecoder()
_MOST_ITEMS = 1_000  # that are looked for in a broken reply
_DEEPEST = 64  # replies nest six levels


@dataclass(frozen=True, slots=True)
class Aside:
    """An item of a reply that is put aside.

    Attributes:
        place: where it stood, as ``windows.0.proposals.2``.
        reason: what is wrong with it.
        content: its JSON text, bounded.
    """

    place: str
    reason: str
    content: str


@dataclass(frozen=True, slots=True)
class Salvaged(Generic[R]):
    """The part of a reply that fits.

    Attributes:
        kept: how many items of lists are in it.
        aside: those that are not.
    """

    value: R
    kept: int
    aside: tuple[Aside, ...]


def sound_items(cls: type[R], text: str) -> Salvaged[R] | None:
    """The reply without the items that do not fit; None where it is no JSON object, or nothing of it is left.

    An item whose own items are all bad is bad itself: it says nothing of what it was asked about.
    """
    try:
        data = json.loads(text)
    except RecursionError:
        return None
    except ValueError as error:
        return _scattered(cls, text, str(error))
    return _salvaged(cls, data)


def _scattered(cls: type[R], text: str, why: str) -> Salvaged[R] | None:
    """Of a reply that is broken somewhere, the items of its outer list that are whole, before and behind that place."""
    name = _outer(cls)
    if not name:
        return None
    begins = [m.start() for m in _begin(_lists(cls)[name]).finditer(text)][:_MOST_ITEMS]
    items: list[Any] = []
    broken: list[Aside] = []
    for start, following in zip(begins, [*begins, len(text)][1:], strict=True):
        try:
            items.append(_DECODER.raw_decode(text, start)[0])
        except (ValueError, RecursionError):
            broken.append(_aside(f"{name}.{len(items) + len(broken)}", why, text[start:following]))
    found = _salvaged(cls, {name: items}) if items else None
    return replace(found, aside=(*found.aside, *broken)) if found is not None else None


def _begin(item: type[Any]) -> re.Pattern[str]:
    """Where an item of a list begins: with the first field of its class."""
    return re.compile(rf'\{{\s*"{fields(item)[0].name}"\s*:')


def whole_items(cls: type[R], text: str) -> Salvaged[R] | None:
    """Of a reply that was cut off, the items of its outer list that had been finished; None where there are none."""
    found = _cut(text)
    if found is None:
        return None
    name = _outer(cls)
    items = found.get(name) if name else None
    if not isinstance(items, list) or len(items) < 2:
        return None
    return _salvaged(cls, {**found, name: items[:-1]})


def finished_parts(cls: type[R], text: str) -> Salvaged[R] | None:
    """Of a reply about one thing that was cut off, all that had been finished, the last item as far as it goes."""
    found, name = _cut(text), _outer(cls)
    if found is None or not isinstance(found.get(name), list):
        return None
    inner, items = _lists(_lists(cls)[name]), found[name]
    if inner and items and isinstance(items[-1], dict) and not any(items[-1].get(field) for field in inner):
        items = items[:-1]  # it had only begun
    return _salvaged(cls, {**found, name: items})


def _cut(text: str) -> dict[str, Any] | None:
    """The JSON object that begins in a text which ends in the middle of it."""
    from pydantic_core import from_json

    start = text.find("{")
    try:
        found = from_json(text[start:], allow_partial=True) if start >= 0 else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _salvaged(cls: type[R], data: Any) -> Salvaged[R] | None:
    aside: list[Aside] = []
    if not isinstance(data, dict) or _depth(data) > _DEEPEST:
        return None
    kept = _filtered(cls, data, "", aside)
    if kept is None or not kept[1]:
        return None
    try:
        value = parse(cls, json.dumps(kept[0], ensure_ascii=False).encode("utf-8", "replace").decode("utf-8"))
    except ReplyError:
        return None
    return Salvaged(value, kept[1], tuple(aside))


def _filtered(cls: type[Any], data: Any, place: str, aside: list[Aside]) -> tuple[dict[str, Any], int] | None:
    """An object without the bad items of its lists, and how many are left; None where it does not fit even so."""
    if not isinstance(data, dict):
        return None
    made, count = dict(data), 0
    for name, inner in _lists(cls).items():
        if not isinstance(made.get(name), list):
            continue
        items: list[Any] = []
        for n, item in enumerate(made[name]):
            where = f"{place}{name}.{n}"
            below: list[Aside] = []
            good = _filtered(inner, item, f"{where}.", below)
            reason = _misfit(inner, good[0]) if good else "it is no object"
            if good is None or reason:
                aside.append(_aside(where, reason or "", item))
                continue
            if not good[1] and below:
                aside += below
                continue
            aside += below
            items.append(good[0])
            count += max(good[1], 1)
        made[name] = items
    return made, count


def _misfit(cls: type[Any], data: Mapping[str, Any]) -> str:
    try:
        parse(cls, json.dumps(data, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8"))
    except ReplyError as error:
        return str(error)
    return ""


def _aside(place: str, reason: str, item: Any) -> Aside:
    return Aside(place, reason, json.dumps(item, ensure_ascii=False, default=str)[:_SHOWN])


def _depth(value: Any) -> int:
    """How deep a value nests, without recursion, and no further than it matters."""
    level, depth = [value], 0
    while level and depth <= _DEEPEST:
        depth += 1
        level = [
            inner
            for item in level
            if isinstance(item, (dict, list))
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return depth


def _lists(cls: type[Any]) -> Mapping[str, type[Any]]:
    """The fields of a reply class that are lists of objects, with the class of these."""
    if cls not in _LISTS:
        hints = get_type_hints(cls)
        _LISTS[cls] = {f.name: inner for f in fields(cls) for inner in _items(hints[f.name])}
    return _LISTS[cls]


def _items(hint: Any) -> list[type[Any]]:
    """The class of a list's items, where these are objects; the list may be optional."""
    options = get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    inner = [get_args(option)[0] for option in options if get_origin(option) is list and get_args(option)]
    return [cls for cls in inner if isinstance(cls, type) and is_dataclass(cls)][:1]


def _outer(cls: type[Any]) -> str:
    return next(iter(_lists(cls)), "")
