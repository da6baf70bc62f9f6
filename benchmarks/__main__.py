"""Runs benchmarks and prints one JSON document: those that are named, or the quick ones.

python -m benchmarks
python -m benchmarks pairs rerun
"""

from __future__ import annotations

import argparse
import json
from importlib import import_module

QUICK = {"import": "import_time", "ingest": "ingest", "extraction": "extraction", "sample": "sample_run"}
# Minutes each; those that need the development data say so where DATASETS is not set.
_MINUTES = (
    "pairs",
    "patterns",
    "conversations",
    "halumem",
    "fact_consolidation",
    "model_calls",
    "rerun",
    "edit_reach",
    "recall_latency",
    "panel",
    "serving",
    "ageing",
    "back_fill",
    "long_user",
    "growth",
    "fault_injection",
    "cluster",
    "isolation",
    "bad_input",
    "erasure",
)
THOROUGH = {name: name for name in _MINUTES}


def main() -> None:
    """The command line."""
    known = {**QUICK, **THOROUGH}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of: {', '.join(known)}")
    names = parser.parse_args().names or list(QUICK)
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no benchmark called {', '.join(unknown)}; there are {', '.join(known)}")
    print(json.dumps({name: import_module(f"benchmarks.{known[name]}").measure() for name in names}, indent=2))


if __name__ == "__main__":
    main()
