"""What a file is that holds no transcript of a known format, in words that tell a person what to do about it."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from pathlib import Path, PurePosixPath

from memory_pipeline.stages.messages.importers.csv import DELIMITERS, REQUIRED
from memory_pipeline.stages.messages.importers.files.source import DAMAGED, SourceFile

HEAD = 1 << 16  # bytes
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_ZIP = b"PK\x03\x04"
_MAGIC = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF document"),
    (b"SQLite format 3", "an SQLite database"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive: unpack it first"),
    (b"Rar!", "a RAR archive: unpack it first"),
    (b"BZh", "compressed with bzip2: unpack it first, or use gzip"),
    (b"\xfd7zXZ", "compressed with xz: unpack it first, or use gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd: unpack it first, or use gzip"),
)
_SHOWN_KEYS = 6
_LOOKED_AT = 64  # bytes
_WHITE = b" \t\r\n\x0b\x0c"
_TEXT_CONTROLS = frozenset(b"\t\n\r\x0b\x0c\x1b")
_BINARY_SHARE = 0.05


def what_it_is(path: Path) -> str:
    """A few words on a file of no known format.

    Raises:
        OSError: it cannot be read.
        IngestError: it cannot be opened.
    """
    if path.stat().st_size == 0:
        return "the file is empty"
    if zipfile.is_zipfile(path):
        return _archive(path)
    try:
        with SourceFile(path, path.name).open() as stream:
            head = stream.read(HEAD)
    except DAMAGED as error:
        return f"its compressed data is damaged: {error}"
    return _by_bytes(head) or _by_text(head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"), path)


def encoding_fault(head: bytes) -> str | None:
    """Why the beginning of a file cannot be of a text in UTF-8, where its encoding is another one; else None."""
    zeros = head[0:_LOOKED_AT:2].count(0), head[1:_LOOKED_AT:2].count(0)
    # Latin text without a mark of its byte order has a zero in every other byte.
    unmarked = len(head) >= 8 and min(zeros) == 0 and max(zeros) > len(head[:_LOOKED_AT]) * 0.4
    if head.startswith(_UTF16) or unmarked:
        return "the text is UTF-16, and not UTF-8: save it as UTF-8"
    return None


def _by_bytes(head: bytes) -> str | None:
    if not head.strip(_WHITE):
        return "the file holds nothing but white space"
    if head.startswith(_ZIP):
        return "a zip archive that is cut off or damaged"
    if named := next((name for magic, name in _MAGIC if head.startswith(magic)), None):
        return f"it is {named}"
    if fault := encoding_fault(head):
        return fault
    controls = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in head)
    return "it is binary data, and no text" if controls > len(head) * _BINARY_SHARE else None


def _by_text(text: str, path: Path) -> str:
    begins = text.lstrip()[:100].lower()
    if begins.startswith(("<!doctype html", "<html")):
        return "it is a web page; of a ChatGPT export, take the conversations.json beside it"
    if begins[:1] in ("{", "["):
        return _json(text, path)
    columns = next((row for mark in DELIMITERS if len(row := text.split("\n", 1)[0].split(mark)) > 1), [])
    names = {name.strip('" \r') for name in columns}
    missing = [name for name in REQUIRED if name not in names]
    if 0 < len(missing) < len(REQUIRED):
        return f"it is a table without the columns {', '.join(missing)}"
    return "it is text of another kind"


def _json(text: str, path: Path) -> str:
    if path.stat().st_size > HEAD:
        return "it is JSON of another kind"
    try:
        value = json.loads(text)
    except ValueError as error:
        at = getattr(error, "pos", len(text))
        cut = at >= len(text.rstrip()) or "Unterminated" in str(error)
        return "it is JSON that is cut off in the middle" if cut else f"it is no valid JSON: {error}"
    except RecursionError:
        return "it is JSON that is nested too deep"
    first = value[0] if isinstance(value, list) and value else value
    if isinstance(first, dict) and first:
        shown = ", ".join(repr(str(key)[:40]) for key in list(first)[:_SHOWN_KEYS])
        return f"it is JSON of another kind, with the keys {shown}"
    return "it is JSON without any message" if not value else "it is JSON of another kind"


def _archive(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = [info.filename for info in archive.infolist() if not info.is_dir()]
            locked = any(info.flag_bits & 1 for info in archive.infolist())
    except zipfile.BadZipFile as error:
        return f"a zip archive that is damaged: {error}"
    if locked:
        return "a zip archive with a password: unpack it first"
    if not names:
        return "an empty zip archive"
    kinds = Counter(PurePosixPath(name).suffix.lower()[:10] or "no suffix" for name in names)
    listed = ", ".join(f"{n} {kind}" for kind, n in kinds.most_common(4))
    return f"a zip archive without a conversations.json ({listed})"
