"""Alerts on file: JSON Lines under the home, a file a month, append-only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any

from memory_pipeline.domain.ids import identifier
from memory_pipeline.settings import Settings

_SCHEMA_VERSION = 1


class AlertKind(StrEnum):
    """What an alert is about."""

    RUN_FAILED = "run_failed"
    BUDGET_SPENT = "budget_spent"
    CHECK_FAILED = "check_failed"
    NOT_FRESH = "not_fresh"


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that somebody should look at. It names no user and quotes nothing of any conversation.

    Attributes:
        at: UTC.
        severity: ``error`` or ``warning``.
        subject: the step, check or asset.
        error: the class of the error; "" where there is none.
        message: one line of ours.
    """

    kind: AlertKind
    at: datetime
    severity: str
    run_id: str
    job: str
    subject: str
    error: str
    message: str

    @property
    def alert_id(self) -> str:
        """The same for the same thing of the same run, however often and by whom it is noticed."""
        return identifier("alr", self.kind, self.run_id, self.job, self.subject)

    def to_dict(self) -> dict[str, Any]:
        """The alert as JSON has it."""
        return {
            "schema_version": _SCHEMA_VERSION,
            "alert_id": self.alert_id,
            **asdict(self),
            "at": self.at.isoformat(timespec="microseconds"),
        }


class AlertLog:
    """The ``alerts`` folder of a home. A home on object storage has none: there, the log and the webhook tell."""

    def __init__(self, settings: Settings) -> None:
        self._folder = None if settings.remote else Path(settings.path("alerts"))

    def add(self, alerts: Sequence[Alert]) -> list[Alert]:
        """Write alerts down, and return those that were not there yet."""
        if self._folder is None or not alerts:
            return list(alerts)
        from filelock import FileLock

        self._folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self._folder / ".lock"):
            known = {row["alert_id"] for row in self.latest(_LOOKED_BACK)}
            new = [a for n, a in enumerate(alerts) if a.alert_id not in known | {b.alert_id for b in alerts[:n]}]
            for alert in new:
                line = json.dumps(alert.to_dict(), ensure_ascii=False)
                with (self._folder / f"{alert.at:%Y-%m}.jsonl").open("a", encoding="utf-8") as file:
                    file.write(f"{line}\n")
        return new

    def latest(self, most: int) -> list[dict[str, Any]]:
        """The last alerts as JSON objects, the newest first; a line that a crash has torn is left out."""
        return list(islice(self._backwards(), most))

    def _backwards(self) -> Any:
        files = sorted(self._folder.glob("*.jsonl"), reverse=True) if self._folder is not None else []
        for file in files:
            for line in reversed(file.read_text(encoding="utf-8", errors="replace").splitlines()):
                try:
                    yield json.loads(line)
                except json.JSONDecodeError:
                    continue


_LOOKED_BACK = 1000  # alerts among which the same one is looked for
