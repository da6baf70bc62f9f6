"""What a process that does one thing and ends can do without."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import NoReturn

_lightened: list[bool] = []


class _NoPandas:
    """Finds no pandas, for as long as it stands among the finders."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name == "pandas":
            raise ModuleNotFoundError(name)
        return None


def lighten() -> None:
    """Spare this process pandas (see :func:`spare_pandas`), the documentation of Arrow's functions, plugins of
    pydantic, for which the metadata of every installed package is read (0.04 s), and the search for cycles.

    Nothing where pyarrow is loaded already: then the process is not the command line's own.
    """
    if "pyarrow" in sys.modules:
        return
    spare_pandas()
    _spare_documentation()
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.disable()
    _lightened.append(True)


def leave(code: int) -> NoReturn:
    """End this process. One that was lightened does not take apart what it has loaded, which would be an eighth of all
    its CPU time (0.2 s, measured): it does what is registered for its end, and is gone.

    Raises:
        SystemExit: it was not, or something in it is still at work.
    """
    others = [t for t in threading.enumerate() if t is not threading.main_thread() and not t.daemon]
    if not _lightened or others:
        sys.exit(code)
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        pass  # whoever was reading has read enough
    os._exit(code)


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


def _spare_documentation() -> None:
    """Load Arrow's functions without writing the documentation of each, for which pyarrow parses that of a hundred
    classes (0.04 s of CPU, measured)."""
    parser = ModuleType("pyarrow.vendored.docscrape")
    parser.NumpyDocString = lambda text: {"Parameters": ()}  # type: ignore[attr-defined]
    sys.modules[parser.__name__] = parser
    try:
        import pyarrow.compute  # noqa: F401
    finally:
        del sys.modules[parser.__name__]
