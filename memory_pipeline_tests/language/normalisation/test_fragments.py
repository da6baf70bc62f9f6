"""What people say of themselves without a verb."""

from __future__ import annotations

import pytest

from memory_pipeline.language.normalisation.fragments import fragment, introduction
from memory_pipeline.language.normalisation.repair import sentences

SAID = [
    ("vegan 3 yrs here", "I am vegan"),
    ("strictly halal household", "I am halal"),
    ("back on meat", "I eat meat again"),
    ("back on the cigs again", "I smoke again"),
    ("off coffee since Lent", "I gave up coffee since Lent"),
    ("37 days without a single ciggie", "I quit smoking"),
    ("30 weeks pregnant with twins", "I am 30 weeks pregnant with twins"),
    ("Type 1 since I was nine", "I have Type 1 diabetes"),
    ("halfway through chemo", "I am in chemo"),
    ("on metformin 500 bd", "I take metformin 500 bd"),
    ("On Affinity Designer now", "I use Affinity Designer now"),
    ("We called it quits, me and Theo", "I and Theo broke up"),
    ("driving test coming up on Thursday 19 November", "I have a driving test on Thursday 19 November"),
    ("dentist on the 17th", "I have a dentist appointment on the 17th"),
    ("boiler man is coming on Sunday", "I have an appointment with the boiler man on Sunday"),
    ("Morning: ramipril 5 mg", "I take ramipril 5 mg"),
    ("7:15 levothyroxine 50 mcg, empty stomach", "I take levothyroxine 50 mcg"),
    # of others, or no fragment at all
    ("ramipril or losartan", ""),
    ("vegan cheese", ""),
    ("back on track", ""),
    ("off to bed", ""),
    ("the interview is online", ""),
    ("my sister is vegan", ""),
]
INTRODUCED = [
    ("Backend dev here, 34, Pune", ["I work as a backend dev", "I am 34 years old", "I live in Pune"]),
    ("Hi, nurse at St Mary's, single", ["I work as a nurse at St Mary's", "I am single"]),
    ("chef here", ["I work as a chef"]),
    ("Hgv driver 22 years, mostly nights", []),
    ("Doctor, lawyer, whatever", []),
    ("Paris, London, Rome", []),
    ("I'm a butcher, 51, from Leeds", []),
    ("Best doctor, 34, Pune", []),
    ("30 grams of butter, Parmesan", []),
]


@pytest.mark.parametrize(("said", "told"), SAID, ids=[said for said, _ in SAID])
def test_a_fragment_is_a_statement(said: str, told: str) -> None:
    assert fragment(said) == told


@pytest.mark.parametrize(("said", "told"), INTRODUCED, ids=[said for said, _ in INTRODUCED])
def test_an_introduction_is_a_list_of_statements(said: str, told: list[str]) -> None:
    assert introduction(said) == told


def test_a_fragment_between_commas_is_read_apart() -> None:
    assert "I eat meat again." in sentences("don't judge, back on meat lol, my iron was low")


def test_the_day_behind_a_weekday_is_one_of_the_month() -> None:
    assert sentences("dentist on Tuesday the 17") == ["I have a dentist appointment on Tuesday the 17th"]
