"""Files in force change at once, whenever the process that changes them ends."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.evaluation.shadow.promotion import put, remove
from memory_pipeline.settings import Settings


class _Killed(BaseException):
    pass


class _Dying:
    """Lets a process pass some renames and removals, and no more."""

    def __init__(self, patch: pytest.MonkeyPatch, at: int) -> None:
        self.passed = 0
        self._at = at
        for owner, name in ((os, "replace"), (shutil, "rmtree")):
            patch.setattr(owner, name, self._counted(getattr(owner, name)))

    def _counted(self, work: Any) -> Any:
        def counted(*args: Any, **given: Any) -> Any:
            self.passed += 1
            if self.passed == self._at:
                raise _Killed
            return work(*args, **given)

        return counted


def _in_force(settings: Settings) -> str | None:
    folder = settings.prompts_folder
    return None if folder is None else (folder / "extract.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("new", ["new", None])
def test_a_process_that_dies_leaves_the_old_folder_in_force_or_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new: str | None
) -> None:
    """At every rename and removal; the same act again finishes it."""
    candidate = tmp_path / "candidate"
    candidate.mkdir()
    (candidate / "extract.md").write_text("new", encoding="utf-8")
    seen: list[str | None] = []
    for boundary in range(1, 20):
        settings = Settings(home=str(tmp_path / f"home-{boundary}"))
        place = Path(settings.path("prompts"))
        place.mkdir(parents=True)
        (place / "extract.md").write_text("old", encoding="utf-8")
        with monkeypatch.context() as patch:
            dying = _Dying(patch, boundary)
            try:
                put(place, candidate) if new else remove(place)
            except _Killed:
                seen.append(_in_force(settings))
        put(place, candidate) if new else remove(place)
        assert _in_force(settings) == new
        assert not place.with_name(".prompts-before").exists()
        if dying.passed < boundary:
            break
    assert set(seen) == {"old", new} and len(seen) >= 2
