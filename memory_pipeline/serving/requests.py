"""Bodies of requests. What they mean is said where the Python calls of the same names are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

_ID = 512


def _text(value: str) -> str:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("holds half of a surrogate pair, which is no character") from error
    if "\x00" in value:
        raise ValueError("holds a NUL character")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty")
    return value


Text = Annotated[str, AfterValidator(_text)]
Name = Annotated[Text, Field(min_length=1, max_length=_ID), AfterValidator(_not_blank)]
Row = Annotated[
    dict[str, Any],
    WithJsonSchema(
        {
            "type": "object",
            "description": "A message of the landing format; one that is not of it is put aside, and the others count.",
            "required": ["session_id", "role", "content", "created_at"],
            "properties": {
                "tenant_id": {"type": "string", "description": "The key's own, when left out."},
                "user_id": {"type": "string", "description": "Of a key that is bound to a user: that one."},
                "session_id": {"type": "string"},
                "message_id": {"type": "string", "description": "Sent again, it is known; made of the rest if absent."},
                "role": {"type": "string", "enum": ["user", "assistant", "system", "tool"]},
                "speaker": {"type": "string"},
                "content": {"type": "string"},
                "created_at": {"type": "string", "format": "date-time"},
                "agent_id": {"type": "string"},
                "domain": {"type": "string"},
                "metadata": {"type": "object"},
            },
        }
    ),
]


def _moment(value: Any) -> Any:
    if value is not None and not isinstance(value, str):
        raise ValueError("is a day or a time in ISO 8601")
    return value


When = Annotated[Text, BeforeValidator(_moment), Field(description="A day or a time in ISO 8601.")]


class Body(BaseModel):
    """Of any request."""

    model_config = ConfigDict(extra="forbid")


class About(Body):
    """A request about a user."""

    user_id: Name | None = Field(default=None, description="May be left out with a key that is bound to a user.")
    tenant_id: Name | None = Field(default=None, description="The key's own, when left out.")


class Messages(Body):
    messages: Annotated[Sequence[Row], Field(min_length=1)]


class Reach(About):
    """How far a read reaches."""

    profile: Text = "default"
    layers: list[Text] | None = None
    as_of: When | None = None
    known_at: When | None = None
    agent_id: Name | None = None
    domain: Name | None = None
    max_classification: Text = "internal"
    include_shared: bool = False
    types: list[Text] | None = None
    statuses: list[Text] | None = None
    detail: Text = "normal"

    def reach(self) -> dict[str, Any]:
        """What the Python calls take; what was not given is left to them."""
        given = self.model_dump(include=set(Reach.model_fields), exclude={"user_id", "tenant_id"})
        return {name: value for name, value in given.items() if value is not None}


class Search(Reach):
    query: Text
    k: int = Field(default=10, ge=1)
    session_id: Name | None = None
    min_score: Annotated[float, Field(allow_inf_nan=False)] | None = None
    explain: bool = False


class Context(Reach):
    message: Text
    session_id: Name | None = None
    layout: Text = "memory"
    budget: int | None = Field(default=None, ge=0, le=10_000_000)
    stable: bool = False
    scope: Text = "user"


class ChatTurn(BaseModel):
    """A message of a chat, as chat models take it."""

    model_config = ConfigDict(extra="allow")

    role: Text
    content: Text | list[dict[str, Any]] | None = None


class Payload(Context):
    system: Text | None = None
    services: dict[Text, Any] | None = None
    history: list[ChatTurn] = Field(default_factory=list)


class Ask(Reach):
    question: Text


class Remember(About):
    content: Text
    type: Text | None = None
    subject: Text | None = None
    attribute: Text | None = None
    value: Text | None = None
    entities: list[Text] | None = None
    importance: Annotated[float, Field(ge=0, le=1)] | None = None
    surface: Text | None = None
    pinned: bool = False
    due_at: When | None = None
    valid_from: When | None = None
    valid_until: When | None = None
    agent_id: Name | None = None
    domain: Name | None = None
    shared: bool = False
    classification: Text = "internal"


class Edit(About):
    content: Text
    subject: Text | None = None
    attribute: Text | None = None
    value: Text | None = None


class Classify(About):
    classification: Text


class Undo(About):
    memory_id: Name | None = None


class Feedback(About):
    recall_id: Name
    item_id: Name
    helpful: bool


class Erase(About):
    session_id: Name | None = None
    message_id: Name | None = None
