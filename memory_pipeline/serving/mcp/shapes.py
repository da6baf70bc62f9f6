"""What tools return: short, and with remembered text on one line that can pass for no instruction."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from memory_pipeline.retrieval.prompt.escaping import fenced

Fenced = Annotated[str, AfterValidator(fenced)]


class Shape(BaseModel):
    """Takes what it has fields for from a result of the SDK."""

    model_config = ConfigDict(from_attributes=True, extra="ignore")


class Item(Shape):
    """Something remembered."""

    id: str
    layer: str = Field(description="semantic (a memory), episodic (a message) or narrative (a summary)")
    type: str
    content: Fenced
    status: str
    age: str
    observed_at: datetime
    session_id: str | None
    evidence: list[str] = Field(description="Ids of the messages that it rests on.")
    score: float
    recall_id: str


class Items(Shape):
    """What was found, best first."""

    items: list[Item]


class Remembered(Shape):
    """A memory as it stands."""

    memory_id: str
    type: str
    status: str
    content: Fenced
    subject: str | None
    attribute: str | None
    value: Fenced | None
    surface: str = Field(description="avoid: never bring it up")
    pinned: bool
    observed_at: datetime
    due_at: datetime | None
    evidence: list[str]
    superseded_by: str | None
    change: str = Field(default="", description="Of an act: what it was.")


class Memories(Shape):
    """A part of a list, and how long it is."""

    items: list[Remembered]
    total: int


class Version(Shape):
    version: int
    change: str
    status: str
    content: Fenced
    reason: Fenced
    changed_at: datetime


class Message(Shape):
    """A message that a memory rests on."""

    message_id: str
    role: str
    content: Fenced
    created_at: datetime
    quote: Fenced | None = None


class Explanation(Shape):
    """Where a memory came from."""

    memory: Remembered
    versions: list[Version]
    messages: list[Message]
    verdict: dict[str, Any] | None = Field(description="Of the gate, with the rules and their figures.")
    model: str | None
    run_id: str | None


class Block(Shape):
    """Text for a prompt; empty when nothing is remembered."""

    text: str
    item_ids: list[str]
    tokens: int
    recall_id: str


class AnswerOutput(Shape):
    """An answer from memory alone."""

    text: Fenced
    citations: list[str] = Field(description="Ids of messages.")
    known: bool


class MessagesOutput(Shape):
    """What became of messages."""

    taken: int
    known: int = Field(description="Those whose message_id the session has already.")
    quarantined: int
    faults: list[dict[str, Any]]


class Profile(Shape):
    """A user in a few lines; empty when nothing is known."""

    text: str
    item_ids: list[str]


class Alteration(Shape):
    """A change of memory."""

    memory_id: str
    change: str
    status: str
    content: Fenced


class Day(Shape):
    """A day with what was said and what changed."""

    label: str
    start: str
    end: str
    messages: int
    sessions: int
    summary: Fenced | None
    changes: list[Alteration]


class Turn(BaseModel):
    """A message of a conversation."""

    role: Annotated[str, Field(pattern="^(user|assistant|system|tool)$")]
    content: str
    created_at: str | None = Field(default=None, description="ISO 8601; now when left out.")
    message_id: str | None = Field(default=None, description="Sent again, it is known.")
    speaker: str | None = None
