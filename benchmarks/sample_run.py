"""The main job over the sample, twice: CPU and wall seconds, rows by stage, model calls. Prints JSON."""

from __future__ import annotations

import json
import resource
import shutil
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings, shipped


def measure() -> dict[str, Any]:
    """A fresh home, a first run, and a second one that finds nothing to do."""
    with tempfile.TemporaryDirectory() as home:
        inbox = Path(home) / "inbox"
        inbox.mkdir()
        for source in Path(shipped("data/sample")).glob("*.jsonl"):
            shutil.copy(source, inbox)
        settings = Settings.load(home=home)
        found: dict[str, Any] = {}
        for name in ("first", "second"):
            wall, cpu = time.perf_counter(), time.process_time()
            report = asdict(run(settings))
            report.pop("planned")
            found[name] = {
                "cpu_s": round(time.process_time() - cpu, 2),
                "wall_s": round(time.perf_counter() - wall, 2),
                **report,
            }
        found["peak_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        return found


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
