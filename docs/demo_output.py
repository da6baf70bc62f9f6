"""Puts the real output of ``memory-pipeline demo`` into the README, between its two markers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- demo:begin -->", "<!-- demo:end -->"
_LINES = 118


def output() -> str:
    """What the demo prints in a fresh home, without what varies from run to run."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "MEMORY_PIPELINE_HOME": home, "COLUMNS": "110", "NO_COLOR": "1", "TERM": "dumb"}
        done = subprocess.run(
            [sys.executable, "-m", "memory_pipeline.cli", "demo"],
            check=True,
            capture_output=True,
            text=True,
            env=environment,
        )
        text = done.stdout.replace(home, "./data")
    lines = [line.rstrip() for line in text.splitlines()]
    return "\n".join(lines[:_LINES])


def main() -> None:
    """Run the demo and write the README."""
    readme = README.read_text(encoding="utf-8")
    block = f"{BEGIN}\n```text\n{output()}\n```\n{END}"
    pattern = re.escape(BEGIN) + r".*?" + re.escape(END)
    README.write_text(re.sub(pattern, lambda _: block, readme, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
