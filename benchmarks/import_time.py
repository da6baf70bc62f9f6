"""Seconds that ``import memory_pipeline`` and the first name from it take in a new process. Prints JSON."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

_SCRIPT = """
import sys, time
start = time.perf_counter()
import memory_pipeline
package = time.perf_counter() - start
from memory_pipeline import MemoryReader
print(package, time.perf_counter() - start, 'dagster' in sys.modules)
"""


def measure(runs: int = 5) -> dict[str, float | bool]:
    """Medians over some processes."""
    package, reader, dagster = [], [], False
    for _ in range(runs):
        out = subprocess.run([sys.executable, "-c", _SCRIPT], check=True, capture_output=True, text=True).stdout.split()
        package.append(float(out[0]))
        reader.append(float(out[1]))
        dagster = dagster or out[2] == "True"
    return {
        "import_memory_pipeline_s": round(statistics.median(package), 4),
        "with_memory_reader_s": round(statistics.median(reader), 4),
        "dagster_imported": dagster,
    }


if __name__ == "__main__":
    print(json.dumps(measure()))
