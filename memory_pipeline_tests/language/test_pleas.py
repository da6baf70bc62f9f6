"""Which sentences ask for something to be forgotten or left alone."""

from __future__ import annotations

import pytest

from memory_pipeline.language.pleas import plea

PLEAS = [
    "Please forget my old address.",
    "Don’t mention Tom again.",
    "Bitte erwähne meinen Ex nicht mehr.",
    "No me hables de mi jefe.",
    "Y no me vuelvas a hablar de mi jefe.",
    "Ne me parlez plus de ma tante.",
    "Por favor, não me fale do divórcio.",
    "Non voglio parlarne più, non nominarla.",
    "Vergeet wat ik over mijn werk zei.",
]
STATED = [
    "I don't talk much at work.",
    "I never forget a face.",
    "Je ne parle pas bien anglais.",
    "No tengo coche.",
    "Ich habe nicht gut geschlafen.",
    "Non ho tempo oggi.",
]


@pytest.mark.parametrize("sentence", PLEAS)
def test_a_plea_is_one_in_whatever_language(sentence: str) -> None:
    assert plea(sentence)


@pytest.mark.parametrize("sentence", STATED)
def test_a_statement_is_none(sentence: str) -> None:
    assert not plea(sentence)
