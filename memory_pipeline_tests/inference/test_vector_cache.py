"""Kept vectors: no text of a user is encoded twice, and nobody is served another's."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.encoder import RememberingEncoder
from memory_pipeline.inference.token_vectors import Encoding
from memory_pipeline.inference.vector_cache import OwnedText, VectorCache
from memory_pipeline.storage.parquet.files import day_of
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.layouts.roll_up import roll_up
from memory_pipeline.storage.parquet.schemas import KeptVector
from memory_pipeline.storage.vectors.encoder_pointer import folder_of
from memory_pipeline.storage.vectors.kept_vectors import bound, forget_encoder
from memory_pipeline_tests.store import WordEncoder, WordTokenEncoder

DAY = date(2026, 3, 10)
ANN = Scope("t", "ann")


class Counting(WordEncoder):
    """Knows what it was asked."""

    def __init__(self, model: str = "words") -> None:
        super().__init__()
        self.asked: list[str] = []
        self._model = model

    @property
    def model(self) -> str:
        return self._model

    def encode(self, texts: Sequence[str]) -> Any:
        self.asked += texts
        return super().encode(texts)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(str(tmp_path))


def run(lake: Lake, texts: Sequence[OwnedText], model: str = "words", **kept: bool) -> tuple[Any, list[str]]:
    """The vectors that a process finds, and what it had to encode."""
    encoder = Counting(model)
    return VectorCache(lake, RememberingEncoder(encoder), **kept).encode(texts), encoder.asked


def owned(text: str, day: date = DAY, user: Scope = ANN) -> OwnedText:
    return OwnedText(user, day, text)


def test_a_text_is_encoded_once_and_found_to_the_bit(lake: Lake) -> None:
    first, asked = run(lake, [owned("a b c"), owned("d e"), owned("a b c")])
    assert asked == ["d e", "a b c"] or asked == ["a b c", "d e"]
    assert first.shape == (3, WordEncoder().dimensions)
    again, asked = run(lake, [owned("d e"), owned("f"), owned("a b c")])
    assert asked == ["f"]
    assert again.dtype == np.float32
    assert np.array_equal(again[[2, 0]], first[[0, 1]])
    assert np.array_equal(again[1], WordEncoder().encode(["f"])[0])
    assert run(lake, [])[0].shape == (0, WordEncoder().dimensions)


def test_one_run_writes_a_vector_once(lake: Lake) -> None:
    encoder = Counting()
    cache = VectorCache(lake, RememberingEncoder(encoder, capacity=1))
    for _ in range(2):
        cache.encode([owned("a"), owned("b")])
    cache.encode([owned("a", DAY + timedelta(days=1))])  # a later version of a memory says what the first one said
    assert sorted(encoder.asked) == ["a", "b"], "what is remembered no more is found where it was kept"
    assert sorted((row.day, row.user_id) for row in lake.read("vectors", KeptVector)) == [(DAY, "ann")] * 2


class CountingTokens(WordTokenEncoder):
    """Knows what it was asked for tokens."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encodings(self, texts: Sequence[str], *, words: bool = False) -> list[Encoding]:
        self.asked += texts
        return super().encodings(texts, words=words)


def test_tokens_are_kept_with_the_vector_and_found_to_the_bit(lake: Lake) -> None:
    texts = [owned("a b"), owned(""), owned("a b")]
    first, second = CountingTokens(), CountingTokens()
    made = VectorCache(lake, RememberingEncoder(first)).encodings(texts)
    again = VectorCache(lake, RememberingEncoder(second)).encodings(texts)
    assert [one.tokens for one in made] == [
        first.token("a") + first.token("b"),
        b"",
        first.token("a") + first.token("b"),
    ]
    assert [one.tokens for one in again] == [one.tokens for one in made]
    assert all(np.array_equal(a.vector, b.vector) for a, b in zip(made, again, strict=True))
    assert (first.asked, second.asked) == (["a b", ""], []), "a text without a word has its tokens, too: none"


def test_what_was_kept_without_tokens_is_encoded_once_more_where_they_are_asked_for(lake: Lake) -> None:
    text, encoder = owned("a b"), CountingTokens()
    VectorCache(lake, RememberingEncoder(encoder)).encode([text])
    assert encoder.asked == [], "whoever asks for vectors alone gets no tokens"
    for _ in range(2):
        (made,) = VectorCache(lake, RememberingEncoder(encoder)).encodings([text])
        assert made.tokens == encoder.token("a") + encoder.token("b")
    assert encoder.asked == ["a b"]
    assert VectorCache(lake, RememberingEncoder(Counting(encoder.model))).encode([text]).shape == (1, 512)


def test_an_encoder_without_tokens_is_not_asked_twice(lake: Lake) -> None:
    run(lake, [owned("a")])
    encoder = Counting()
    (made,) = VectorCache(lake, RememberingEncoder(encoder)).encodings([owned("a")])
    assert (made.tokens, encoder.asked) == (None, [])


def test_what_two_users_say_is_kept_for_each(lake: Lake) -> None:
    both = [owned("a"), owned("a", user=Scope("t", "bob"))]
    assert run(lake, both)[1] == ["a"]
    assert {row.user_id for row in lake.read("vectors", KeptVector)} == {"ann", "bob"}
    assert run(lake, both[1:])[1] == []


@pytest.mark.parametrize(
    "other", [{"user": Scope("t", "bob")}, {"user": Scope("u", "ann")}, {"day": date(2026, 3, 11)}]
)
def test_another_owners_or_days_vector_is_not_looked_for(lake: Lake, other: dict[str, Any]) -> None:
    run(lake, [owned("a")])
    assert run(lake, [owned("a", **other)])[1] == ["a"]
    assert run(lake, [owned("a", **other)])[1] == []


def test_another_encoder_reads_the_text_itself(lake: Lake) -> None:
    run(lake, [owned("a")])
    assert run(lake, [owned("a")], model="other words")[1] == ["a"]


def test_a_dropped_encoders_vectors_go(lake: Lake) -> None:
    texts = [owned("a"), owned("b")]
    for model in ("words", "other words"):
        run(lake, texts, model)
    roll_up(lake, "vectors", [DAY])
    run(lake, [owned("c", DAY + timedelta(days=1))], "other words")
    assert forget_encoder(lake, folder_of("other words", WordEncoder().dimensions)) == 5  # two in a file rolled up
    assert run(lake, texts)[1] == []
    assert {row.model for row in lake.read("vectors", KeptVector)} == {"words"}
    assert len(lake.read("vectors", KeptVector)) == 2


def test_the_oldest_days_go_where_there_are_too_many(lake: Lake) -> None:
    days = [DAY + timedelta(days=n) for n in range(3)]
    run(lake, [owned(f"text {day}", day) for day in days])
    sizes = [info.size for info in lake.store.infos("vectors", None)]
    assert bound(lake, sum(sizes)) == 0
    assert bound(lake, sum(sizes) - 1) == 1
    assert [day_of(path) for path in lake.files("vectors")] == days[1:]
    assert bound(lake, 0) == 2
    assert run(lake, [owned(f"text {days[0]}", days[0])])[1] == [f"text {days[0]}"]


def test_where_the_policy_keeps_none_nothing_is_written(lake: Lake) -> None:
    run(lake, [owned("a")], keep=False)
    assert lake.files("vectors") == []
