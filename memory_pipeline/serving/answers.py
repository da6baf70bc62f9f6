"""Answers as JSON, and their shapes for the API's description."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse

from memory_pipeline.domain.plain import plain


class Json(JSONResponse):
    """Any value of the package as JSON."""

    def render(self, content: Any) -> bytes:
        text = json.dumps(plain(content), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        # Half a surrogate pair, which may stand in what was sent, is written as JSON's own escape.
        return text.encode("utf-8", "backslashreplace")


class Problem(BaseModel):
    """What is wrong with a request (RFC 9457), with more attributes by its type."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str


class MessagesTaken(BaseModel):
    """What became of the rows."""

    model_config = ConfigDict(extra="allow")

    class Fault(BaseModel):
        index: int = Field(description="Of the row in the request, from 0.")
        reason: str

    taken: int
    known: int = Field(description="Rows whose message_id the session has already.")
    quarantined: int
    erased: int = Field(default=0, description="Rows that were erased before, and stay out.")
    faults: list[Fault]


class SessionEnded(BaseModel):
    session_id: str
    ended: bool = Field(description="False where the session has no turns in working memory.")


class Memory(BaseModel):
    """A memory as `memory-pipeline memories --json` lists it."""

    model_config = ConfigDict(extra="allow")

    memory_id: str
    lineage_id: str
    user_id: str
    tenant_id: str
    type: str
    status: str
    content: str
    subject: str | None
    attribute: str | None
    value: str | None
    surface: str
    confidence: float
    salience: float
    importance: float
    pinned: bool
    entities: list[str]
    observed_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    due_at: datetime | None
    evidence: list[str]
    superseded_by: str | None
    version: int


class ChangedMemory(Memory):
    """A memory after an act, with what it was and why."""

    change: str
    reason: str


class MemoryPage(BaseModel):
    items: list[Memory]
    next_cursor: str | None


class History(BaseModel):
    """Where a memory came from: the chain down to the sentence."""

    model_config = ConfigDict(extra="allow")

    memory: dict[str, Any]
    versions: list[dict[str, Any]]


class User(BaseModel):
    user_id: str
    messages: int
    sessions: int
    memories: int
    first_message_at: datetime | None
    last_message_at: datetime | None


class UserPage(BaseModel):
    items: list[User]
    next_cursor: str | None


class TimelinePage(BaseModel):
    """Days, weeks or months, oldest first."""

    items: list[dict[str, Any]]
    next_cursor: str | None


class FeedbackTaken(BaseModel):
    recall_id: str
    item_id: str
    helpful: bool


class Certificate(BaseModel):
    """What an erasure removed and made anew, with the proof; no content and no name of a user."""

    model_config = ConfigDict(extra="allow")

    erasure_id: str
    complete: bool


class Health(BaseModel):
    model_config = ConfigDict(extra="allow")

    ok: bool
