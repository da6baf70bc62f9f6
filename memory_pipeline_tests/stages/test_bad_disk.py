"""A disk that fills up in the middle of the work, and a home that can only be read."""

from __future__ import annotations

import builtins
import errno
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.cli import trouble
from memory_pipeline.domain.ledger.memory import standing
from memory_pipeline.errors import StorageError
from memory_pipeline.storage.parquet.files import PARTIAL
from memory_pipeline_tests.factories import proposal
from memory_pipeline_tests.stages.curated import Home, at, dog

TEA = proposal("Likes green tea.", at(2), attribute="likes", value="green tea")


def _told(home: Home) -> None:
    home.now = at(4)
    home.say(dog(1), TEA)


def _state(home: Home) -> set[tuple[str, str]]:
    ids = [row["memory_id"] for row in home.context().index.all("memories", ["memory_id"]).to_pylist()]
    assert len(ids) == len(set(ids))
    return {(v.version_id, str(v.status)) for v in standing(home.rows())} | {(i, "indexed") for i in ids}


def _fills_up(monkeypatch: pytest.MonkeyPatch, at_write: int) -> None:
    """Nothing can be written any more after so many files."""
    sync, written = os.fsync, 0

    def fsync(descriptor: int) -> None:
        nonlocal written
        written += 1
        if written >= at_write:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)


@pytest.mark.parametrize("at_write", [1, 3, 5, 7, 9])
def test_what_a_full_disk_stopped_is_finished_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_write: int
) -> None:
    undisturbed, home = Home(tmp_path / "undisturbed"), Home(tmp_path / "home")
    _told(undisturbed)
    with monkeypatch.context() as patch:
        _fills_up(patch, at_write)
        with pytest.raises(StorageError, match="No space left") as full:
            _told(home)
    assert trouble.remedy(full.value, str(home.folder)) == trouble.FREE
    assert not list((home.folder / "lake" / PARTIAL).glob("*")), "what was written in part takes no room"
    _told(home)
    home.run()
    undisturbed.run()
    assert _state(home) == _state(undisturbed)


def _read_only(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Everything that would write under a folder fails as on a file system that is mounted read-only."""

    def refusing(work: Callable[..., Any], writes: Callable[..., bool]) -> Callable[..., Any]:
        def refused(path: Any, *args: Any, **given: Any) -> Any:
            inside = isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith(str(folder))
            if inside and writes(*args, **given):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS), os.fspath(path))
            return work(path, *args, **given)

        return refused

    always = lambda *_, **__: True  # noqa: E731
    opened = lambda mode="r", *_, **__: bool(set(mode) & set("wxa+"))  # noqa: E731
    flags = lambda flags, *_, **__: bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))  # noqa: E731
    monkeypatch.setattr(builtins, "open", refusing(open, opened))
    monkeypatch.setattr(os, "open", refusing(os.open, flags))
    for name in ("mkdir", "replace", "rename", "unlink", "remove"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name), always))


def test_a_home_that_cannot_be_written_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    home = Home(tmp_path)
    _told(home)
    tea = home.id(TEA.content)
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
        _read_only(patch, tmp_path)
        reader = Home(tmp_path)
        assert TEA.content in reader.found("green tea")
        assert {m["content"] for m in reader.reader.memories(**reader.owner)} == {TEA.content, dog(1).content}
        assert caplog.text.count("reads are not being logged") == 1
        for act in (
            lambda: home.curator.forget(tea, **home.owner),
            lambda: home.curator.remember("Plays the cello.", **home.owner),
            home.run,
        ):
            with pytest.raises(StorageError) as shut:
                act()
            assert trouble.remedy(shut.value, str(tmp_path)) == trouble.OPEN, shut.value
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == before
    assert home.curator.forget(tea, **home.owner)
