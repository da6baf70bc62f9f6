"""Files in a home that are none of its stores, and hold what is to be erased: exports that lie where they were taken
from. Nobody but their owner can say whether they go."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from memory_pipeline.domain.erasure import Erasure
from memory_pipeline.errors import ForeignFiles, StorageError
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memory_pipeline.domain.scope import Scope
    from memory_pipeline.storage.erasing.traces import Traces

_FOLDERS = (
    "access", "alerts", "batches", "dagster", "erasures", "evaluation", "inbox", "index", "lake", "models",
    "quarantine", "recall", "working",
)  # fmt: skip
_OWN = (*(f"{name}/" for name in _FOLDERS), "keys.json")
_SHOWN = 5


class Handling(StrEnum):
    """What becomes of such a file: it stays and the certificate names it, or it is deleted with all that it holds."""

    KEEP = "keep"
    DELETE = "delete"


def is_foreign(name: str) -> bool:
    """Whether a file of a home, named from there, belongs to none of its stores."""
    return not name.startswith(_OWN)


def holding(settings: Settings, traces: Traces) -> list[str]:
    """The foreign files that hold what is to be erased, named from the home."""
    from memory_pipeline.storage.erasing.trace_search import search

    return sorted(search(settings.path(), traces, skip=_OWN).hits)


def require(settings: Settings, traces: Traces, handling: Handling | None) -> None:
    """See to it that somebody has said what becomes of such files, before anything is erased.

    Raises:
        ForeignFiles: nobody has; the message names them.
    """
    if handling is not None or not (found := holding(settings, traces)):
        return
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    raise ForeignFiles(
        f"in the home, but in none of its stores, {', '.join(found[:_SHOWN])}{more} holds what is to be erased: say "
        "--foreign-files delete to delete the whole file with the rest, or --foreign-files keep to leave it and have "
        "the certificate name it; nothing has been erased yet",
        files=tuple(found),
    )


def delete(settings: Settings, names: Iterable[str]) -> int:
    """Delete files of a home. Returns how many there were.

    Raises:
        StorageError: one cannot be deleted.
    """
    count = 0
    for name in names:
        path = Path(settings.path()) / name
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StorageError(f"cannot delete {path}: {error}", path=str(path)) from error
        count += 1
    return count


def certificate_names(names: Iterable[str], erasure: Erasure, pseudonym: Callable[[Scope], str]) -> list[str]:
    """File names for a certificate, in which no erased user is named."""
    found = []
    for name in names:
        for scope in sorted(erasure.whole):
            name = name.replace(scope.user_id, pseudonym(scope))
        found.append(name)
    return found
