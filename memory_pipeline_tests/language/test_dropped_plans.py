from __future__ import annotations

import pytest

from memory_pipeline.language.pleas import drops_plan, plea


@pytest.mark.parametrize(
    "text",
    [
        "Forget the solar panels, we leave that, the roof is too weak.",
        "forget the allotment, we can't afford it",
        "ok forget about the Rome trip, too expensive this year",
        "Forget our Rome trip, we can't afford it.",
        "Actually, forget the conservatory because the council said no.".replace("said", "refused"),
    ],
)
def test_a_plan_that_is_given_up_is_no_plea(text: str) -> None:
    assert drops_plan(text)
    assert not plea(text)


@pytest.mark.parametrize(
    "text",
    [
        "Forget my address, I moved.",
        "Forget the address, I moved.",
        "Forget what I said about the solar panels.",
        "Forget the solar panels, I shouldn't have told you.",
        "Forget the thing about the panels, it's private.",
        "Forget my miscarriage, it hurts.",
        "Please forget the solar panels.",
        "Forget my salary, we agreed on that.",
    ],
)
def test_a_plea_to_forget_stays_one(text: str) -> None:
    assert not drops_plan(text)
    assert plea(text)
