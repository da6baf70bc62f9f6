"""JSON as RFC 8259 has it: what Python's parser lets pass beyond that is refused, with a reason a person can act on."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

MAX_DEPTH = 64
_MAX_DIGITS = 1000


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return value


def _constant(text: str) -> Any:
    raise ValueError(f"{text} is not a JSON value")


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"the number {text[:40]} is too large")
    return value


def _int(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"a number of {len(text)} digits is too large")
    return int(text)


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_float, parse_int=_int)
_encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=str)


def loads(raw: bytes) -> Any:
    """Parse one value.

    Raises:
        ValueError: with the reason: not UTF-8, not JSON, NaN or infinity, an oversized number, a key twice in one
            object, or nested more than 64 deep.
    """
    try:
        text = raw.decode("utf-8")
        value = _decoder.decode(text)
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: byte 0x{raw[error.start]:02x} at {error.start}") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from error
    except RecursionError as error:
        raise ValueError(f"nested more than {MAX_DEPTH} deep") from error
    # An explicit bound, because the parser's own depends on how deep the caller's stack already is.
    if text.count("{") + text.count("[") > MAX_DEPTH and _deep(value):
        raise ValueError(f"nested more than {MAX_DEPTH} deep")
    return value


def _deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return False
    return True


def canonical(value: Any) -> str:
    """The one spelling of a value: sorted keys, no spaces, UTF-8. What JSON does not know is written as its text.

    Raises:
        ValueError: NaN, infinity, a lone surrogate, or nesting that cannot be followed.
    """
    try:
        text = _encoder.encode(value)
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("a lone surrogate, which is no character") from error
    except (RecursionError, TypeError) as error:
        raise ValueError(f"not writable as JSON: {error}") from error
    return text
