"""What each task must answer, as dataclasses; their JSON schema goes to the model, and its reply is checked against it.

Models fill fields in their order, small ones without looking ahead: what a judgement rests on comes before it. Strict
structured output knows no defaults, so there all fields are required; where a server takes the schema in words, those
with a default may be left out. Times are ISO 8601 strings here, and are parsed, checked and resolved to a zone by the
stage that asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as with_default
from typing import Annotated, Any, Literal, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, WithJsonSchema
from pydantic.dataclasses import dataclass as checked

from memory_pipeline.domain.proposal import DERIVED_TYPES, MemoryType, Operation, Surface
from memory_pipeline.errors import ReplyError

R = TypeVar("R")
_STRICT = ConfigDict(extra="forbid", allow_inf_nan=False, defer_build=True)


@checked(frozen=True, config=_STRICT)
class EvidenceDraft:
    """A message of the window, by the id it has in the prompt, and the user's words in it, to the letter."""

    message: str
    quote: str


_STATED = [str(kind) for kind in MemoryType if kind not in DERIVED_TYPES]


@checked(frozen=True, config=_STRICT)
class ProposalDraft:
    """One proposal as a model states it; see ``domain.proposal.Proposal`` for the fields.

    Attributes:
        evidence: at least one quote.
        type: what is said, never what is derived.

    What breaks these two rules of the schema is read all the same: the gate rejects it, where it can be seen.
    """

    evidence: Annotated[list[EvidenceDraft], Field(json_schema_extra={"minItems": 1})]
    content: str
    type: Annotated[MemoryType, WithJsonSchema({"type": "string", "enum": _STATED})]
    subject: str | None = "user"
    attribute: str | None = None
    value: str | None = None
    negated: bool = False
    entities: list[str] = with_default(default_factory=list)
    confidence: float = 0.8
    salience: float = 0.5
    importance: float = 0.5
    surface: Surface = Surface.SPEAK
    valid_from: str | None = None
    valid_until: str | None = None
    due_at: str | None = None
    operation: Operation = Operation.ADD


@checked(frozen=True, config=_STRICT)
class WindowReply:
    window: str
    proposals: list[ProposalDraft]


@checked(frozen=True, config=_STRICT)
class ExtractReply:
    windows: list[WindowReply]


@checked(frozen=True, config=_STRICT)
class Judgement:
    """What to do with one candidate.

    Attributes:
        reason: one clause, before the action that follows from it; it is kept with the version.
        target: id of the neighbour or open loop it concerns; None for add.
        content: of a merge, one sentence that says all that both say; None otherwise.
        closes: ids of the open loops that the candidate shows to be done, dropped or answered, whatever its action.
    """

    candidate: str
    reason: str
    target: str | None
    action: Literal["add", "reinforce", "merge", "supersede", "contradict", "close", "none"]
    content: str | None = None
    closes: list[str] = with_default(default_factory=list)


@checked(frozen=True, config=_STRICT)
class JudgeReply:
    judgements: list[Judgement]


@checked(frozen=True, config=_STRICT)
class SummaryReply:
    """Prose, and the ids of the messages and memories it states."""

    text: str
    messages: list[str]
    memories: list[str]


@checked(frozen=True, config=_STRICT)
class PeriodSummary:
    """One period's prose, and the ids of the messages and memories it states."""

    period: str
    text: str
    messages: list[str]
    memories: list[str]


@checked(frozen=True, config=_STRICT)
class CalendarReply:
    periods: list[PeriodSummary]


@checked(frozen=True, config=_STRICT)
class Insight:
    """What several memories show together.

    Attributes:
        question: what it answers.
        evidence: ids of the memories.
    """

    question: str
    content: str
    evidence: list[str]
    importance: float
    confidence: float


@checked(frozen=True, config=_STRICT)
class PeriodInsights:
    period: str
    insights: list[Insight]


@checked(frozen=True, config=_STRICT)
class ReflectReply:
    periods: list[PeriodInsights]


@checked(frozen=True, config=_STRICT)
class PatternReply:
    content: str
    importance: float


@checked(frozen=True, config=_STRICT)
class AnswerReply:
    text: str
    citations: list[str]
    known: bool


_ADAPTERS: dict[type[Any], TypeAdapter[Any]] = {}
_SCHEMAS: dict[type[Any], dict[str, Any]] = {}


def _adapter(cls: type[Any]) -> TypeAdapter[Any]:
    if cls not in _ADAPTERS:
        _ADAPTERS[cls] = TypeAdapter(cls)
    return _ADAPTERS[cls]


def schema(cls: type[Any]) -> dict[str, Any]:
    """JSON schema of a reply class, closed (no further properties); what has a default is not required."""
    if cls not in _SCHEMAS:
        _SCHEMAS[cls] = _adapter(cls).json_schema()
    return _SCHEMAS[cls]


def parse(cls: type[R], text: str) -> R:
    """A reply from its JSON text.

    Raises:
        ReplyError: not JSON, or not of the schema; the message says where.
    """
    try:
        value: R = _adapter(cls).validate_json(text)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(p) for p in first["loc"]) or "the reply"
        raise ReplyError(f"{where}: {first['msg']}", reply=text) from error
    return value


def dump(value: Any) -> str:
    """JSON text of a reply, keys in the order of the fields."""
    return _adapter(type(value)).dump_json(value).decode()


@dataclass(frozen=True, slots=True)
class Task:
    """A template and the class of its reply."""

    name: str
    reply: type[Any]


TASKS = (
    Task("extract", ExtractReply),
    Task("consolidate", JudgeReply),
    Task("rolling_summary", SummaryReply),
    Task("calendar", CalendarReply),
    Task("reflect", ReflectReply),
    Task("pattern", PatternReply),
    Task("answer", AnswerReply),
)
