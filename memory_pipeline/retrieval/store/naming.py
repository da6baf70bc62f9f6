"""Which rows are about what a query names: entities of the user's memories, by any of their names (LS-10).

Entities are made of the very rows that are read, so that what has just been remembered, edited or forgotten counts at
once, and a past state has the names of its time. They are kept with the rows of hot users.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from memory_pipeline.domain.entities import (
    TELLING,
    USER,
    NameHints,
    Roster,
    Statement,
    entities,
    slots_name,
    statements,
)
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.parquet.arrow_rows import from_table

if TYPE_CHECKING:
    from memory_pipeline.retrieval.store.user_rows import UserRows

_NO_DAY = date.min  # these entities are stored in no partition
_NO_TIME = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Memory:
    """The columns of a memory row that entities are read off."""

    memory_id: str
    tenant_id: str
    user_id: str
    type: str
    status: str
    content: str
    subject: str | None
    attribute: str | None
    value: str | None
    negated: bool
    entities: tuple[str, ...]
    reinforcements: int
    observed_at: datetime
    referenced_at: datetime


# A name in a sentence may be read off the end of a word: "Phone" of "iPhone also known as …".
_CAPITAL_INSIDE = lazy(r"(?<=[a-z0-9_])[A-Z][\w'.-]*")
_COLUMNS = [field.name for field in fields(_Memory)]


class MemoryNames:
    """Memories by the entities that they name; these are made out once a text may name one.

    Args:
        rows: of the table of memories; of several users where these share them. Names never meet across users.
    """

    def __init__(self, rows: UserRows) -> None:
        self._rows = rows

    @cached_property
    def rosters(self) -> Mapping[Scope, Roster]:
        """Who and what the memories are about, by every name, of each user."""
        owned: dict[Scope, list[_Memory]] = defaultdict(list)
        for memory in from_table(self._telling(), _Memory):
            if memory.memory_id not in self._rows.forgotten:
                owned[Scope(memory.tenant_id, memory.user_id)].append(memory)
        return {scope: Roster(entities(scope, statements(own), _NO_DAY)) for scope, own in owned.items()}

    def named(self, text: str) -> Roster:
        """The entities of a single user's memories; nobody where a text names none of them."""
        return next(iter(self.rosters.values()), NOBODY) if self._hints.may_name(text) else NOBODY

    def places(self, text: str, *, descriptions: bool) -> set[int]:
        """Where the rows stand that are about what a text names.

        Args:
            descriptions: whether "my brother" means one of these people; not where the memories are another user's.
        """
        if not self._hints.may_name(text):
            return set()
        return {
            self._rows.place[memory_id]
            for roster in self.rosters.values()
            for memory_id in roster.memories(roster.find(text, descriptions=descriptions))
        }

    @cached_property
    def _hints(self) -> NameHints:
        table = self._telling()
        attributes = [a for a in table.column("attribute").unique().to_pylist() if slots_name(attribute=a)]
        slots = table.filter(pc.is_in(table.column("attribute"), pa.array(attributes, pa.string())))
        said = table.column("content").filter(pc.match_substring_regex(table.column("content"), TELLING)).to_pylist()
        listed = pc.list_flatten(table.column("entities")).unique()
        columns = (table.column("subject").unique(), slots.column("value").unique(), listed)
        stated = [text for column in columns for text in column.to_pylist() if text and text != USER]
        return NameHints(
            [*stated, *attributes, *said, *(end for text in said for end in _CAPITAL_INSIDE.findall(text))]
        )

    def _telling(self) -> pa.Table:
        """The memories that name anything: of most of what people tell of themselves nothing is to be read."""
        table = self._rows.table.select(_COLUMNS)
        telling = pc.or_(
            pc.greater(pc.list_value_length(table.column("entities")), 0),
            pc.match_substring_regex(table.column("content"), TELLING),
        )
        for name in ("subject", "attribute"):
            coded = pc.dictionary_encode(table.column(name).combine_chunks())
            tell = pa.array([slots_name(**{name: value}) for value in coded.dictionary.to_pylist()], pa.bool_())
            telling = pc.or_(telling, pc.fill_null(tell.take(coded.indices), False))
        return table.filter(telling)


class SpeakerNames:
    """Messages by who speaks.

    Args:
        rows: of the table of messages.
    """

    def __init__(self, rows: UserRows) -> None:
        self._places = {speaker: places for speaker, places in rows.places_by("speaker").items() if speaker}

    def places(self, text: str, known: MemoryNames) -> set[int]:
        """Where the turns of those stand whom a text names.

        Args:
            known: by the user's memories: a speaker may be one of these and be asked for by another name.
        """
        if not self._places:
            return set()
        meant = self._roster.memories(self._roster.find(text, descriptions=False))
        entities_ = known.named(text)
        named = entities_.find(text)
        meant |= {speaker for speaker in self._places if named and named & entities_.resolve(speaker)}
        return {place for speaker in meant for place in self._places[speaker]}

    @cached_property
    def _roster(self) -> Roster:
        """The speakers, each as if a memory named it; who speaks a language is a person, and has a first name."""
        stated = [
            Statement(speaker, "", speaker, "language", None, False, (), True, 1, _NO_TIME, _NO_TIME)
            for speaker in self._places
        ]
        return Roster(entities(Scope("speakers", "speakers"), stated, _NO_DAY))


NOBODY = Roster(())
