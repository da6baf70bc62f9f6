"""What a failed step leaves behind."""

from __future__ import annotations

import weakref

import pytest

from memory_pipeline.orchestration.assets.run_stage import _let_go


class Engine:
    """Something that must be gone before the interpreter takes its module apart."""


def test_a_kept_error_keeps_no_engine_alive() -> None:
    made: list[weakref.ref[Engine]] = []

    def inner() -> None:
        engine = Engine()
        made.append(weakref.ref(engine))
        raise ValueError("no")

    def outer() -> None:
        engine = Engine()
        made.append(weakref.ref(engine))
        try:
            inner()
        except ValueError as cause:
            raise RuntimeError("stopped") from cause

    with pytest.raises(RuntimeError) as kept:
        outer()
    assert all(engine() is not None for engine in made)
    _let_go(kept.value)
    assert [engine() for engine in made] == [None, None]
    assert kept.value.__cause__ is not None and kept.tb is not None, "where it failed is still told"
