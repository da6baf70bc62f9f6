"""Fixtures: scripted conversations with the behaviour that they must lead to (DL-31).

The classes are the format of the YAML files in ``fixtures/``; ``fixture_loading`` reads them. A message is named
``CHAT.NUMBER`` (``s1.3``: the third turn of chat s1), a memory by the ``label`` of its expectation.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from memory_pipeline.domain.calendar import zone
from memory_pipeline.domain.ledger.memory import Status
from memory_pipeline.domain.message import Role
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.domain.scope import Classification, Scope

TENANT = "fixtures"
USER = "user"


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def _zone(name: str) -> str:
    return zone(name).key


OneOrMore = BeforeValidator(_listed)
Texts = Annotated[tuple[str, ...], OneOrMore]
When = datetime | date


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class _Owned(_Part):
    """Something of one user; the names are of the fixture's own people."""

    user: str = USER
    tenant: str = TENANT

    def scope(self, fixture: str) -> Scope:
        """The owner in the home that all fixtures share: nobody else's fixture has this user."""
        return Scope(self.tenant, f"{fixture}.{self.user}")


class Turn(_Part):
    """One message: ``- user: What was said`` with, if need be, ``speaker`` and the ``at`` of its own."""

    role: Role
    content: str = Field(min_length=1)
    speaker: str | None = None
    at: datetime | None = None

    @model_validator(mode="before")
    @classmethod
    def _spoken(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        roles = [role for role in Role if role.value in given]
        if len(roles) != 1:
            raise ValueError(f"a turn has one of {', '.join(Role)}, with what was said")
        return {"role": roles[0], "content": given[roles[0].value]} | {
            k: v for k, v in given.items() if k != roles[0].value
        }


class Chat(_Owned):
    """A session.

    Attributes:
        at: time of the first turn, in the fixture's zone; each further one is a minute later.
    """

    id: str = Field(pattern=r"^[\w-]+$")
    at: datetime
    domain: str | None = None
    agent: str | None = None
    turns: tuple[Turn, ...] = Field(min_length=1)


class Remembered(_Owned):
    """A memory, as it is expected (or forbidden) to be. Every field that is given must agree.

    Attributes:
        type: one of them.
        value: the same value (see ``slots.same_value``).
        words: all of them are words of the content; ``emoji*`` stands for every word that begins so.
        without: none of them is.
        messages: it rests on all of them (``from`` in the file).
        status: one of them; by default active where it is expected, any where it is forbidden.
        due, until: local dates of ``due_at`` and ``valid_until``.
        denies: the content denies something.
        reinforced: at least so often.
        never_reinforced: not once.
        follows: label of the memory whose lineage it goes on with.
    """

    label: str | None = None
    type: Annotated[tuple[MemoryType, ...], OneOrMore] = ()
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    words: Texts = ()
    without: Texts = ()
    messages: Texts = Field((), alias="from")
    status: Annotated[tuple[Status, ...], OneOrMore] = ()
    surface: Surface | None = None
    due: date | None = None
    until: date | None = None
    denies: bool | None = None
    pinned: bool | None = None
    reinforced: int | None = None
    never_reinforced: bool = False
    classification: Classification | None = None
    follows: str | None = None

    def told(self) -> str:
        """The expectation in one line, as it stands in the file."""
        given = self.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        return ", ".join(f"{k}: {', '.join(v) if isinstance(v, list) else v}" for k, v in given.items() if k != "label")


class Rejected(_Owned):
    """A proposal that the gate rejects."""

    reason: str
    messages: Texts = Field(alias="from")


class Act(_Owned):
    """What the user does by hand after the conversations, or a read that brings memories into a chat.

    Attributes:
        target: the memory that it is done to.
        to: the new words of ``edit``, or what is to be remembered.
        fields: further arguments of ``MemoryCurator.remember`` (``with`` in the file).
        message, chat: of ``read``: the turn and the chat of the block.
    """

    act: Literal["remember", "edit", "forget", "pin", "unpin", "suppress", "undo", "read"]
    at: datetime
    target: Remembered | None = None
    to: str | None = None
    fields: Mapping[str, Any] = Field(default_factory=dict, alias="with")
    message: str | None = None
    chat: str | None = None

    @model_validator(mode="after")
    def _complete(self) -> Act:
        needed = {"remember": ("to",), "edit": ("target", "to"), "read": ("message",)}.get(self.act, ("target",))
        if missing := [name for name in needed if getattr(self, name) is None]:
            raise ValueError(f"{self.act} needs {' and '.join(missing)}")
        return self


class Ask(_Owned):
    """A search, and what is among its first three items (DL-32).

    Attributes:
        finds: messages that items rest on, or labels of memories; of a list in the list one is enough.
        never: messages, labels or texts that no item has.
        session: restricts the read to one chat (DL-34).
    """

    query: str
    finds: tuple[Annotated[tuple[str, ...], OneOrMore], ...] = ()
    never: Texts = ()
    session: str | None = None
    as_of: When | None = None
    profile: str = "default"
    domain: str | None = None
    agent: str | None = None
    statuses: Annotated[tuple[Status, ...], OneOrMore] | None = None
    max_classification: Classification = Classification.INTERNAL
    include_shared: bool = False


class Context(_Owned):
    """A prompt block, and what it holds.

    Attributes:
        chat: session of the turn; blocks of one session follow one another in the order of the file.
        holds: labels of memories by the title of the section that they are in.
        only_there: labels of memories that no other section tells.
        lacks: texts by the section that must not tell them, or by ``anywhere``.
        tokens: at most.
        drops: it names something that had no room.
    """

    message: str
    chat: str | None = None
    layout: str = "memory"
    budget: int | None = None
    as_of: When | None = None
    holds: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    only_there: Texts = ()
    lacks: Mapping[str, Texts] = Field(default_factory=dict)
    tokens: int | None = None
    drops: bool | None = None


class ExpectedAnswer(_Owned):
    """An answer from memory alone.

    Attributes:
        says, never: texts that it has and has not, in any case of letters.
        cites: messages, one of which it rests on.
    """

    ask: str
    known: bool | None = None
    says: Texts = ()
    never: Texts = ()
    cites: Texts = ()


class Fixture(_Part):
    """One story and what must come of it.

    Attributes:
        kind: of behaviour, as the requirements name it.
        today: when everything is looked at, UTC.
        timezone: of its people.
        late: chats that arrive after the others and after the acts; a turn that is known is an edit of it.
        remembers: the memories that must be there; with ``may`` all that may be there.
        forbids: memories that must not be there in any state, or in the ``status`` that is given.
    """

    name: str = Field(pattern=r"^[\w-]+$")
    kind: str
    tags: tuple[str, ...] = Field(min_length=1)
    about: str
    today: datetime
    timezone: Annotated[str, AfterValidator(_zone)] = "UTC"
    chats: tuple[Chat, ...] = Field(min_length=1)
    acts: tuple[Act, ...] = ()
    late: tuple[Chat, ...] = ()
    remembers: tuple[Remembered, ...]
    may: tuple[Remembered, ...] = ()
    forbids: tuple[Remembered, ...] = ()
    rejects: tuple[Rejected, ...] = ()
    asks: tuple[Ask, ...] = ()
    contexts: tuple[Context, ...] = ()
    answers: tuple[ExpectedAnswer, ...] = ()

    def everyone(self) -> list[Scope]:
        """The people of the fixture, in the order in which they first speak or act."""
        return list(dict.fromkeys(part.scope(self.name) for part in (*self.chats, *self.late, *self.acts)))
