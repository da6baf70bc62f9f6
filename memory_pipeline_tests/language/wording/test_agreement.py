"""English verbs by their shape: told apart, and put into other forms."""

from __future__ import annotations

import pytest

from memory_pipeline.language.wording.agreement import Tense, base, gerund, in_the_past, past, past_of, plural, tense


@pytest.mark.parametrize(
    ("word", "time"),
    [
        ("lives", Tense.PRESENT), ("Crochets", Tense.PRESENT), ("is", Tense.PRESENT), ("cannot", Tense.PRESENT),
        ("moved", Tense.PAST), ("ate", Tense.PAST), ("Broke", Tense.PAST), ("was", Tense.PAST),
        ("bus", None), ("boss", None), ("always", None), ("red", None), ("hundred", None), ("seed", None),
        ("Lisbon", None), ("analysis", None), ("3rds", None), ("James", None),
    ],
)  # fmt: skip
def test_a_finite_verb_is_known_by_its_shape(word: str, time: Tense | None) -> None:
    assert tense(word) is time


@pytest.mark.parametrize(
    ("form", "infinitive"),
    [
        ("carries", "carry"), ("dies", "die"), ("watches", "watch"), ("fixes", "fix"), ("goes", "go"), ("is", "be"),
        ("misses", "miss"), ("uses", "use"), ("ate", "eat"), ("stopped", "stop"), ("moved", "move"), ("tried", "try"),
        ("runs", "run"), ("has", "have"), ("aches", "ache"),
    ],
)  # fmt: skip
def test_an_infinitive(form: str, infinitive: str) -> None:
    assert base(form) == infinitive


@pytest.mark.parametrize(
    ("verb", "then", "ongoing"),
    [("runs", "ran", "running"),
     ("lies", "lay", "lying"), ("makes", "made", "making"), ("plans", "planned", "planning"),
     ("carries", "carried", "carrying"), ("knits", "knitted", "knitting"), ("juggles", "juggled", "juggling")],
)  # fmt: skip
def test_other_forms(verb: str, then: str, ongoing: str) -> None:
    assert gerund(base(verb)) == ongoing
    assert past(verb) == then


@pytest.mark.parametrize(
    ("lemma", "then"),
    [("focus", "focused"), ("found", "founded"), ("lay", "laid"), ("steal", "stole"), ("carry", "carried"),
     ("play", "played"), ("bake", "baked"), ("wrap", "wrapped"), ("cut", "cut"), ("be", "was")],
)  # fmt: skip
def test_the_past_of_an_infinitive_that_may_look_like_another_form(lemma: str, then: str) -> None:
    assert past_of(lemma) == then


@pytest.mark.parametrize(
    ("told", "of_many", "then"),
    [
        ("always defends numbers", "always defend numbers", "always defended numbers"),
        ("is no longer vegan", "are no longer vegan", "was no longer vegan"),
        ("does not sleep well", "do not sleep well", "did not sleep well"),
        ("no longer eats meat", "no longer eat meat", "no longer ate meat"),
        ("really misses Japan", "really miss Japan", "really missed Japan"),
        ("moved to Rome", "moved to Rome", "moved to Rome"),
        ("brother of two", "brother of two", "brother of two"),
    ],
)
def test_a_predicate_of_another_subject_or_time(told: str, of_many: str, then: str) -> None:
    assert (plural(told), in_the_past(told)) == (of_many, then)
