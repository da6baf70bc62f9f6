from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from memory_pipeline.errors import EvaluationError
from memory_pipeline.evaluation.data_sets.vector_store import StoredEncoder
from memory_pipeline.inference.token_vectors import Encoding
from memory_pipeline_tests.store import WordEncoder, WordTokenEncoder


class Counted(WordEncoder):
    def __init__(self, model: str = "org/words") -> None:
        self.model = model
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.asked += texts
        return super().encode(texts)


def test_a_text_is_encoded_once_even_by_the_next_run(tmp_path: Path) -> None:
    first, second = Counted(), Counted()
    made = StoredEncoder(first, tmp_path).encode(["plays chess", "drinks tea", "plays chess"])
    again = StoredEncoder(second, tmp_path).encode(["drinks tea", "half \ud800", "plays chess"])
    assert (first.asked, second.asked) == (["plays chess", "drinks tea"], ["half \ud800"])
    assert (made == WordEncoder().encode(["plays chess", "drinks tea", "plays chess"])).all()
    assert (again[[2, 0]] == made[:2]).all()


def test_tokens_are_kept_and_made_for_what_was_kept_without(tmp_path: Path) -> None:
    class Tokens(WordTokenEncoder):
        model = "org/words"
        asked: list[str] = []

        def encodings(self, texts: Sequence[str], *, words: bool = False) -> list[Encoding]:
            self.asked += texts
            return super().encodings(texts, words=words)

    StoredEncoder(Counted(), tmp_path).encode(["plays chess"])
    for _ in range(2):
        (made,) = StoredEncoder(Tokens(), tmp_path).encodings(["plays chess"])
        assert made.tokens == Tokens().token("plays") + Tokens().token("chess")
    assert Tokens.asked == ["plays chess"]


def test_another_model_has_its_own_vectors(tmp_path: Path) -> None:
    other = Counted("org/other")
    StoredEncoder(Counted(), tmp_path).encode(["plays chess"])
    StoredEncoder(other, tmp_path).encode(["plays chess"])
    assert other.asked == ["plays chess"]


def test_progress_is_told_while_there_is_something_to_encode(tmp_path: Path) -> None:
    told: list[tuple[str, int, int | None]] = []
    encoder = StoredEncoder(Counted(), tmp_path, lambda *args: told.append(args))
    assert encoder.encode([]).shape == (0, 512)
    for _ in range(2):
        encoder.encode(["a chair", "a table"])
    assert told == [("encoding", 0, 2)]


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    StoredEncoder(Counted(), tmp_path).encode(["plays chess"])
    (file,) = tmp_path.rglob("*.parquet")
    file.write_bytes(b"no longer")
    with pytest.raises(EvaluationError, match=rf"{file.name} cannot be read, delete it"):
        StoredEncoder(Counted(), tmp_path).encode(["plays chess"])
