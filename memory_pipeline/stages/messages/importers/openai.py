"""OpenAI chat messages: conversations with ``messages``, as one JSON document or as JSON Lines, or a bare list."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count

from memory_pipeline.stages.messages.importers import openai_documents
from memory_pipeline.stages.messages.importers.files.detection import is_lines
from memory_pipeline.stages.messages.importers.files.documents import numbered
from memory_pipeline.stages.messages.importers.files.source import DAMAGED, Fault, Item, Row, SourceFile, excerpt, lines
from memory_pipeline.stages.messages.importers.files.strict_json import loads
from memory_pipeline.stages.messages.importers.jsonl import BOM
from memory_pipeline.stages.messages.importers.openai_talk import conversations, messages

MAX_CONVERSATION = 32_000_000  # bytes of a line, which here holds a whole conversation


def read(source: SourceFile) -> Iterator[Item]:
    """The conversations' messages in order."""
    return _from_lines(source) if _one_a_line(source) else numbered(openai_documents.read(source))


def _one_a_line(source: SourceFile) -> bool:
    if is_lines(source.path):
        return True
    try:
        with source.open() as stream:
            first = next((line for _, line, _ in lines(stream, MAX_CONVERSATION) if line.strip(BOM + b" \t\r\n")), None)
            if first is not None:
                loads(first.removeprefix(BOM))
    except (ValueError, *DAMAGED):  # reading it as one document says what is damaged
        return False
    return first is not None


def _from_lines(source: SourceFile) -> Iterator[Item]:
    number = 0
    histories = count()
    with source.open() as stream:
        try:
            for number, line, whole in lines(stream, MAX_CONVERSATION):
                line = line.removeprefix(BOM) if number == 1 else line
                if not line or line.isspace():
                    continue
                for item in _line(line, whole, histories):
                    yield item._replace(line=number)
        except DAMAGED as error:
            yield Fault(number + 1, f"the compressed data is damaged from here on: {error}", "")


def _line(line: bytes, whole: bool, histories: Iterator[int]) -> Iterator[Row]:
    if not whole:
        yield Fault(0, f"the line is longer than {MAX_CONVERSATION:,} bytes", excerpt(line))
        return
    try:
        found = conversations(loads(line))
    except ValueError as error:
        yield Fault(0, str(error), excerpt(line))
        return
    if found is None:
        yield Fault(0, "no conversation: an object with `messages`, or a list of messages, is expected", excerpt(line))
        return
    yield from chain.from_iterable(map(messages, found, histories))
