from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from memory_pipeline.errors import ModelError, SettingsError
from memory_pipeline.inference.hosted.openai_encoder import OpenAIEncoder
from memory_pipeline.settings import Settings
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import (
    NO_CHOICES,
    RESET,
    TRUNCATED_BODY,
    Step,
    fails,
    hangs,
    hashed_vectors,
)

NOW = {"Retry_After": "0"}


def settings(**given: Any) -> Settings:
    return Settings.load(encoder="openai", **{"encoder_model": "small-embed", "encoder_dimensions": 64, **given})


@pytest.fixture
def encoder(protocol_server: ProtocolServer) -> Iterator[OpenAIEncoder]:
    encoder = OpenAIEncoder(settings())
    yield encoder
    encoder.close()


def unit(texts: Sequence[str], dimensions: int = 64) -> Any:
    vectors = np.asarray(hashed_vectors(texts, dimensions), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_vectors_come_in_the_order_of_the_texts_and_of_length_one(
    encoder: OpenAIEncoder, protocol_server: ProtocolServer
) -> None:
    texts = ["Lives in Lisbon.", "Likes tea.", "Has a cat."]
    vectors = encoder.encode(texts)
    assert vectors.shape == (3, 64) and vectors.dtype == np.float32
    assert vectors == pytest.approx(unit(texts), abs=1e-6)
    (call,) = protocol_server.calls
    assert (call.body["model"], call.body["dimensions"]) == ("small-embed", 64)
    assert call.body["encoding_format"] == "base64"


def test_vectors_of_different_lengths_are_of_different_models(encoder: OpenAIEncoder) -> None:
    assert encoder.model == "small-embed-64"
    assert (encoder.dimensions, OpenAIEncoder(settings(encoder_dimensions=128)).model) == (64, "small-embed-128")


def test_texts_without_content_are_not_sent(encoder: OpenAIEncoder, protocol_server: ProtocolServer) -> None:
    vectors = encoder.encode(["", "Likes tea.", "  \n"])
    assert protocol_server.calls[0].body["input"] == ["Likes tea."]
    assert not vectors[0].any() and not vectors[2].any()
    assert vectors[1] == pytest.approx(unit(["Likes tea."])[0], abs=1e-6)
    assert encoder.encode([]).shape == (0, 64)
    assert not encoder.encode(["", " "]).any()
    assert len(protocol_server.calls) == 1


def test_many_texts_go_in_bounded_batches(encoder: OpenAIEncoder, protocol_server: ProtocolServer) -> None:
    texts = [f"text number {n}" for n in range(600)]
    assert encoder.encode(texts) == pytest.approx(unit(texts), abs=1e-6)
    assert [len(call.body["input"]) for call in protocol_server.calls] == [256, 256, 88]


def test_long_texts_are_cut_and_spread_over_calls(encoder: OpenAIEncoder, protocol_server: ProtocolServer) -> None:
    encoder.encode(["word " * 100_000] * 10)
    sizes = [call.prompt_tokens for call in protocol_server.calls]
    assert len(sizes) == 2 and max(sizes) <= 32_000
    assert all(len(text) <= 20_000 for call in protocol_server.calls for text in call.body["input"])


def test_half_surrogates_do_not_break_a_request(encoder: OpenAIEncoder) -> None:
    assert np.linalg.norm(encoder.encode(["half a \ud800 pair"])[0]) == pytest.approx(1.0, abs=1e-5)


def test_a_model_of_fixed_length_is_asked_without_dimensions(
    encoder: OpenAIEncoder, protocol_server: ProtocolServer
) -> None:
    protocol_server.script(fails(400, "Model x does not support matryoshka representation"))
    protocol_server.embed = lambda texts, _: hashed_vectors(texts, 64)
    encoder.encode(["Likes tea."])
    encoder.encode(["Has a cat."])
    assert ["dimensions" in call.body for call in protocol_server.calls] == [True, False, False]


def test_vectors_of_another_length_say_what_to_set(encoder: OpenAIEncoder, protocol_server: ProtocolServer) -> None:
    protocol_server.reject("dimensions")
    with pytest.raises(ModelError, match="length 1536, not 64: set MEMORY_PIPELINE_ENCODER_DIMENSIONS=1536"):
        encoder.encode(["Likes tea."])


def test_a_server_without_base64_is_asked_for_numbers(encoder: OpenAIEncoder, protocol_server: ProtocolServer) -> None:
    protocol_server.script(fails(422, "encoding_format: Input should be 'float'"))
    assert encoder.encode(["Likes tea."]) == pytest.approx(unit(["Likes tea."]), abs=1e-6)
    assert [call.body["encoding_format"] for call in protocol_server.calls] == ["base64", "float"]


@pytest.mark.parametrize(
    "fault",
    [fails(429, **NOW), fails(500, **NOW), RESET, TRUNCATED_BODY, NO_CHOICES],
)
def test_what_passes_is_waited_for(encoder: OpenAIEncoder, protocol_server: ProtocolServer, fault: Step) -> None:
    protocol_server.script(fault)
    assert encoder.encode(["Likes tea."]) == pytest.approx(unit(["Likes tea."]), abs=1e-6)
    assert len(protocol_server.calls) == 2


def test_a_hung_call_is_given_up_and_made_again(protocol_server: ProtocolServer) -> None:
    protocol_server.script(hangs(30))
    encoder = OpenAIEncoder(settings(chat_timeout_s=0.5))
    started = time.monotonic()
    assert encoder.encode(["Likes tea."]).any()
    assert time.monotonic() - started < 5
    encoder.close()


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (fails(401), "does not accept OPENAI_API_KEY"),
        (fails(404, "no such model"), "MEMORY_PIPELINE_ENCODER_MODEL"),
        (fails(400, "no"), r"refused the request for small-embed \(400\): no"),
        (fails(501, "start it with --embeddings"), "start it with --embeddings"),
    ],
)
def test_what_will_not_change_is_told_at_once(
    encoder: OpenAIEncoder, protocol_server: ProtocolServer, fault: Step, message: str
) -> None:
    protocol_server.script(fault)
    with pytest.raises(ModelError, match=message):
        encoder.encode(["Likes tea."])
    assert len(protocol_server.calls) == 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1.0] * 64], "1 vectors for 2 texts"),
        ([[1.0] * 64] * 3, "3 vectors for 2 texts"),
        ([[1.0] * 64, [0.0] * 64], "vectors without length"),
        ([[1.0] * 64, [math.nan] * 64], "vectors without length"),
    ],
)
def test_vectors_that_belong_to_no_text_are_not_taken(
    protocol_server: ProtocolServer, rows: list[list[float]], message: str
) -> None:
    protocol_server.embed = lambda texts, dimensions: rows
    encoder = OpenAIEncoder(settings(chat_retries=0))
    with pytest.raises(ModelError, match=message):
        encoder.encode(["Likes tea.", "Has a cat."])
    encoder.close()


def test_one_index_for_all_vectors_is_not_an_order(protocol_server: ProtocolServer) -> None:
    rows = [{"object": "embedding", "index": 0, "embedding": [1.0] * 64}] * 2
    body = json.dumps({"object": "list", "data": rows, "model": "x", "usage": {"prompt_tokens": 1, "total_tokens": 1}})
    protocol_server.script(Step(body=body.encode()))
    encoder = OpenAIEncoder(settings(chat_retries=0))
    with pytest.raises(ModelError, match="not one for each"):
        encoder.encode(["Likes tea.", "Has a cat."])
    encoder.close()


def test_what_it_took_is_counted(encoder: OpenAIEncoder, protocol_server: ProtocolServer) -> None:
    encoder.encode(["Likes tea."])
    encoder.encode(["Has a cat."])
    tokens = protocol_server.prompt_tokens["embeddings"]
    assert encoder.usage.prompt_tokens == tokens > 0
    assert encoder.usage.usd == pytest.approx(tokens * 0.02 / 1e6)


def test_without_key_and_url_nothing_starts() -> None:
    with pytest.raises(SettingsError, match="MEMORY_PIPELINE_ENCODER=openai needs OPENAI_API_KEY"):
        OpenAIEncoder(settings())
    with pytest.raises(SettingsError, match="^the encoder openai needs OPENAI_API_KEY"):
        OpenAIEncoder(settings(encoder_fixed=True))  # a command's option has named it
