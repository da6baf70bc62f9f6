"""Long-term memory for LLM applications, run as a data pipeline.

>>> from memory_pipeline import Memory
>>> memory = Memory.open("data")
>>> memory.add("I am allergic to nuts.", user_id="alice", session_id="s-1")
>>> memory.search("what do I eat?", user_id="alice")

Importing this package costs nothing heavy: engines are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory_pipeline.curator import MemoryCurator
    from memory_pipeline.domain.reading.recall import Answer, ContextBlock, RecalledItem
    from memory_pipeline.errors import (
        AuditFailed,
        BatchError,
        BudgetExceeded,
        BundleError,
        CurationError,
        EvaluationError,
        ForeignFiles,
        IndexDamaged,
        IndexMismatch,
        IngestError,
        MemoryPipelineError,
        ModelError,
        NotFound,
        PromotionError,
        QueryError,
        ReplyError,
        RollbackError,
        SchemaTooNew,
        ServerError,
        SettingsError,
        StorageError,
    )
    from memory_pipeline.pipeline import Pipeline
    from memory_pipeline.retrieval.reader import MemoryReader
    from memory_pipeline.sdk.memory import Memory
    from memory_pipeline.settings import Settings

__version__ = "0.1.0"
__all__ = [
    "Answer",
    "AuditFailed",
    "BatchError",
    "BudgetExceeded",
    "BundleError",
    "ContextBlock",
    "CurationError",
    "EngineError",
    "EvaluationError",
    "ForeignFiles",
    "IndexDamaged",
    "IndexMismatch",
    "IngestError",
    "Memory",
    "MemoryCurator",
    "MemoryPipelineError",
    "MemoryReader",
    "ModelError",
    "NotFound",
    "Pipeline",
    "PromotionError",
    "QueryError",
    "RecalledItem",
    "ReplyError",
    "RollbackError",
    "SchemaTooNew",
    "ServerError",
    "Settings",
    "SettingsError",
    "StorageError",
]

_ERRORS = "memory_pipeline.errors"
_HOMES = {
    "Answer": "memory_pipeline.domain.reading.recall",
    "ContextBlock": "memory_pipeline.domain.reading.recall",
    "Memory": "memory_pipeline.sdk.memory",
    "MemoryCurator": "memory_pipeline.curator",
    "MemoryReader": "memory_pipeline.retrieval.reader",
    "RecalledItem": "memory_pipeline.domain.reading.recall",
    "Settings": "memory_pipeline.settings",
    "Pipeline": "memory_pipeline.pipeline",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, _ERRORS)), name)


def __dir__() -> list[str]:
    return sorted(__all__)
