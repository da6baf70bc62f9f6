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

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, Self


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
        """Its class, sentence and attributes that are known, as JSON has them; moments in ISO 8601."""
        known = {name: _plain(getattr(self, name)) for name in sorted(_declared(type(self)))}
        told = {name: value for name, value in known.items() if value not in (None, [], "")}
        return {"error": type(self).__name__, "message": str(self), **told}

    @classmethod
    def of_dict(cls, message: str, told: Mapping[str, Any]) -> Self:
        """The error of this class that :meth:`to_dict` made something of; what the class does not declare is left out.

        Raises:
            ValueError, TypeError: a value is not of its attribute's type.
        """
        kinds = _declared(cls)
        given = {name: value for name, value in told.items() if name in kinds and value is not None}
        return cls(message, **{name: _PARSERS.get(kinds[name], _same)(value) for name, value in given.items()})


def _declared(cls: type) -> dict[str, str]:
    """The attributes that a class of errors declares, and their types as they are written."""
    return {name: kind for one in cls.__mro__ for name, kind in getattr(one, "__annotations__", {}).items()}


def _same(value: Any) -> Any:
    return value


_PARSERS: Mapping[str, Callable[[Any], Any]] = {
    "datetime | None": datetime.fromisoformat,
    "tuple[str, ...]": tuple,
    "tuple[Any, ...]": tuple,
    "tuple[date, ...]": lambda days: tuple(map(date.fromisoformat, days)),
}
"""How what JSON has no type for is read, by the attribute's type."""


def _plain(value: Any) -> Any:
    """A value as JSON has it; None where it is, or is made of, objects that JSON does not have."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, tuple):
        plain = [_plain(one) for one in value]
        return None if None in plain else plain
    return value if isinstance(value, str | int | float | bool) else None


class SettingsError(MemoryPipelineError):
    """A setting is missing, malformed or contradicts another one.

    Attributes:
        setting: its name: of the environment variable, or of the policy's section and figure.
        path: of the file that it stands in or names, where it is one.
    """

    setting: str | None = None
    path: str | None = None


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

    Attributes:
        reply: the raw text, kept so that it can be put aside and looked at.
    """

    reply: str = ""


class BudgetExceeded(ModelError):
    """The day's budget for model calls is spent; what was paid for is kept.

    Attributes:
        usd: what the call that could not start might have cost.
        spent_usd, limit_usd: of the day so far, and of a whole one.
        still_open: how many calls were not made.
        resumes_at: when a run may go on; None where it may not before the limit is raised.
    """

    usd: float = 0.0
    spent_usd: float | None = None
    limit_usd: float | None = None
    still_open: int | None = None
    resumes_at: datetime | None = None


class BatchError(ModelError):
    """The provider, or somebody there, would not have a batch carried out; what it had answered is kept.

    Attributes:
        batch_id: by which the provider knows it; None where it was never taken.
        status: what the provider says became of it.
        url: of the provider.
        unanswered: how many requests it has left open.
    """

    batch_id: str | None = None
    status: str | None = None
    url: str | None = None
    unanswered: int | None = None


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
    holds.

    Attributes:
        address: of the cluster, as Ray takes it.
        node: the machine of the cluster that cannot do its part; None where it is about the cluster as a whole.
    """

    address: str | None = None
    node: str | None = None


class AuditFailed(MemoryPipelineError):
    """What a run has staged breaks a rule, so nothing of it was published: readers see what they saw before.

    Attributes:
        audits: what every audit found, those that passed included.
        failed: the names of those that did not pass and that nobody has accepted to fail.
    """

    audits: tuple[Any, ...] = ()
    failed: tuple[str, ...] = ()


class IndexMismatch(StorageError):
    """The index was built by another encoder or schema than the one in use.

    Attributes:
        table: the table of the index; None where it is about all of them.
        lacking, unknown: its columns that are missing, and those that this release does not know.
        encoder: the name of the encoder that was asked for, where that is what differs.
        in_force: the name of the encoder that the home is switched to.
    """

    table: str | None = None
    lacking: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    encoder: str | None = None
    in_force: str | None = None


class IndexDamaged(StorageError):
    """A file of the index is gone, cut short or changed; the index is made again from the lake.

    Attributes:
        table: the table of the index that it belongs to.
        reason: what is wrong with it.
    """

    table: str | None = None
    reason: str | None = None


class SchemaTooNew(StorageError):
    """A home, a file or a bundle was written by a newer release, in a form that this one does not know.

    Attributes:
        dataset: which one; None where it is about the home or the bundle as a whole.
        version, supported: the version that was met, and the newest that this release knows.
        written_by: the release that wrote it, where it says so.
    """

    dataset: str | None = None
    version: int | None = None
    supported: int | None = None
    written_by: str | None = None


class BundleError(MemoryPipelineError):
    """A bundle cannot be written, or is not one that may be taken in; nothing of it was.

    Attributes:
        path: of the bundle.
        line: of a member of it, from 1.
    """

    path: str | None = None
    line: int | None = None


class NotFound(MemoryPipelineError):
    """What was asked for by an id or a name does not exist, or not for this tenant and user.

    Attributes:
        memory_id, message_id, session_id, domain, recall_id, item_id, erasure_id, key_id: what was asked for.
    """

    memory_id: str | None = None
    message_id: str | None = None
    session_id: str | None = None
    domain: str | None = None
    recall_id: str | None = None
    item_id: str | None = None
    erasure_id: str | None = None
    key_id: str | None = None


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
    """A fixture, a data set or a suite of the evaluation cannot be used as it is.

    Attributes:
        suite, data_set, fixture: which one, by its name.
        path: of the file or folder that it was to be read from, or that the report was to be written to.
        line: of that file, from 1.
    """

    suite: str | None = None
    data_set: str | None = None
    fixture: str | None = None
    path: str | None = None
    line: int | None = None


class PromotionError(MemoryPipelineError):
    """A candidate may not be put in force, or there is nothing to go back to.

    Attributes:
        candidate: what it would change, in words; None where none was named.
        reasons: the limits that its evaluation did not keep.
        evaluated_at: when it was evaluated; None where it was not.
        setting: the environment variable that stands in the way.
    """

    candidate: str | None = None
    reasons: tuple[str, ...] = ()
    evaluated_at: datetime | None = None
    setting: str | None = None


class RollbackError(MemoryPipelineError):
    """A run cannot be rolled back, or not as things stand.

    Attributes:
        runs: those that were to be rolled back together; ``run_id`` is the one of them that it is about.
        rollback_id: the rollback that has done it already, or that is undone already.
        later_runs: runs that have made anew since what it made: they are to be rolled back first.
        memory_ids: memories that the user has changed by hand since, and that would have nothing left to rest on.
        stale_days: days that are to be made anew first.
    """

    runs: tuple[str, ...] = ()
    rollback_id: str | None = None
    later_runs: tuple[str, ...] = ()
    memory_ids: tuple[str, ...] = ()
    stale_days: tuple[date, ...] = ()


class ServerError(MemoryPipelineError):
    """A memory server cannot be reached, or refuses a request: the key, its scopes, its limits.

    Attributes:
        status: of HTTP; None where there was no answer.
        retry_after_s: when to ask again, where the server says so.
    """

    status: int | None = None
    retry_after_s: float | None = None
