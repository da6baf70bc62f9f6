"""What bad files and lines do: nothing may crash, and every line is taken, known or put aside.

    python -m benchmarks.bad_input [--files 600] [--lines 2000] [--seed 1]

Files of every format are damaged (cut, flipped bits, other encodings, wrong names, broken archives, values of other
types), and lines of the landing format are mutated. All of them go through the inbox of a real home, twice, and what
was taken goes on through extraction and consolidation. Prints one JSON object.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import random
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from benchmarks.command_line import command_line
from benchmarks.homes import open_home, remember
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.ingest import IngestReport, take_inbox
from memory_pipeline_tests.stages.importers.samples import DOCUMENTS

LINE = {
    "tenant_id": "acme",
    "user_id": "alice",
    "session_id": "s-1",
    "message_id": "m-17",
    "role": "user",
    "speaker": "Alice",
    "content": "I moved to Lisbon last week.",
    "created_at": "2026-03-02T09:15:00+00:00",
    "metadata": {"timezone": "Europe/Lisbon"},
}
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e300, 2**70, "", " ", "\x00", "\ud800", "\u202e", "x" * 600, "x" * 100_000, [], ["a"], {},
    {"a": {"b": [1]}}, "2026-02-30", "2026-03-02", "9999-12-31T23:59:59Z", "0001-01-01", "١٢",
    "'; DROP TABLE messages; --", "../../etc/passwd", "{{ 7*7 }}", "assistant", "🙂" * 50, "NaN", "user\n",
    "Europe/Nowhere", "=cmd()", "<script>",
)  # fmt: skip
Damage = Callable[[random.Random, bytes], bytes]


def _cut(draw: random.Random, data: bytes) -> bytes:
    return data[: draw.randrange(len(data))]


def _flipped(draw: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.randint(1, 12)):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _zipped(data: bytes, name: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return held.getvalue()


DAMAGES: dict[str, Damage] = {
    "cut": _cut,
    "flipped bits": _flipped,
    "utf-16": lambda draw, data: data.decode("utf-8", "replace").encode("utf-16"),
    "latin-1 bytes": lambda draw, data: data.replace(b"a", b"\xe9", draw.randint(1, 9)),
    "gzip": lambda draw, data: gzip.compress(data),
    "gzip cut": lambda draw, data: _cut(draw, gzip.compress(data)),
    "gzip flipped": lambda draw, data: b"\x1f\x8b" + _flipped(draw, gzip.compress(data))[2:],
    "zip": lambda draw, data: _zipped(data, "conversations.json"),
    "zip with other members": lambda draw, data: _zipped(data, "../../holiday.jpg"),
    "zip cut": lambda draw, data: _cut(draw, _zipped(data, "conversations.json")),
    "twice": lambda draw, data: data + data,
    "nested deep": lambda draw, data: b"[" * 100_000 + data + b"]" * 100_000,
    "zeros": lambda draw, data: bytes(len(data)),
    "random": lambda draw, data: draw.randbytes(draw.randint(1, 5_000)),
    "empty": lambda draw, data: b"",
    "byte order mark": lambda draw, data: b"\xef\xbb\xbf" + data,
    "carriage returns": lambda draw, data: data.replace(b"\n", b"\r").replace(b",", b",\r"),
}
_COUNTS = ("taken", "known", "edited", "quarantined")
SUFFIXES = ("json", "jsonl", "csv", "parquet", "zip", "txt", "jsonl.gz")


def originals() -> dict[str, bytes]:
    """A sound file of each format."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    plain = {name: value for name, value in LINE.items() if isinstance(value, str)}
    held = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([plain] * 20), held)
    table = ",".join(plain) + "\n" + "".join(",".join(plain.values()) + "\n" for _ in range(20))
    lines = "".join(json.dumps({**LINE, "message_id": f"m-{n}"}) + "\n" for n in range(20))
    documents = {name: json.dumps(value).encode() for name, value in DOCUMENTS.items()}
    return documents | {"parquet": held.getvalue(), "csv": table.encode(), "jsonl": lines.encode()}


def mutated(draw: random.Random, value: Any) -> Any:
    """A document with odd values, or holes, somewhere."""
    changed = deepcopy(value)
    for _ in range(draw.randint(1, 4)):
        places = _places(changed)
        if not places:
            return changed
        container, key = draw.choice(places)
        if draw.random() < 0.8:
            container[key] = draw.choice(ODD)
        else:
            del container[key]
    return changed


def _places(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        inner = list(value.items())
    else:
        inner = list(enumerate(value)) if isinstance(value, list) else []
    return [(value, key) for key, _ in inner] + [place for _, below in inner for place in _places(below)]


def bad_files(draw: random.Random, inbox: Path, count: int) -> None:
    """Damaged files of every format, under right and wrong names."""
    sound = originals()
    kinds = [(name, damage) for name in sorted(sound) for damage in (*sorted(DAMAGES), "mutated")]
    for n in range(count):
        name, damage = kinds[n % len(kinds)]
        if damage != "mutated":
            data = DAMAGES[damage](draw, sound[name])
        else:
            data = json.dumps(mutated(draw, DOCUMENTS.get(name, LINE))).encode("utf-8", "surrogatepass")
        (inbox / f"{n:04}-{name}.{draw.choice(SUFFIXES)}").write_bytes(data)


def bad_lines(draw: random.Random, count: int) -> list[bytes]:
    """Mutated lines of the landing format, each on one line and not blank."""
    made = []
    for n in range(count):
        fields = mutated(draw, {**LINE, "message_id": f"m-{n}", draw.choice(("x", "role", "note")): draw.choice(ODD)})
        line = json.dumps(fields, ensure_ascii=draw.random() < 0.5).encode("utf-8", "surrogatepass")
        line = _flipped(draw, line) if draw.random() < 0.3 else line
        made.append(line.replace(b"\n", b" ").strip() or b"?")
    return made


def _settled(inbox: Path) -> None:
    """The inbox leaves files alone that have just been written."""
    long_ago = time.time() - 60
    for file in inbox.iterdir():
        os.utime(file, (long_ago, long_ago))


def _accounted(report: IngestReport) -> Counter[str]:
    return Counter(
        {name: sum(getattr(f, name) for f in report.files) for name in ("taken", "known", "edited", "quarantined")}
    )


def measure(files: int = 600, lines: int = 2_000, seed: int = 1) -> dict[str, Any]:
    """Drop the corpus, take it, and count."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as home:
        ctx: StageContext = open_home(home)
        inbox = Path(ctx.settings.path("inbox"))
        inbox.mkdir(parents=True)
        bad_files(draw, inbox, files)
        corpus = bad_lines(draw, lines)
        for n in range(0, lines, 100):
            (inbox / f"lines-{n:05}.jsonl").write_bytes(b"\n".join(corpus[n : n + 100]) + b"\n")
        _settled(inbox)
        contents = {hashlib.sha256(file.read_bytes()).hexdigest() for file in inbox.iterdir()}
        first, again = take_inbox(ctx), take_inbox(ctx)
        of_lines = [f for f in first.files if Path(f.path).name.startswith("lines-")]
        told = sum(f.taken + f.known + f.edited + f.quarantined for f in of_lines)
        remember(ctx)
        (stored,) = ctx.lake.sql("SELECT count(*) AS n FROM messages").to_pylist()
        return {
            "files": files + len(of_lines),
            "of different content": len(contents),
            "of these without a word": len(contents) - len(first.files),
            "bad lines": lines,
            "bad lines not accounted for": lines - told,
            **_accounted(first),
            "taken at the second time": again.taken,
            "messages in the log": stored["n"],
            "memory versions": len(ctx.lake.sql("SELECT version_id FROM memory_versions")),
        }


if __name__ == "__main__":
    command_line(measure, __doc__)
