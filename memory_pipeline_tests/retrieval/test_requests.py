"""What a message asks of memory, by its words and by what it means to the embedded encoder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from memory_pipeline.inference.builtin_encoder import BuiltinEncoder
from memory_pipeline.language.requests import examples
from memory_pipeline.retrieval.prompt.request_examples import FILE, example_vectors, made_from
from memory_pipeline.retrieval.prompt.requests import Request, Requests
from memory_pipeline.settings import Settings


@pytest.fixture(scope="module")
def encoder() -> BuiltinEncoder:
    return BuiltinEncoder(threads=1)


@pytest.fixture(scope="module")
def requests(encoder: BuiltinEncoder) -> Requests:
    return Requests(encoder, Settings.load().policies.context)


def read(requests: Requests, encoder: BuiltinEncoder, text: str) -> Request:
    return requests.read(text, encoder.encode([text])[0])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Is there anything that I have forgotten to do?", "tasks"),
        ("What have you learnt about me so far?", "self"),
        ("Something tasty for tonight, please", "food"),
        ("I feel awful today, what now?", "health"),
        ("Where could we fly in spring?", "travel"),
    ],
)
def test_a_kind_is_read_from_its_meaning(requests: Requests, encoder: BuiltinEncoder, text: str, kind: str) -> None:
    assert kind in {k.name for k in read(requests, encoder, text).kinds}


@pytest.mark.parametrize("text", ["What is the capital of Peru?", "Who wrote Faust?", "Explain photosynthesis to me"])
def test_what_means_none_of_the_kinds_is_of_none(requests: Requests, encoder: BuiltinEncoder, text: str) -> None:
    found = read(requests, encoder, text)
    assert (list(found.kinds), found.greeting) == ([], False)


def test_small_talk_in_other_words_is_a_greeting_but_not_with_a_request_behind_it(
    requests: Requests, encoder: BuiltinEncoder
) -> None:
    assert read(requests, encoder, "Hello Lucia, how are you doing today?").greeting
    assert not read(requests, encoder, "Good evening, how is it going with dinner?").greeting


def test_a_kind_beside_one_that_is_named_must_be_near(requests: Requests, encoder: BuiltinEncoder) -> None:
    found = read(requests, encoder, "where should we go on holiday?")
    assert {k.name for k in found.kinds} == {"leisure", "travel"}
    assert {k.name for k in read(requests, encoder, "plan my week, please").kinds} == {"leisure", "tasks"}


def test_the_day_of_a_wish_is_none_of_its_words_but_that_of_a_task_is(
    requests: Requests, encoder: BuiltinEncoder
) -> None:
    assert "friday" not in read(requests, encoder, "Suggest a dinner for Friday.").terms
    assert read(requests, encoder, "what do I still have to do on Friday?").terms == {"friday"}


def test_two_words_mean_nothing_in_particular(requests: Requests, encoder: BuiltinEncoder) -> None:
    assert list(read(requests, encoder, "remember me").kinds) == []


def test_words_that_every_request_has_are_none_of_its_terms(requests: Requests, encoder: BuiltinEncoder) -> None:
    assert read(requests, encoder, "Can you suggest a good violin for today?").terms == {"violin"}


@pytest.mark.parametrize(
    ("text", "fact"),
    [("Where do I live?", True), ("Where should I live?", False), ("Plan a party", False), ("Any ideas?", False)],
)
def test_a_question_for_advice_is_none_of_fact(
    requests: Requests, encoder: BuiltinEncoder, text: str, fact: bool
) -> None:
    assert read(requests, encoder, text).fact is fact


def test_names_of_speakers_are_no_terms(requests: Requests, encoder: BuiltinEncoder) -> None:
    found = read(requests, encoder, "Which violin does Melanie own?").without(frozenset({"melani"}))
    assert "melani" not in found.terms
    assert found.names == {"melani"}


def test_the_packages_vectors_of_the_examples_are_those_of_the_encoder(encoder: BuiltinEncoder) -> None:
    texts, _ = examples()
    with np.load(FILE, allow_pickle=False) as kept:
        current = str(kept["made_from"]) == made_from(encoder.model, texts)
        assert current, "the examples or the encoder have changed: python -m benchmarks.request_examples"
        assert np.abs(kept["vectors"] - encoder.encode(list(texts))).max() < 1e-5


def test_examples_of_other_words_or_for_another_encoder_are_encoded() -> None:
    texts, _ = examples()
    asked: list[Sequence[str]] = []

    class Other:
        model, dimensions = "other", 2

        def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            asked.append(texts)
            return np.zeros((len(texts), 2), dtype=np.float32)

    assert example_vectors(Other(), texts).shape == (len(texts), 2)
    assert asked == [list(texts)]
