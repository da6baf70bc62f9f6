"""An assistant's words: what it claims of its user or of itself stands apart from what it answers."""

from __future__ import annotations

import pytest

from memory_pipeline.language.standing import Standing, replies


@pytest.mark.parametrize(
    ("sentence", "standing"),
    [
        ("Since you're vegan, leave out the butter.", Standing.CLAIM),
        ("As you told me, the flight leaves at six.", Standing.CLAIM),
        ("Your sister is a vet.", Standing.CLAIM),
        ("I live in Paris.", Standing.CLAIM),
        ("The flight leaves at six.", Standing.REPLY),
        ("Try Ottolenghi's lentils.", Standing.REPLY),
    ],
)
def test_claims_and_answers(sentence: str, standing: Standing) -> None:
    content = f"Here is a plan. {sentence} Bread goes with it."
    at = content.index(sentence)
    assert [s.standing for s in replies(content) if s.start <= at < s.end] == [standing]
    assert [s.standing for s in replies(content) if not s.start <= at < s.end] == [Standing.REPLY] * 2


def test_everything_with_letters_belongs_to_one_sentence_in_order() -> None:
    content = "Sure! Two ideas:\n- Lentils\n- Rice\n\n```\nboil(rice)\n```\n"
    found = replies(content)
    assert all(a.end <= b.start for a, b in zip(found, found[1:], strict=False))
    rest = "".join(
        content[a:b] for a, b in zip([0, *(s.end for s in found)], [*(s.start for s in found), None], strict=True)
    )
    assert not any(c.isalpha() for c in rest)


def test_no_words_no_sentences() -> None:
    assert replies("") == replies("\n") == []
