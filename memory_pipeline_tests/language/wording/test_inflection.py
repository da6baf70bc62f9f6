"""Verb forms for sentences in the third person."""

from __future__ import annotations

import pytest

from memory_pipeline.language.wording.inflection import base_form, gerund, third_person

FORMS = {  # lemma: (third person, gerund)
    "live": ("lives", "living"),
    "carry": ("carries", "carrying"),
    "play": ("plays", "playing"),
    "watch": ("watches", "watching"),
    "go": ("goes", "going"),
    "have": ("has", "having"),
    "be": ("is", "being"),
    "do": ("does", "doing"),
    "fix": ("fixes", "fixing"),
    "swim": ("swims", "swimming"),
    "run": ("runs", "running"),
    "cook": ("cooks", "cooking"),
    "see": ("sees", "seeing"),
    "die": ("dies", "dying"),
    "agree": ("agrees", "agreeing"),
    "miss": ("misses", "missing"),
    "make": ("makes", "making"),
}


@pytest.mark.parametrize(("lemma", "forms"), FORMS.items(), ids=FORMS)
def test_forms_of_a_lemma(lemma: str, forms: tuple[str, str]) -> None:
    assert (third_person(lemma), gerund(lemma)) == forms


@pytest.mark.parametrize("lemma", [lemma for lemma in FORMS if lemma not in {"be", "die"}])
def test_the_lemma_is_found_again(lemma: str) -> None:
    assert base_form(third_person(lemma)) == (lemma, third_person(lemma))
    assert base_form(lemma) == (lemma, third_person(lemma))
