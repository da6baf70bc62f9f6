"""A JSON document cut into its elements as it is read, so that memory holds one of them and not the document.

Only strings and brackets are looked at here: what stands between them is for the parser of each element to judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

MAX_ELEMENT = 256_000_000  # bytes
_BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"
_BETWEEN = b", \t\r\n"
# Up to the next bracket that is not part of a string.
_BRACKET = re.compile(rb'[^"\[\]{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"\[\]{}]*+)*+([\[\]{}])', re.DOTALL)


class Element(NamedTuple):
    """One value of a document.

    Attributes:
        raw: its bytes, not parsed.
        listed: whether it stands in the array that the document is; else it is the document.
    """

    raw: bytes
    listed: bool


def elements(stream: BinaryIO) -> Iterator[Element]:
    """The elements of the array that a document is, or the document itself if it is an object.

    Several documents may follow one another. A byte order mark at the start is all right. Numbers and texts between the
    objects of an array come as one element.

    Raises:
        ValueError: with the reason: empty, cut off, no JSON, or an element of more than 256 MB.
    """
    window = _Window(stream)
    depth = 0
    listed = some = False
    while (bracket := window.bracket()) is not None:
        some = True
        opens = bracket in b"[{"
        if depth == (1 if listed else 0):
            before = window.before()
            if before and not depth:
                raise ValueError(_outside(before))
            if before:
                yield Element(before, listed)
        if depth == 0 and opens:
            listed = bracket == b"["
            if listed:
                window.drop()
        depth += 1 if opens else -1
        if depth < 0:
            raise ValueError("not JSON: a bracket is closed that was never opened")
        if depth == (1 if listed else 0) and not opens:
            yield Element(window.cut(), listed)
        elif depth == 0:
            listed = False
            window.drop()
    rest = window.rest()
    if depth:
        raise ValueError("it is cut off in the middle")
    if rest:
        raise ValueError(_outside(rest))
    if not some:
        raise ValueError("it is empty")


def _outside(text: bytes) -> str:
    return f"not JSON: {text[:40].decode('utf-8', 'backslashreplace')!r} stands outside of any array or object"


class _Window:
    """The part of a stream from the start of the element under way to the last bracket that was found."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._buffer = stream.read(_BLOCK).removeprefix(_BOM)
        self._start = self._at = self._bracket = 0

    def bracket(self) -> bytes | None:
        """The next bracket outside of strings; None at the end of the stream."""
        while (found := _BRACKET.match(self._buffer, self._at)) is None:
            # What is not yet a whole string is looked at again: reading as much again keeps that linear.
            block = self._stream.read(max(_BLOCK, len(self._buffer) - self._start))
            if not block:
                return None
            self._buffer = self._buffer[self._start :] + block
            self._at -= self._start
            self._start = 0
            if len(self._buffer) > MAX_ELEMENT:
                raise ValueError(f"one conversation takes more than {MAX_ELEMENT:,} bytes")
        self._bracket, self._at = found.start(1), found.end()
        return found[1]

    def before(self) -> bytes:
        """What stands before the last bracket and is no separator; the start moves to the bracket."""
        text = self._buffer[self._start : self._bracket].strip(_BETWEEN)
        self._start = self._bracket
        return text

    def drop(self) -> None:
        self._start = self._at

    def cut(self) -> bytes:
        """The bytes from the start to the last bracket, which is theirs."""
        raw = self._buffer[self._start : self._at]
        self.drop()
        return raw

    def rest(self) -> bytes:
        return self._buffer[self._start :].strip()
