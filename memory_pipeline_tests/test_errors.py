"""The tree of errors: what each says to programs."""

from __future__ import annotations

import inspect
import json
import pickle
from datetime import UTC, date, datetime
from typing import Any

import pytest

from memory_pipeline import errors
from memory_pipeline.errors import MemoryPipelineError

# One value for every attribute of every class that has some of its own.
FACTS: dict[str, dict[str, Any]] = {
    "SettingsError": {"setting": "MEMORY_PIPELINE_POLICY", "path": "policy.toml"},
    "IngestError": {"path": "in.jsonl"},
    "ModelError": {"model": "m"},
    "ReplyError": {"reply": "{"},
    "BudgetExceeded": {
        "usd": 0.5,
        "spent_usd": 1.75,
        "limit_usd": 2.0,
        "still_open": 3,
        "resumes_at": datetime(2026, 3, 11, tzinfo=UTC),
    },
    "BatchError": {"batch_id": "b", "status": "failed", "url": "http://here", "unanswered": 4},
    "StorageError": {"path": "lake"},
    "ForeignFiles": {"files": ("a", "b")},
    "EngineError": {"address": "ray://here", "node": "n"},
    "AuditFailed": {"audits": ("one",), "failed": ("one",)},
    "IndexMismatch": {
        "table": "memories",
        "lacking": ("mood",),
        "unknown": ("tone",),
        "encoder": "small",
        "in_force": "large",
    },
    "IndexDamaged": {"table": "memories", "reason": "cut short"},
    "SchemaTooNew": {"dataset": "links", "version": 3, "supported": 2, "written_by": "9.1.0"},
    "BundleError": {"path": "b.zip", "line": 3},
    "NotFound": {
        "memory_id": "mem_1",
        "message_id": "m",
        "session_id": "s",
        "domain": "work",
        "recall_id": "rec_1",
        "item_id": "i",
        "erasure_id": "ers_1",
        "key_id": "k",
    },
    "QueryError": {"argument": "k"},
    "CurationError": {"memory_id": "mem_1"},
    "EvaluationError": {"suite": "fixtures", "data_set": "locomo", "fixture": "tea", "path": "tea.yaml", "line": 3},
    "PromotionError": {
        "candidate": "policy p.toml",
        "reasons": ("slower",),
        "evaluated_at": datetime(2026, 3, 10, tzinfo=UTC),
        "setting": "MEMORY_PIPELINE_POLICY",
    },
    "RollbackError": {
        "runs": ("r1", "r2"),
        "rollback_id": "r3",
        "later_runs": ("r4",),
        "memory_ids": ("mem_1",),
        "stale_days": (date(2026, 3, 10),),
    },
    "ServerError": {"status": 503, "retry_after_s": 1.5},
}


def test_every_class_has_attributes_of_its_own() -> None:
    kinds = {kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, MemoryPipelineError)}
    own = {kind.__name__: set(inspect.get_annotations(kind)) for kind in kinds - {MemoryPipelineError}}
    assert own == {name: set(facts) for name, facts in FACTS.items()}


@pytest.mark.parametrize("name", FACTS)
def test_attributes_are_given_by_name_and_told_as_json(name: str) -> None:
    kind: type[MemoryPipelineError] = getattr(errors, name)
    error = kind("what is wrong", user_id="ann", **FACTS[name])
    for attribute, value in FACTS[name].items():
        assert getattr(error, attribute) == value
        assert attribute in (kind.__doc__ or ""), "and its docstring says what it is"
    told = error.to_dict()
    assert json.loads(json.dumps(told)) == told
    assert (told["error"], told["message"], told["user_id"]) == (name, "what is wrong", "ann")
    assert told.keys() == {"error", "message", "user_id", *FACTS[name]}


@pytest.mark.parametrize("name", FACTS)
def test_an_error_is_read_again_from_what_it_tells(name: str) -> None:
    kind: type[MemoryPipelineError] = getattr(errors, name)
    error = kind("what is wrong", user_id="ann", **FACTS[name])
    again = kind.of_dict("what is wrong", {**json.loads(json.dumps(error.to_dict())), "colour": "red"})
    assert again.to_dict() == error.to_dict()
    for attribute, value in FACTS[name].items():
        assert getattr(again, attribute) == value


@pytest.mark.parametrize("name", FACTS)
def test_what_is_not_known_is_not_told(name: str) -> None:
    told = getattr(errors, name)("what is wrong").to_dict()
    assert {key: value for key, value in told.items() if key not in ("error", "message")} in ({}, {"usd": 0.0})


@pytest.mark.parametrize("name", FACTS)
def test_attributes_reach_other_processes(name: str) -> None:
    error = getattr(errors, name)("what is wrong", **FACTS[name])
    assert pickle.loads(pickle.dumps(error)).to_dict() == error.to_dict()


def test_moments_and_several_values_are_told_as_json_has_them() -> None:
    told = errors.RollbackError("no", stale_days=(date(2026, 3, 10),), runs=("a",)).to_dict()
    assert (told["stale_days"], told["runs"]) == (["2026-03-10"], ["a"])
    assert "audits" not in errors.AuditFailed("no", audits=(object(),)).to_dict(), "objects of ours are not JSON"
