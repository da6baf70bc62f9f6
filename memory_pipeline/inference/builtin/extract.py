"""Extraction: windows of messages in, proposals out, by rules alone. English; other languages yield nothing.

Only messages of users speak (NM-14, RX-17); the assistant's are read for the questions that a short answer confirms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Any

from memory_pipeline.domain.calendar import zone
from memory_pipeline.domain.proposal import Operation
from memory_pipeline.inference.builtin.clauses import Clause, parse
from memory_pipeline.inference.builtin.confirmations import confirmed
from memory_pipeline.inference.builtin.drafts import Source, draft, joined
from memory_pipeline.inference.builtin.follow_ups import done
from memory_pipeline.inference.builtin.masking import GAP, mask
from memory_pipeline.inference.builtin.outcomes import in_vain, only_tried
from memory_pipeline.inference.builtin.plain import plain
from memory_pipeline.inference.builtin.reading import Person, read, subject_of
from memory_pipeline.inference.builtin.rules.craft import craft, may_be_craft
from memory_pipeline.inference.builtin.rules.habits import introduced
from memory_pipeline.inference.builtin.sentences import Statement, statements
from memory_pipeline.inference.builtin.utterances import Kind
from memory_pipeline.inference.replies import ExtractReply, ProposalDraft, WindowReply

# A message without any of these states nothing about anyone, and costs only this search.
_CUE = re.compile(
    r"\b(?:i|i'm|im|i’m|ive|my|me|we|our|us|mine|remind|forget|delete|remove|erase|call|let's|lets|let’s|"
    r"don't|don’t|never|always|please|avoid|"
    r"keep|be|reply|respond|answer|speak|use|stop|finally|called|finished|cancelled|canceled|booked|sent|"
    r"submitted|moved|got|allergic|"
    r"is|was|are|were|lives|works|has|plays|speaks|died|lesson|estimate|decided|decision|going|turns|fan|not|found|"
    r"root|done|paid|bought|emailed|"
    r"hates?|loves?|likes?|\w+ed|went|ran|been|should|will|tomorrow|tonight|due|appointment)\b",
    re.I,
)

_GREETING = re.compile(r"(?:hi|hello|hey|hiya|good \w+)(?: (?:there|everyone|all|claude|chatgpt|assistant))?", re.I)
_UNSURE = re.compile(r"\W*(?:i (?:think|guess|believe)|maybe|perhaps|probably)\b", re.I)


def extract(inputs: Mapping[str, Any]) -> ExtractReply:
    """The proposals of every window of a request (see ``ChatRequest`` task ``extract``)."""
    home = zone(inputs["timezone"])
    return ExtractReply(
        windows=[WindowReply(window=w["window"], proposals=read_window(w, home)) for w in inputs["windows"]]
    )


def read_window(window: Mapping[str, Any], home: tzinfo) -> list[ProposalDraft]:
    """The proposals of one window, in the order in which they are said, repetitions joined."""
    messages: Sequence[Mapping[str, Any]] = window["messages"]
    context: Sequence[Mapping[str, Any]] = window.get("context") or ()
    several = len({m["speaker"] for m in (*context, *messages) if m["role"] == "user" and m.get("speaker")}) > 1
    drafts: list[ProposalDraft] = []
    before = context[-1] if context else None
    for message in messages:
        if message["role"] == "user":
            subject = message["speaker"] if several and message.get("speaker") else "user"
            drafts.extend(_message(message, before, subject, home))
        before = message
    return joined(drafts)


def _message(
    message: Mapping[str, Any], before: Mapping[str, Any] | None, subject: str, home: tzinfo
) -> Iterator[ProposalDraft]:
    content: str = message["content"]
    now = datetime.fromisoformat(message["created_at"]).astimezone(home)
    if before is not None and before["role"] == "assistant":
        asked = "?" in before["content"][-400:]
        finished = done(before["content"][-600:], content)
        stated = None if finished else confirmed(before["content"][-600:], content) if asked else None
        if finished or stated:
            source = Source(message["id"], content.strip(), subject, now, home)
            answered = _drafts(finished or stated or "", source, None)[0]
            # Of a follow-up's "done" only that counts: everything else it names was said by the assistant.
            yield from (d for d in answered if not finished or d.operation is Operation.CLOSE_OPEN_LOOP)
    if _CUE.search(content) or may_be_craft(content):
        yield from _own_words(content, Source(message["id"], "", subject, now, home))


def _own_words(content: str, source: Source) -> Iterator[ProposalDraft]:
    """The proposals of the statements in a message, the subject of one clause known to the next."""
    person: Person | None = None
    noted, first = -1, True
    for statement in statements(content):
        if statement.sentence == noted:
            continue
        if statement.kind is not Kind.STATEMENT:
            person = subject_of(parse(statement.text), person)
            continue
        notes = _notes(content, statement, source)
        if notes:
            noted = statement.sentence
            yield from notes
            continue
        quoted = replace(source, quote=content[statement.start : statement.end])
        found, person = _drafts(statement.text, quoted, person, first=first)
        if found and in_vain(quoted.quote, content[statement.end :]):
            found = [tried for d in found if (tried := only_tried(d))]
        first = first and bool(_GREETING.fullmatch(statement.text))
        yield from found


def _notes(content: str, statement: Statement, source: Source) -> list[ProposalDraft]:
    """Notes of work take the sentence as a whole: its "because" is what makes them worth keeping."""
    quote = content[statement.start : statement.until].strip()
    if not may_be_craft(quote) or GAP in mask(content)[statement.start : statement.until]:
        return []
    clause = Clause(quote, certainty=0.65 if _UNSURE.match(quote) else 1.0)
    found = (draft(fact, clause, replace(source, quote=quote)) for fact in craft(plain(quote)))
    return [d for d in found if d]


def _drafts(
    text: str, source: Source, before: Person | None, *, first: bool = False
) -> tuple[list[ProposalDraft], Person | None]:
    clause = parse(text)
    facts = read(clause, before)
    if not facts and first:
        facts = introduced(clause.text)
    found = [d for fact in facts if (d := draft(fact, clause, source))]
    return found, subject_of(clause, before)
