from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memory_pipeline.errors import ModelError
from memory_pipeline.inference import builtin_encoder
from memory_pipeline.inference.builtin_encoder import BuiltinEncoder
from memory_pipeline.inference.token_vectors import DIMENSIONS, STEPS, unpacked

WORDS = ["river", "train", "code", "music", "dinner", "travel", "friend", "doctor", "running", "cat", "piano", "tax"]


@pytest.fixture(scope="module")
def encoder() -> BuiltinEncoder:
    return BuiltinEncoder(threads=1)


def some_texts(n: int, seed: int = 1) -> list[str]:
    chosen = random.Random(seed)
    return [" ".join(chosen.choices(WORDS, k=chosen.randint(2, 60))) for _ in range(n)]


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("Where do I live?", "Lives in Lisbon.", "Prefers short answers."),
        ("what do I eat", "Is a vegetarian.", "Works as a nurse in Oslo."),
        ("pets", "Has a cat called Miso.", "Started to learn the piano."),
        ("I am based in Berlin.", "Lives in Berlin.", "Is allergic to peanuts."),
    ],
)
def test_texts_of_a_kind_are_nearer(encoder: BuiltinEncoder, query: str, near: str, far: str) -> None:
    q, a, b = encoder.encode([query, near, far])
    assert q @ a > q @ b + 0.1


def test_vectors_have_the_promised_shape(encoder: BuiltinEncoder) -> None:
    vectors = encoder.encode(some_texts(20))
    assert vectors.shape == (20, encoder.dimensions) == (20, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert encoder.model == "all-minilm-l6-v2-int8"


def test_the_place_in_a_batch_does_not_matter(encoder: BuiltinEncoder) -> None:
    texts = some_texts(60)
    order = random.Random(2).sample(range(60), 60)
    together, shuffled = encoder.encode(texts), encoder.encode([texts[i] for i in order])
    assert shuffled == pytest.approx(together[order], abs=1e-5)
    for i in (0, 17, 59):
        assert encoder.encode([texts[i]])[0] == pytest.approx(together[i], abs=1e-5)


def test_a_model_loaded_for_few_texts_says_the_same(encoder: BuiltinEncoder) -> None:
    texts = some_texts(3)
    assert BuiltinEncoder(few=True).encode(texts) == pytest.approx(encoder.encode(texts), abs=1e-5)


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u200b"])
def test_a_text_without_content_has_no_direction(encoder: BuiltinEncoder, text: str) -> None:
    empty, full = encoder.encode([text, "Lives in Lisbon."])
    assert not empty.any()
    assert np.linalg.norm(full) == pytest.approx(1.0, abs=1e-5)


def test_the_same_pass_gives_tokens(encoder: BuiltinEncoder) -> None:
    texts = [*some_texts(20), "", "🙂", "I can't eat kiwis, Ana!"]
    made = encoder.encodings(texts, words=True)
    assert np.stack([one.vector for one in made]) == pytest.approx(encoder.encode(texts), abs=1e-5)
    for one in made:
        assert one.tokens is not None
        tokens = unpacked(one.tokens)
        assert tokens.shape == (len(one.words), DIMENSIONS)
        assert np.linalg.norm(tokens / STEPS, axis=1) == pytest.approx(1.0, abs=0.05)
    assert made[-3].tokens == made[-2].tokens == b"", "nothing is said"
    assert made[-1].words[:3] == ("I", "can't", "can't"), "the apostrophe itself is no word"
    assert made[-1].words[-1] == "Ana", "the signs at the start, at the end and between words are left out"
    assert {one.words for one in encoder.encodings(texts)} == {()}


def test_tokens_of_a_kind_are_nearer(encoder: BuiltinEncoder) -> None:
    asked, told = encoder.encodings(["Which pet do I own?", "Yesterday our puppy ate the tax form."], words=True)
    assert asked.tokens is not None and told.tokens is not None
    pet = unpacked(asked.tokens)[asked.words.index("pet")] / STEPS
    near = dict(zip(told.words, unpacked(told.tokens) / STEPS @ pet, strict=True))
    assert max(near, key=near.__getitem__) == "puppy"


def test_another_projection_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(builtin_encoder._PROJECTION, sha256="0" * 64)
    monkeypatch.setattr(builtin_encoder, "_PROJECTION", other)
    with pytest.raises(ModelError, match="is not the pinned file"):
        BuiltinEncoder(threads=1).encodings(["a text"])


def test_no_texts_no_vectors(encoder: BuiltinEncoder) -> None:
    assert encoder.encode([]).shape == (0, 384)


def test_a_long_text_is_read_up_to_its_256th_token(encoder: BuiltinEncoder) -> None:
    long = "river train " * 200
    same, other = encoder.encode([long + "piano", long + "tax " * 100_000])
    assert same == pytest.approx(other, abs=1e-6)
    shorter, longer = encoder.encode(["river train " * 70 + "piano " * 50, "river train " * 70 + "tax " * 50])
    assert abs(shorter - longer).max() > 0.01, "more than the 128 tokens of the tokenizer's own setting count"


@pytest.mark.parametrize("text", ["half a \ud800 pair", "日本語のテキスト", "🙂", "x" * 500])
def test_unusual_texts_are_taken(encoder: BuiltinEncoder, text: str) -> None:
    assert np.linalg.norm(encoder.encode([text])[0]) == pytest.approx(1.0, abs=1e-5)


def test_threads_share_one_encoder() -> None:
    shared = BuiltinEncoder(threads=1)
    texts = some_texts(6)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: shared.encode(texts), range(4)))
    assert all((vectors == found[0]).all() for vectors in found)


def test_a_file_that_is_not_the_pinned_one_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "altered_weights"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "model.onnx").write_bytes(b"something else")
    monkeypatch.syspath_prepend(tmp_path)
    pinned = builtin_encoder._MODEL
    with pytest.raises(ModelError, match=r"altered_weights/model\.onnx is not the pinned file"):
        builtin_encoder._File("altered_weights", "model.onnx", pinned.sha256).locate()
    with pytest.raises(ModelError, match=r"no_such_package/model\.onnx is missing: install"):
        builtin_encoder._File("no_such_package", "model.onnx", pinned.sha256).locate()
    assert pinned.locate().name == "model.onnx"
