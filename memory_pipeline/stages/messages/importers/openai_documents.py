"""OpenAI chat messages as one JSON document, read one element at a time.

What the elements of a list are shows in all of them only: one with ``messages`` makes it a list of conversations, and a
list of messages is one conversation, whose session follows from its opening. So a list is read twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from memory_pipeline.stages.messages.importers.files.documents import (
    UNREADABLE,
    broken_off,
    documents,
    parsed,
    shape_error,
    unreadable,
)
from memory_pipeline.stages.messages.importers.files.source import Fault, Item, SourceFile, excerpt
from memory_pipeline.stages.messages.importers.openai_talk import Talk, conversations, is_talk, messages, timed

EXPECTED = "an object with `messages`, or a list of messages or of such objects"


@dataclass(slots=True)
class _Survey:
    """What the first reading finds.

    Attributes:
        found: how many values were read.
        nested: an element of the list is a conversation.
        lists: all of them are lists.
        untimed: a message of the list has no time of its own.
        opening: the first message of the list that is no instruction.
    """

    found: int = 0
    nested: bool = False
    lists: bool = True
    untimed: bool = False
    opening: Mapping[str, Any] | None = None

    def see(self, value: Any) -> None:
        self.nested = self.nested or (isinstance(value, dict) and "messages" in value)
        self.lists = self.lists and isinstance(value, list)
        if isinstance(value, dict):
            self.untimed = self.untimed or not timed(value)
            if self.opening is None and is_talk(value):
                self.opening = value


def read(source: SourceFile) -> Iterator[Item]:
    """The messages of a document's conversations; see ``documents.objects`` for what damage costs.

    Raises:
        IngestError: not JSON, a damaged archive, a document of another kind, or, after the messages before it, damage
            or an early end.
    """
    survey = _surveyed(source)
    histories = count()
    talk = (
        None if survey.nested or survey.lists else Talk.of({}, [survey.opening or {}], survey.untimed, next(histories))
    )
    try:
        for raw, listed in documents(source):
            try:
                value = parsed(raw)
            except ValueError as error:
                yield Fault(0, str(error), excerpt(raw))
                continue
            if listed and talk is not None:
                yield talk.item(value)
                continue
            found = conversations(value) or ([{"messages": [value]}] if listed else [])
            if not found:
                yield Fault(0, f"expected {EXPECTED}", excerpt(raw))
            for conversation in found:
                yield from messages(conversation, next(histories))
    except UNREADABLE as error:
        raise broken_off(source, error) from error


def _surveyed(source: SourceFile) -> _Survey:
    survey = _Survey()
    fitting = 0
    try:
        for raw, listed in documents(source):
            try:
                value = parsed(raw)
            except ValueError:
                continue  # the second reading says why
            survey.found += 1
            fitting += listed or conversations(value) is not None
            if listed:
                survey.see(value)
    except UNREADABLE as error:
        if not survey.found:
            raise unreadable(source, error) from error
    if survey.found and not fitting:
        raise shape_error(source, "openai", EXPECTED)
    return survey
