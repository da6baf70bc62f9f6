"""Regular expressions that are compiled when they are first used.

The package has a thousand of them, which take a second of CPU to compile; a command uses a few dozen.
"""

from __future__ import annotations

import re
from typing import Any, cast

_USED = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split", "groupindex", "groups", "flags")


class _Lazy:
    """Has the attributes of the compiled pattern: looked up once, then its own."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name not in _USED:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        self.__dict__.update({used: getattr(compiled, used) for used in _USED})
        return self.__dict__[name]


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A regular expression, not compiled yet. It is used through its methods; functions of ``re`` do not take it.

    Args:
        flags: as ``re.compile`` takes them.

    Raises:
        re.error: at its first use, where it is malformed.
    """
    return cast("re.Pattern[str]", _Lazy(pattern, flags))
