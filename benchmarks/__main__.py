"""Runs the quick benchmarks and prints one JSON document."""

from __future__ import annotations

import json

from benchmarks import extraction, import_time, ingest, sample_run

if __name__ == "__main__":
    found = {
        "import": import_time.measure(),
        "ingest": ingest.measure(),
        "extraction": extraction.measure(),
        "sample": sample_run.measure(),
    }
    print(json.dumps(found, indent=2))
