"""What the caller's own services say, cut down to what a turn is about (LS-27, LS-30).

Services hand in JSON-like data. A service that has nothing to do with the turn is left out; of one that is too large
the fields that say least to the turn go first, then the last rows of its lists.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import estimate_tokens, truncate
from memory_pipeline.errors import QueryError
from memory_pipeline.retrieval.scores.keywords import query_terms, stems, tokenise

if TYPE_CHECKING:
    import numpy.typing as npt

Encode = Callable[[Sequence[str]], "npt.NDArray[np.float32]"]

_CAMEL = lazy(r"(?<=[a-z0-9])(?=[A-Z])")
_MORE = "… and {n} more"


@dataclass(frozen=True, slots=True)
class ServiceData:
    """Services in a prompt.

    Attributes:
        text: a line a service, ``name: JSON``, the most relevant first.
        dropped: services, and ``service.field`` of what was cut.
        tokens: of the text, estimated.
    """

    text: str
    dropped: tuple[str, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class _Service:
    name: str
    data: Any
    relevance: float


def selected(
    services: Mapping[str, Any], message: str, vector: npt.NDArray[np.float32], encode: Encode, limit: int, least: float
) -> ServiceData:
    """The data of the services that a message is about, within a budget.

    Args:
        vector: of the message, shape (dimensions,).
        encode: texts to vectors, shape (texts, dimensions).
        limit: tokens at most.
        least: relevance below which a service is left out: cosine of the message and the names of the service and its
            fields, or a share of the message's words among its names and values.

    Raises:
        QueryError: the data of a service cannot be written as JSON.
    """
    if not services:
        return ServiceData("", (), 0)
    terms, texts = set(query_terms(message)), {name: _json(name, data) for name, data in services.items()}
    names = {name: " ".join((_words(name), *map(_words, _labels(data)))) for name, data in services.items()}
    near = np.clip(encode(list(names.values())) @ vector, 0.0, 1.0)
    ranked = sorted(
        (
            _Service(name, data, max(float(near[n]), _share(terms, f"{names[name]} {texts[name]}")))
            for n, (name, data) in enumerate(services.items())
        ),
        key=lambda service: (-service.relevance, service.name),
    )
    lines, dropped, left = [], [], limit
    for service in ranked:
        room = left - estimate_tokens(f"{service.name}: \n")
        if service.relevance < least or room <= 0:
            dropped.append(service.name)
            continue
        data, cut = _within(service, terms, vector, encode, room)
        dropped += cut
        if data is None:
            continue
        lines.append(f"{service.name}: {data}")
        left -= estimate_tokens(lines[-1] + "\n")
    text = "\n".join(lines)
    return ServiceData(text, tuple(dropped), estimate_tokens(text))


def _within(
    service: _Service, terms: set[str], vector: npt.NDArray[np.float32], encode: Encode, room: int
) -> tuple[str | None, list[str]]:
    """A service's data as JSON that fits, and the names of what was cut; None when nothing of it fits."""
    text = _json(service.name, service.data)
    if estimate_tokens(text) <= room:
        return text, []
    labels = list(dict.fromkeys(_labels(service.data)))
    if not labels:
        return (truncate(text, room), [service.name]) if isinstance(service.data, str) else (None, [service.name])
    near = np.clip(encode([_words(label) for label in labels]) @ vector, 0.0, 1.0)
    order = sorted(range(len(labels)), key=lambda n: (-max(float(near[n]), _share(terms, _words(labels[n]))), n))
    kept = frozenset(labels)
    for n in reversed(order[1:]):  # the field that says most stays
        kept = kept - {labels[n]}
        text = _json(service.name, _only(service.data, kept))
        if estimate_tokens(text) <= room:
            break
    cut = [f"{service.name}.{label}" for label in labels if label not in kept]
    data, rows = _only(service.data, kept), _longest(service.data)
    while estimate_tokens(text) > room and rows > 1:
        rows //= 2
        text = _json(service.name, _fewer(data, rows))
    if estimate_tokens(text) > room:
        return None, [service.name]
    return text, cut


def _json(name: str, data: Any) -> str:
    if isinstance(data, str):
        return " ".join(data.split())
    try:
        return json.dumps(data, ensure_ascii=False, default=str, separators=(", ", ": "))
    except (TypeError, ValueError) as error:
        raise QueryError(f"the data of service {name!r} cannot be written as JSON: {error}") from error


def _labels(data: Any, path: str = "") -> Iterator[str]:
    """The paths of all fields, ``order.items.name``; rows of a list share theirs."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            label = f"{path}.{key}" if path else str(key)
            inner = list(_labels(value, label))
            yield from inner or [label]
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from _labels(value, path)


def _only(data: Any, kept: frozenset[str], path: str = "") -> Any:
    """The data with some fields alone."""
    if isinstance(data, Mapping):
        found = {}
        for key, value in data.items():
            label = f"{path}.{key}" if path else str(key)
            if any(k == label or k.startswith(f"{label}.") for k in kept):
                found[key] = _only(value, kept, label)
        return found
    if isinstance(data, (list, tuple)):
        return [_only(value, kept, path) for value in data]
    return data


def _longest(data: Any) -> int:
    """Rows of the longest list anywhere in the data."""
    if isinstance(data, Mapping):
        return max(map(_longest, data.values()), default=0)
    if isinstance(data, (list, tuple)):
        return max(len(data), *map(_longest, data)) if data else 0
    return 0


def _fewer(data: Any, rows: int) -> Any:
    """The data with so many rows of each list at most, and a note of how many there are more."""
    if isinstance(data, Mapping):
        return {key: _fewer(value, rows) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        more = [_MORE.format(n=len(data) - rows)] if len(data) > rows else []
        return [*(_fewer(value, rows) for value in data[:rows]), *more]
    return data


def _words(label: str) -> str:
    return " ".join(_CAMEL.sub(" ", label).replace(".", " ").replace("_", " ").replace("-", " ").split()).lower()


def _share(terms: set[str], text: str) -> float:
    """Share of the message's words that a text has."""
    return len(terms.intersection(stems(tokenise(text)))) / len(terms) if terms else 0.0
