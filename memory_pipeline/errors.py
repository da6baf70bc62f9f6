"""One tree of errors. Every message says what happened and what to do about it."""

from __future__ import annotations

from typing import Any


class MemoryPipelineError(Exception):
    """Base of every error that this package raises on purpose."""


class SettingsError(MemoryPipelineError):
    """A setting is missing, malformed or contradicts another one."""


class IngestError(MemoryPipelineError):
    """A whole input (not a single line of it) cannot be read."""


class ModelError(MemoryPipelineError):
    """A chat model or an encoder failed after its retries."""


class ReplyError(ModelError):
    """A model answered, but not with something that fits the schema, even after one repair.

    Args:
        message: what is wrong with the reply.
        reply: the raw text, kept so that it can be put aside and looked at.
    """

    def __init__(self, message: str, reply: str = "") -> None:
        super().__init__(message)
        self.reply = reply


class BudgetExceeded(ModelError):
    """The day's budget for model calls is spent; what was paid for is kept.

    Args:
        message: what was spent, and when it goes on.
        usd: what the call that could not start might have cost.
    """

    def __init__(self, message: str, usd: float = 0.0) -> None:
        super().__init__(message)
        self.usd = usd


class BatchError(ModelError):
    """The provider, or somebody there, would not have a batch carried out; what it had answered is kept."""


class StorageError(MemoryPipelineError):
    """The lake or the index cannot be read or written."""


class AuditFailed(MemoryPipelineError):
    """What a run has staged breaks a rule, so nothing of it was published: readers see what they saw before.

    Args:
        message: which audits, their figures and limits, and how to see the rows.
        audits: what every audit found, those that passed included.
    """

    def __init__(self, message: str, audits: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.audits = audits


class IndexMismatch(StorageError):
    """The index was built by another encoder or schema than the one in use."""


class SchemaTooNew(StorageError):
    """A home, a file or a bundle was written by a newer release, in a form that this one does not know."""


class BundleError(MemoryPipelineError):
    """A bundle cannot be written, or is not one that may be taken in; nothing of it was."""


class NotFound(MemoryPipelineError):
    """No such memory, message or recall for this tenant and user."""


class QueryError(MemoryPipelineError):
    """A read was asked with arguments that cannot be answered."""


class CurationError(MemoryPipelineError):
    """A change by the user's own hand cannot be made as it was asked for."""


class EvaluationError(MemoryPipelineError):
    """A fixture, a data set or a suite of the evaluation cannot be used as it is."""


class PromotionError(MemoryPipelineError):
    """A candidate may not be put in force, or there is nothing to go back to."""


class RollbackError(MemoryPipelineError):
    """A run cannot be rolled back, or not as things stand."""
