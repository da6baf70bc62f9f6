"""One version of an index table, held open: a user's rows in it, and a mark that tells whether they have changed since.

A table gets a new version with every write, whoever's rows were written. A Lance row is never changed in place, so a
user's rows are the same ones for as long as they lie at the same addresses in the same files; the scalar indexes give
the addresses without a row being read (1 ms of CPU, against 4 for the rows themselves: measured).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from memory_pipeline.domain.scope import Scope

if TYPE_CHECKING:
    import numpy.typing as npt

_ADDRESS = "_rowaddr"
_FRAGMENT_BITS = 32  # an address is the number of a fragment, then that of a row in it


class Snapshot:
    """A table as it was when it was opened. Safe for threads.

    Args:
        dataset: of Lance, at one version.
        made: what tells the table from others that had its name.

    Attributes:
        state: ``made``, and the number of the version.
    """

    def __init__(self, dataset: Any, made: tuple[int, int]) -> None:
        self.state = (made, int(dataset.version))
        self._dataset = dataset
        self._files = {f.fragment_id: _files(f.metadata) for f in dataset.get_fragments()}

    def rows(self, scope: Scope, columns: Sequence[str], *, shared: bool = False) -> tuple[pa.Table, bytes]:
        """A user's rows, and their mark.

        Args:
            shared: those that other users of the tenant share with it (KN-11), in place of its own.
        """
        found = self._scanned(scope, columns, shared)
        return found.drop_columns([_ADDRESS]), self._mark(found)

    def mark(self, scope: Scope, *, shared: bool = False) -> bytes:
        """What is the same in two versions only where the user's rows are."""
        return self._mark(self._scanned(scope, (), shared))

    def _scanned(self, scope: Scope, columns: Sequence[str], shared: bool) -> pa.Table:
        # An Arrow expression reaches Lance as one; the text that lancedb makes of its own is not always read back.
        where = pc.field("tenant_id") == scope.tenant_id
        if shared:
            where &= (pc.field("user_id") != scope.user_id) & pc.field("shared")
        else:
            where &= pc.field("user_id") == scope.user_id
        found: pa.Table = self._dataset.scanner(
            columns=list(columns), filter=where, with_row_address=True, use_scalar_index=True
        ).to_table()
        return found

    def _mark(self, rows: pa.Table) -> bytes:
        addresses: npt.NDArray[np.uint64] = np.sort(rows.column(_ADDRESS).to_numpy())
        made = hashlib.blake2b(addresses.tobytes(), digest_size=16)
        for fragment in np.unique(addresses >> _FRAGMENT_BITS).tolist():
            made.update(self._files[fragment].encode())
        return made.digest()


def _files(fragment: Any) -> str:
    """The files that hold a fragment's values; their names are never given twice."""
    return repr(([file.path for file in fragment.files], fragment.overlays))
