from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from benchmarks.datasets import LOADERS
from memory_pipeline.errors import EvaluationError
from memory_pipeline.evaluation.data_sets.corpus import Corpus
from memory_pipeline.evaluation.data_sets.sources import folder, load
from memory_pipeline_tests.evaluation.data_sets import tiny_sets


def ids(corpus: Corpus) -> list[str]:
    return [message["message_id"] for message in corpus.messages]


def test_locomo(tmp_path: Path) -> None:
    tiny_sets.locomo(tmp_path)
    corpus = load("locomo", tmp_path)
    assert ids(corpus) == ["conv-26/D1:1", "conv-26/D1:2", "conv-26/D2:1"]
    assert corpus.messages[1]["content"] == "Lovely! [shares an image: a photo of a violin]"
    assert [(q.text, q.category) for q in corpus.questions] == [
        ("What did Ann adopt?", "single-hop"),
        ("Where and what?", "multi-hop"),
    ]
    both = corpus.questions[1]
    assert both.evidence == ("conv-26/D1:1", "conv-26/D2:1")
    assert both.sessions == ("conv-26/session_1", "conv-26/session_2")
    assert both.asked_at == datetime(2023, 5, 9, 9, 0)


@pytest.mark.parametrize("variant", ["s", "oracle"])
def test_longmemeval(tmp_path: Path, variant: str) -> None:
    tiny_sets.longmemeval(tmp_path, variant)
    corpus = load(f"longmemeval-{variant}", tmp_path)
    (question,) = corpus.questions
    assert ids(corpus)[:3] == ["q1/noise_1/0", "q1/noise_1/1", "q1/answer_1/0"]
    assert question.evidence == ("q1/answer_1/0",)
    assert question.sessions == ("q1/answer_1",)
    assert question.asked_at == datetime(2023, 5, 30, 10, 0)
    assert all("has_answer" not in message for message in corpus.messages)


def test_beam(tmp_path: Path) -> None:
    tiny_sets.beam(tmp_path)
    corpus = load("beam-100k", tmp_path)
    assert [(m["content"], m["created_at"]) for m in corpus.messages] == [
        ("I adopted a greyhound.", "2024-03-15T00:00:00"),
        ("Congratulations!", "2024-03-15T00:00:30"),
    ]
    assert [q.evidence for q in corpus.questions] == [
        ("beam-100K-3/m0",),
        ("beam-100K-3/m0", "beam-100K-3/m1"),
    ]
    assert {q.sessions for q in corpus.questions} == {("beam-100K-3/b1",)}


def test_halumem_asks_midway_and_cites_sessions(tmp_path: Path) -> None:
    tiny_sets.halumem(tmp_path)
    corpus = load("halumem", tmp_path)
    (question,) = corpus.questions
    assert (question.evidence, question.sessions) == ((), ("halumem-u1/s0",))
    assert question.midway
    assert question.asked_at == datetime(2025, 9, 2, 10, 5)


def test_fact_consolidation_takes_the_last_fact_that_answers(tmp_path: Path) -> None:
    tiny_sets.fact_consolidation(tmp_path)
    corpus = load("fact-consolidation", tmp_path)
    (question,) = corpus.questions
    assert [m["content"] for m in corpus.messages][0] == "The capital of Elbonia is Mudville."
    assert question.evidence == ("factconsolidation_sh_6k/3",)


def test_memdaily(tmp_path: Path) -> None:
    tiny_sets.memdaily(tmp_path)
    corpus = load("memdaily", tmp_path)
    (question,) = corpus.questions
    assert question.evidence == ("01_simple_events/7/0",)
    assert question.sessions == ("01_simple_events/7/s20240315",)
    assert question.category == "simple"


def test_a_limit_leaves_out_the_other_users_too(tmp_path: Path) -> None:
    tiny_sets.longmemeval(tmp_path)
    corpus = load("longmemeval-s", tmp_path).limited(1)
    assert {message["user_id"] for message in corpus.messages} == {"q1"}
    assert load("longmemeval-s", tmp_path).limited(None) == load("longmemeval-s", tmp_path)


@pytest.mark.parametrize("name", LOADERS)
def test_missing_files_are_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(EvaluationError, match=f"{name}: .* is missing under"):
        load(name, tmp_path)


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    tiny_sets.write(tmp_path, "mab/Conflict_Resolution.json", [{"metadata": {"source": "other"}}])
    with pytest.raises(EvaluationError, match="fact-consolidation: a file under .* does not have the set's format"):
        load("fact-consolidation", tmp_path)


class TestFolder:
    def test_must_be_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("DATASETS", raising=False)
        with pytest.raises(EvaluationError, match="set DATASETS to their folder, or give it with --datasets"):
            folder(None)

    def test_must_be_there(self, tmp_path: Path) -> None:
        with pytest.raises(EvaluationError, match="is no folder"):
            folder(tmp_path / "nowhere")

    def test_what_is_given_wins(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DATASETS", "/nowhere")
        assert folder(tmp_path) == tmp_path
        monkeypatch.setenv("DATASETS", str(tmp_path))
        assert folder(None) == tmp_path
