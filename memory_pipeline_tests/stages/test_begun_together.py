from __future__ import annotations

from datetime import date

from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.begun_together import begun_together

ANN, BOB, CYN, DEE = (Scope("t", name) for name in ("ann", "bob", "cyn", "dee"))


def test_users_whose_replays_begin_within_a_quarter_are_replayed_at_once() -> None:
    firsts = {DEE: date(2026, 1, 5), BOB: date(2026, 4, 6), ANN: date(2026, 4, 7), CYN: date(2026, 2, 1)}
    assert begun_together(firsts) == [(date(2026, 1, 5), [BOB, CYN, DEE]), (date(2026, 4, 7), [ANN])]
    assert begun_together({}) == []
