"""Shapes of the figures by which the stores are kept small."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MaintenancePolicy:
    """What maintenance keeps, and how much of it there may be.

    Attributes:
        kept_versions_hours: how long a reader may go on with a version of the index that it has opened.
        kept_files_hours: how long one may take to read the files of the lake that it has listed.
        unfinished_hours: how long a file that is being written may lie untouched.
        kept_vectors_bytes: most bytes of the vectors that are kept so that their texts are not encoded again.
        fragment_rows: rows of the index from which on a fragment is full and is not written again.
        runs_days, runs: age of the finished Dagster runs whose logs are kept, and how many of them at least.
        times_live: most bytes of the stores, as a multiple of what their present content takes.
        least_bytes: below so many the multiple does not count.
        most_bytes, most_files: of the stores together; 0 = no cap.
    """

    kept_versions_hours: float
    kept_files_hours: float
    unfinished_hours: float
    kept_vectors_bytes: int
    fragment_rows: int
    runs_days: int
    runs: int
    times_live: float
    least_bytes: int
    most_bytes: int
    most_files: int
