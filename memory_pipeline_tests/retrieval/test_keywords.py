from __future__ import annotations

import math
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.retrieval.scores.keywords import KeywordIndex, query_terms, stems, tokenise

TEXTS = ["Lives in Lisbon.", "Likes cats and dogs.", "Cats, cats, cats!", "我住在里斯本"]


def index(texts: list[str] | None = None) -> KeywordIndex:
    return KeywordIndex(TEXTS if texts is None else texts, k1=1.2, b=0.75)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It's 3.5 km, Bob’s café", ["it's", "3", "5", "km", "bob's", "café"]),
        ("我住在里斯本。", ["我住", "住在", "在里", "里斯", "斯本"]),
        ("나는 리스본에", ["나는", "리스", "스본", "본에"]),
        ("カタカナ と かな", ["カタ", "タカ", "カナ", "と", "かな"]),
        ("ลิสบอน", ["ลิ", "ิส", "สบ", "บอ", "อน"]),
        ("لشبونة، نعم", ["لش", "شب", "بو", "ون", "نة", "نع", "عم"]),
        ("में रहता", ["मे", "ें", "रह", "हत", "ता"]),
        ("Живу в Москве", ["живу", "в", "москве"]),
        ("ＦＵＬＬ width", ["full", "width"]),
        ("🎉 party", ["🎉", "party"]),
        ("…!?", []),
        ("", []),
    ],
)
def test_tokens_of_any_script(text: str, tokens: list[str]) -> None:
    assert tokenise(text) == tokens


def test_a_query_leaves_stop_words_out_unless_it_has_nothing_else() -> None:
    assert query_terms("What's the name of my dog? I don't know, don't you?") == ["name", "dog"]
    assert query_terms("who are you") == ["who", "are", "you"]


@pytest.mark.parametrize(
    "text", ["a", "I", "don't", "日", "ñ", "ก", "ش", "가", "Ж", "the the", "42", "x" * 5000, "🎉", "q̃"]
)
def test_a_query_with_letters_is_never_empty(text: str) -> None:
    assert query_terms(text)


def test_words_are_stemmed_on_both_sides() -> None:
    assert stems(["running", "cats", "bob's"]) == ["run", "cat", "bob"]
    assert index().scores(query_terms("where do I live"))[0] > 0


def test_other_scripts_are_found_by_word_part_and_by_single_character() -> None:
    for query in ("里斯本", "住", "本"):
        scores = index().scores(query_terms(query))
        assert scores[3] > 0
        assert not scores[:3].any()


def test_scores_are_bm25_over_what_is_attainable() -> None:
    # Two texts of two tokens: every length is the mean, so k1·(1 - b + b) = k1.
    scores = index(["red apple", "green pear"]).scores(["red", "kiwi"])
    rare = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    unknown = math.log(1 + (2 + 0.5) / 0.5)
    assert scores[0] == pytest.approx(rare * 2.2 / (1 + 1.2) / (rare + unknown))
    assert scores[1] == 0


def test_repetition_saturates_and_long_texts_are_discounted() -> None:
    texts = ["cat", "cat cat cat", "cat " + "word " * 50, "dog"]
    one, three, long, none = KeywordIndex(texts, k1=1.2, b=0.75).scores(["cat"])
    assert 0 == none < long < one <= three <= 1


def test_scores_stay_between_0_and_1() -> None:
    rng = np.random.default_rng(3)
    words = [f"w{n}" for n in range(30)]
    texts = [" ".join(rng.choice(words, size=rng.integers(1, 40))) for _ in range(200)]
    found = index(texts)
    for _ in range(50):
        scores = found.scores(query_terms(" ".join(rng.choice(words, size=5))))
        assert scores.min() >= 0
        assert scores.max() <= 1


def test_nothing_to_find_in_nothing() -> None:
    assert index([]).scores(["cat"]).shape == (0,)
    assert index(["", "…"]).scores(["cat"]).tolist() == [0, 0]
    assert index().scores([]).tolist() == [0, 0, 0, 0]


def test_threads_stem_alike() -> None:
    words = [f"{w}{e}" for w in ("walk", "run", "jump") for e in ("s", "ed", "ing")] * 50
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: stems(words), range(200)))
    assert all(f == found[0] for f in found)


@given(st.text(alphabet="aB9' .-_\n\t\x1c\x00", max_size=14))
def test_plain_text_has_the_tokens_that_the_general_pattern_finds(text: str) -> None:
    assert tokenise(text) == re.findall(r"[a-z0-9]+(?:'[a-z0-9]+)*", text.lower())


def test_a_vocabulary_that_overflows_starts_anew_and_scores_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    before = index().scores(query_terms("cats in Lisbon"))
    monkeypatch.setattr("memory_pipeline.retrieval.scores.keywords._Terms._MOST", 3)
    assert index().scores(query_terms("cats in Lisbon")).tolist() == before.tolist()
