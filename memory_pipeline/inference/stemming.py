"""English stems (Snowball), for keyword search and for grouping."""

from __future__ import annotations

import threading
from typing import Any

_local = threading.local()


def stemmer() -> Any:
    """The thread's own stemmer: one object must not serve two threads at once."""
    found = getattr(_local, "stemmer", None)
    if found is None:
        import Stemmer

        found = _local.stemmer = Stemmer.Stemmer("english")
    return found
