"""A data set through ingest, index and reader, with an encoder that can be computed by hand."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memory_pipeline.errors import EvaluationError, QueryError
from memory_pipeline.evaluation.data_sets.corpus import Corpus, Question, message
from memory_pipeline.evaluation.data_sets.metrics import Interval
from memory_pipeline.evaluation.data_sets.random_vectors import RandomEncoder
from memory_pipeline.evaluation.data_sets.retrieval_suite import run
from memory_pipeline.evaluation.data_sets.sources import load
from memory_pipeline.evaluation.suites import plain
from memory_pipeline.settings import Settings
from memory_pipeline_tests.evaluation.data_sets import tiny_sets
from memory_pipeline_tests.store import WordEncoder

NOON = datetime(1997, 3, 1, 12)
TEXTS = ("I adopted a greyhound.", "The violin is out of tune.", "We sailed to the island.", "Rain all day long.")


def corpus(*questions: Question, user: str = "u") -> Corpus:
    said = [message(user, f"s{n}", f"m{n}", "user", t, NOON + n * timedelta(days=1)) for n, t in enumerate(TEXTS)]
    return Corpus("tiny", said, questions)


def measured(found: Corpus, tmp_path: Path, profile: str = "default") -> dict[str, float]:
    settings = Settings.load(home=str(tmp_path / "untouched"))
    figures = run(found, settings, WordEncoder(), profile=profile)
    assert not (tmp_path / "untouched").exists()
    return {name: plain(figure) for name, figure in figures.items()}


def test_what_is_found_and_what_is_not(tmp_path: Path) -> None:
    found = measured(
        corpus(
            Question("q1", "u", "what about the greyhound", "c", ("m0",), ("s0",)),
            Question("q2", "u", "who sailed to the island", "c", ("m2", "m3"), ("s2", "s3")),
            Question("q3", "u", "zyx", "c", ("m1",), ("s1",)),
        ),
        tmp_path,
    )
    assert found["turn_recall@5"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert found["turn_any@5"] == pytest.approx(2 / 3)
    assert found["turn_all@5"] == pytest.approx(1 / 3)
    assert found["session_all@5"] == pytest.approx(1 / 3)
    assert found["turn_mrr"] == pytest.approx(2 / 3)
    systems = {"bm25", "dense", "rrf", "random"}
    assert {name.partition(".")[0] for name in found if "." in name} == {*systems, "ahead_of"}
    for system in systems:
        ahead = found["turn_recall@5"] - found[f"{system}.turn_recall@5"]
        assert found[f"ahead_of.{system}.turn_recall@5"] == pytest.approx(ahead)
    # A baseline ranks every turn: the one that is not found stands somewhere among the four.
    assert found["bm25.turn_recall@5"] == found["rrf.turn_recall@5"] == 1


def test_the_interval_of_a_difference_is_that_of_its_questions(tmp_path: Path) -> None:
    """Half of the questions are hopeless for both: the systems have wide intervals, their difference has none."""
    asked = [Question(f"q{n}", "u", "the island", "c", ("m2",) if n % 2 else ("none",), ()) for n in range(20)]
    settings = Settings.load(home=str(tmp_path))
    figures = run(corpus(*asked), settings, WordEncoder(), profile="default")
    own, ahead = figures["turn_any@5"], figures["ahead_of.bm25.turn_any@5"]
    assert isinstance(own, Interval) and isinstance(ahead, Interval)
    assert own.margin > 0.15 and ahead.margin == 0


def test_random_vectors_are_the_same_for_the_same_text() -> None:
    encoder = RandomEncoder(16)
    one, two = encoder.encode(["a", "b"]), encoder.encode(["b", "a"])
    assert (one[0] == two[1]).all() and (one[1] == two[0]).all() and abs(float(one[0] @ one[1])) < 0.95
    assert one.shape == (2, 16) and encoder.encode([]).shape == (0, 16)


def test_a_question_asked_midway_does_not_see_the_future(tmp_path: Path) -> None:
    asked = Question("q", "u", "the island", "c", ("m2",), (), NOON, midway=True)
    found = measured(corpus(asked), tmp_path)
    assert found["turn_any@10"] == found["bm25.turn_any@10"] == found["dense.turn_any@10"] == 0
    assert "session_any@5" not in found


def test_sessions_alone_are_scored_as_sessions(tmp_path: Path) -> None:
    found = measured(corpus(Question("q", "u", "the island", "c", (), ("s2",))), tmp_path)
    assert found["session_mrr"] == 1
    assert not [name for name in found if name.startswith("turn")]


def test_every_data_set_goes_through(tmp_path: Path) -> None:
    for make in (tiny_sets.locomo, tiny_sets.longmemeval, tiny_sets.beam, tiny_sets.memdaily):
        make(tmp_path / "sets")
    for name in ("locomo", "longmemeval-s", "beam-100k", "memdaily"):
        assert measured(load(name, tmp_path / "sets"), tmp_path)["turn_any@5"] == 1


def test_without_a_question_nothing_is_measured(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="tiny has no question with evidence"):
        measured(corpus(), tmp_path)


def test_a_message_that_ingest_refuses_is_no_silent_loss(tmp_path: Path) -> None:
    whole = corpus(Question("q", "u", "the island", "c", ("m2",)))
    spoilt = [{**m, "content": ""} if m["message_id"] == "m2" else m for m in whole.messages]
    found = measured(Corpus("tiny", spoilt, whole.questions), tmp_path)
    assert (found["refused_messages"], found["turn_any@10"]) == (1, 0)
    with pytest.raises(EvaluationError, match="takes none of its 4 messages"):
        measured(corpus(*whole.questions, user=" "), tmp_path)


def test_an_unknown_profile_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="default, durable"):
        measured(corpus(Question("q", "u", "the island", "c", ("m2",))), tmp_path, "best")
