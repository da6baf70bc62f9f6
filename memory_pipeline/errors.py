"""One tree of errors. Every message says what happened and what to do about it; attributes say it to programs.

::

    MemoryPipelineError
    ├── SettingsError            a setting
    ├── IngestError              an input as a whole
    ├── ModelError               a chat model or an encoder
    │   ├── ReplyError           … whose reply does not fit
    │   ├── BudgetExceeded       … that may not be asked any more today
    │   └── BatchError           … whose provider would not carry out a batch
    ├── StorageError             the lake or the index
    │   ├── IndexMismatch        … of another encoder or schema
    │   ├── ForeignFiles         … that hold what is to be erased
    │   ├── IndexDamaged         … of which a file is gone or changed
    │   └── SchemaTooNew         … of a newer release
    ├── EngineError              the cluster that stages run on
    ├── AuditFailed              what a run has staged
    ├── BundleError              a bundle
    ├── NotFound                 an id
    ├── QueryError               the arguments of a read
    ├── CurationError            an act by the user's own hand
    ├── EvaluationError          a fixture, a data set, a suite
    ├── PromotionError           a candidate
    ├── RollbackError            a run to be rolled back
    └── ServerError              a server that an application asks
"""

from __future__ import annotations

from typing import Any


class MemoryPipelineError(Exception):
    """Base of every error that this package raises on purpose.

    Attributes:
        tenant_id, user_id: whom it is about; None where it is about nobody or about many.
        run_id, stage: which run, and which of its stages; None outside of one.
    """

    tenant_id: str | None = None
    user_id: str | None = None
    run_id: str | None = None
    stage: str | None = None

    def __init__(self, message: str = "", **facts: Any) -> None:
        """
        Args:
            message: a sentence for a person.
            facts: values of the attributes that the class declares.

        Raises:
            TypeError: the class declares no such attribute.
        """
        super().__init__(message)
        for name, value in facts.items():
            if not hasattr(type(self), name):
                raise TypeError(f"{type(self).__name__} has no attribute {name!r}")
            setattr(self, name, value)

    def to_dict(self) -> dict[str, Any]:
        """Its class, sentence and attributes that are known, as JSON has them."""
        names = sorted({name for cls in type(self).__mro__ for name in getattr(cls, "__annotations__", {})})
        known = {name: getattr(self, name) for name in names}
        plain = {name: value for name, value in known.items() if isinstance(value, str | int | float | bool)}
        return {"error": type(self).__name__, "message": str(self), **plain}


class SettingsError(MemoryPipelineError):
    """A setting is missing, malformed or contradicts another one."""


class IngestError(MemoryPipelineError):
    """A whole input (not a single line of it) cannot be read.

    Attributes:
        path: of the input.
    """

    path: str | None = None


class ModelError(MemoryPipelineError):
    """A chat model or an encoder failed after its retries.

    Attributes:
        model: its name.
    """

    model: str | None = None


class ReplyError(ModelError):
    """A model answered, but not with something that fits the schema, even after one repair.

    Args:
        message: what is wrong with the reply.
        reply: the raw text, kept so that it can be put aside and looked at.
    """

    def __init__(self, message: str, reply: str = "", **facts: Any) -> None:
        super().__init__(message, **facts)
        self.reply = reply


class BudgetExceeded(ModelError):
    """The day's budget for model calls is spent; what was paid for is kept.

    Args:
        message: what was spent, and when it goes on.
        usd: what the call that could not start might have cost.
    """

    def __init__(self, message: str, usd: float = 0.0, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.usd = usd


class BatchError(ModelError):
    """The provider, or somebody there, would not have a batch carried out; what it had answered is kept."""


class StorageError(MemoryPipelineError):
    """The lake or the index cannot be read or written.

    Attributes:
        path: of the file or folder, where it is one.
    """

    path: str | None = None


class ForeignFiles(StorageError):
    """Files in the home that are none of its stores hold what is to be erased; what becomes of them is to be said.

    Attributes:
        files: named from the home.
    """

    files: tuple[str, ...] = ()


class EngineError(MemoryPipelineError):
    """The cluster that stages are to run on cannot be reached, or lost what it was working on; nothing half-made
    holds."""


class AuditFailed(MemoryPipelineError):
    """What a run has staged breaks a rule, so nothing of it was published: readers see what they saw before.

    Args:
        message: which audits, their figures and limits, and how to see the rows.
        audits: what every audit found, those that passed included.
    """

    def __init__(self, message: str, audits: tuple[Any, ...] = (), **facts: Any) -> None:
        super().__init__(message, **facts)
        self.audits = audits


class IndexMismatch(StorageError):
    """The index was built by another encoder or schema than the one in use."""


class IndexDamaged(StorageError):
    """A file of the index is gone, cut short or changed; the index is made again from the lake."""


class SchemaTooNew(StorageError):
    """A home, a file or a bundle was written by a newer release, in a form that this one does not know."""


class BundleError(MemoryPipelineError):
    """A bundle cannot be written, or is not one that may be taken in; nothing of it was.

    Attributes:
        path: of the bundle.
        line: of a member of it, from 1.
    """

    path: str | None = None
    line: int | None = None


class NotFound(MemoryPipelineError):
    """No such memory, message or recall for this tenant and user.

    Attributes:
        memory_id, message_id: what was asked for.
    """

    memory_id: str | None = None
    message_id: str | None = None


class QueryError(MemoryPipelineError):
    """A read was asked with arguments that cannot be answered.

    Attributes:
        argument: the name of the one that is wrong.
    """

    argument: str | None = None


class CurationError(MemoryPipelineError):
    """A change by the user's own hand cannot be made as it was asked for.

    Attributes:
        memory_id: of the memory that it is about, where it is about one.
    """

    memory_id: str | None = None


class EvaluationError(MemoryPipelineError):
    """A fixture, a data set or a suite of the evaluation cannot be used as it is."""


class PromotionError(MemoryPipelineError):
    """A candidate may not be put in force, or there is nothing to go back to."""


class RollbackError(MemoryPipelineError):
    """A run cannot be rolled back, or not as things stand."""


class ServerError(MemoryPipelineError):
    """A memory server cannot be reached, or refuses a request: the key, its scopes, its limits.

    Attributes:
        status: of HTTP; None where there was no answer.
        retry_after_s: when to ask again, where the server says so.
    """

    status: int | None = None
    retry_after_s: float | None = None
