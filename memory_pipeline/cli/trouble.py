"""What the machine cannot do, in one line: a disk that is full, a home that cannot be written.

The stores' own errors name the file; what Dagster's database and LanceDB raise is told apart by the words of the
operating system and of SQLite, since both hand on a text.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

_FULL = re.compile(r"no space left on device|disk is full|disk quota exceeded|os error (?:28|122)\b", re.IGNORECASE)
_SHUT = re.compile(
    r"read-only file system|permission denied|operation not permitted|os error (?:1|13|30)\b", re.IGNORECASE
)
_SHUT_DATABASE = re.compile(r"readonly database", re.IGNORECASE)
_DATABASE = re.compile(r"disk i/o error|unable to open database file", re.IGNORECASE)
_BROKEN = re.compile(r"file is not a database|database disk image is malformed", re.IGNORECASE)
_SPARE_BYTES = 1 << 20  # SQLite needs a page of 4 KiB and a journal; with less than this, it says no more than "I/O"
_LINE = 300  # characters that are told of an error that is not ours

FREE = "the disk is full: free some space and run the same command again; what was finished is kept"
OPEN = (
    "this home cannot be written by whoever runs this: reads work, everything else needs the right to write there "
    "(see the mount, the owner and the mode)"
)


ASIDE = (
    "a database of runs is damaged: `memory-pipeline doctor --repair` puts it aside; nothing remembered stands in it"
)


def remedy(error: BaseException, home: str) -> str | None:
    """What to do about an error that the machine is the reason of; None for any other.

    Args:
        home: folder of the stores: errors are about it where they name it, and where SQLite says only that it cannot
            write, its free space tells why.
    """
    texts = [str(one) for one in _chain(error)]
    if any(_FULL.search(text) for text in texts):
        return FREE
    # A transcript that may not be read is no fault of the home.
    if any(_SHUT_DATABASE.search(text) or (_SHUT.search(text) and home in text) for text in texts):
        return OPEN
    if any(_BROKEN.search(text) for text in texts):
        return ASIDE
    if any(_DATABASE.search(text) for text in texts):
        return FREE if _free_bytes(home) < _SPARE_BYTES else "look at the disk: its own log may say more"
    return None


def first_line(error: BaseException) -> str:
    """The first line of the innermost cause, which says what could not be done, and where if it is known."""
    *_, cause = _chain(error)
    line = (str(cause).strip() or type(cause).__name__).splitlines()[0]
    return line if len(line) <= _LINE else f"{line[:_LINE]}…"


def _chain(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    seen: set[int] = set()
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__


def _free_bytes(home: str) -> int:
    try:
        return shutil.disk_usage(home).free
    except OSError:
        return 0
