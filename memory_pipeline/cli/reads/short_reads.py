"""What a process that does one thing and ends can do without."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


class _NoPandas:
    """Finds no pandas, for as long as it stands among the finders."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name == "pandas":
            raise ModuleNotFoundError(name)
        return None


def lighten() -> None:
    """Spare this process pandas (see :func:`spare_pandas`), plugins of pydantic, for which the metadata of every
    installed package is read (0.04 s), and the search for cycles.

    Nothing where pyarrow is loaded already: then the process is not the command line's own.
    """
    if "pyarrow" in sys.modules:
        return
    spare_pandas()
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.disable()


def spare_pandas() -> None:
    """Spare this process pandas, which pyarrow looks for once (0.3 s of CPU, measured).

    Nothing where pyarrow is loaded already. pandas itself can be imported afterwards as ever; Arrow tables cannot be
    made into its frames, which no command does that reads or runs.
    """
    if "pyarrow" in sys.modules:
        return
    sys.meta_path.insert(0, _NoPandas)
    try:
        import pyarrow

        pyarrow.scalar(True)
    finally:
        sys.meta_path.remove(_NoPandas)
