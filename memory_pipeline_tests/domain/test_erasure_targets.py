"""What an erasure names, as somebody asks for it again."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.erasure import Target
from memory_pipeline.domain.scope import Scope

ALICE = Scope("acme", "alice")
WHOLE, SOME = Target(ALICE), Target(ALICE, (("s-1", "m-1"), ("s-1", "m-2"), ("s-2", "m-3")))


@pytest.mark.parametrize(
    ("target", "asked", "covered"),
    [
        (WHOLE, (None, None), True),
        (WHOLE, ("m-9", None), True),
        (SOME, (None, None), False),
        (SOME, ("m-3", None), True),
        (SOME, ("m-3", "s-2"), True),
        (SOME, ("m-3", "s-1"), False),
        (SOME, (None, "s-2"), True),
        (SOME, (None, "s-3"), False),
    ],
)
def test_a_target_covers_what_it_names(target: Target, asked: tuple[str | None, str | None], covered: bool) -> None:
    assert target.covers(ALICE, *asked) == covered
    assert not target.covers(Scope("acme", "bob"), *asked)
