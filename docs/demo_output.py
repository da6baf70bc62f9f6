"""Puts the real output of ``memory-pipeline demo`` between the markers of two pages.

``docs/first-run.md`` gets all of it, the README a part.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- demo:begin -->", "<!-- demo:end -->"
RULE = "──"
_CLOSING = "Go on"  # names a folder of this machine
_SHOWN = ("A fact that changed", "What a prompt of")
_LINES_EACH = 9


def output() -> list[str]:
    """The lines that the demo prints in a fresh home, up to its closing advice."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "MEMORY_PIPELINE_HOME": home, "COLUMNS": "110", "NO_COLOR": "1", "TERM": "dumb"}
        done = subprocess.run(
            [sys.executable, "-m", "memory_pipeline.cli", "demo"],
            check=True,
            capture_output=True,
            text=True,
            env=environment,
        )
    return without_advice(done.stdout)


def without_advice(text: str) -> list[str]:
    """The lines of an output up to its closing advice, without blanks at their ends."""
    lines = [line.rstrip() for line in text.splitlines()]
    last = next((n for n, line in enumerate(lines) if line.startswith(_CLOSING)), len(lines))
    return lines[:last]


def part(lines: Sequence[str]) -> Iterator[str]:
    """The sections that the README shows, and of each paragraph its first lines."""
    shown, count = False, 0
    for line in lines:
        if RULE in line or line.startswith(_SHOWN):
            shown = line.startswith(_SHOWN)
        count = count + 1 if line and RULE not in line else 0
        if shown and count <= _LINES_EACH:
            yield line
        elif shown and count == _LINES_EACH + 1:
            yield "…"


def put(page: Path, lines: Sequence[str]) -> None:
    """Write lines between the markers of a page."""
    block = "\n".join([BEGIN, "```text", *lines, "```", END])
    pattern = re.escape(BEGIN) + r".*?" + re.escape(END)
    page.write_text(re.sub(pattern, lambda _: block, page.read_text(encoding="utf-8"), flags=re.DOTALL), "utf-8")


def main() -> None:
    """Run the demo, or take the output that a file holds, and write both pages."""
    lines = without_advice(Path(sys.argv[1]).read_text(encoding="utf-8")) if len(sys.argv) > 1 else output()
    put(ROOT / "docs" / "first-run.md", lines)
    put(ROOT / "README.md", list(part(lines)))


if __name__ == "__main__":
    main()
