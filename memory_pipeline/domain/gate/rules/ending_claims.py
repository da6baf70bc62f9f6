"""Whether a quote says that something is over, to be forgotten or not to be brought up, and of what.

What ends a memory names it in the words that it is remembered in, which nobody need have said; but the quote has to
say the ending, and to name nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from memory_pipeline.domain.consolidation.endings.ended_relations import tells_end
from memory_pipeline.domain.gate.gate_input import GateInput
from memory_pipeline.domain.gate.texts.claims import Force
from memory_pipeline.domain.gate.texts.conversation import SourceText, fold, source_text
from memory_pipeline.domain.gate.texts.entailment import framing, supported
from memory_pipeline.domain.gate.texts.hinges import capitals, telling
from memory_pipeline.domain.gate.texts.language import capital_names, nouns_have_capitals, plain
from memory_pipeline.domain.gate.texts.quotation import quoted_sentences
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline.domain.tables import table, wordset
from memory_pipeline.domain.text import singular, words

_LETTERS = lazy(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_OPEN = frozenset(
    {Force.DUTY, Force.PLAN, Force.PROMISE, Force.ATTEMPT, Force.WISH, Force.POSSIBLE, Force.ASKED, Force.SUPPOSED}
)


def unsaid(given: GateInput) -> str:
    """Why a proposal to end something does not follow from its quote, "" where it does."""
    operation, texts = given.proposal.operation, quoted_sentences(given)
    there = {word for text in texts for word in _letters(text)}
    if operation is Operation.CONTRADICT:
        there -= _set("faint")
    if operation is Operation.FORGET:
        asked = (
            _has("forgetting", there, texts) or bool(there & wordset("implied", "keeping")) and _denied(there, texts)
        )
        if not asked:
            return "its quote does not ask for anything to be forgotten"
    elif operation is Operation.SUPPRESS:
        if not _has("unspeaking", there, texts):
            return "its quote does not ask for anything not to be brought up"
    elif operation is Operation.CLOSE_OPEN_LOOP and _owed(given, texts):
        return "its quote says that this is still to be done"
    elif given.proposal.type is MemoryType.BOUNDARY:
        if operation is Operation.CONTRADICT and not _has("reopening", there, texts):
            return "its quote does not say that it may be brought up again"
    elif operation is Operation.CONTRADICT and not _over(there, texts) and _same(given, texts):
        return "its quote says no end of it"
    return "" if _about(given, texts, there) else "its quote is about something else"


def _about(given: GateInput, texts: Sequence[str], there: set[str]) -> bool:
    """Whether a quote names what is ended; what names nothing may mean anything."""
    wanted = _named(given)
    if not wanted:
        return True
    quoted = [source_text(text) for text in texts]
    if _any(wanted, quoted):
        return True
    if given.proposal.operation in {Operation.FORGET, Operation.SUPPRESS}:
        return not _things(texts)
    return _over(there, texts) and not _others(given, texts)


def _any(wanted: Sequence[str], texts: Sequence[SourceText]) -> bool:
    return any(supported(word, texts) for word in wanted)


def _named(given: GateInput) -> list[str]:
    """What tells the thing that is ended from others: words of the content, the value, the entities and the subject."""
    proposal = given.proposal
    parts = [proposal.content, proposal.value or "", (proposal.attribute or "").replace("_", " "), *proposal.entities]
    parts += [proposal.subject] if proposal.subject not in (None, "user") else []
    aside = framing()
    return list(dict.fromkeys(word for part in parts for word in telling(part or "") if word not in aside))


def _things(texts: Sequence[str]) -> list[str]:
    """What a request to forget names besides asking."""
    aside = (
        framing()
        | _set("forgetting")
        | _set("unspeaking")
        | wordset("implied", "keeping")
        | wordset("implied", "pointing")
    )
    return [word for text in texts for word in telling(text) if fold(word) not in aside]


def _others(given: GateInput, texts: Sequence[str]) -> bool:
    """Whether a quote names somebody or something that the content does not."""
    content = source_text(given.proposal.content)
    if any(not content.has(fold(word)) for quote in given.quotes for name, _ in quote.names for word in name.split()):
        return True
    for text in texts:
        names = map(fold, capital_names(text)) if nouns_have_capitals(text) else capitals(text, sentence=True)
        if any(not content.has(name) for name in names if name not in framing()):
            return True
    return False


def _same(given: GateInput, texts: Sequence[str]) -> bool:
    """Whether the quote has all the words of what it is to deny: "our two cats" denies no cats."""
    quoted = [source_text(text) for text in texts]
    wanted = [word for word in telling(given.proposal.content) if word not in framing()]
    if not _any(wanted, quoted):
        return True
    there = {singular(fold(word)) for text in texts for word in words(text)}
    return there.issuperset(wanted)


def _owed(given: GateInput, texts: Sequence[str]) -> bool:
    forces = [claim.force for quote in given.quotes for claim in quote.claims]
    if forces:
        return all(force in _OPEN for force in forces)
    padded = [f" {' '.join(_LETTERS.findall(plain(text)))} " for text in texts]
    return any(f" {owed} " in text for text in padded for owed in table("implied")["owed"])


def _letters(text: str) -> list[str]:
    return _LETTERS.findall(plain(text).replace("’", "'"))


def _denied(there: set[str], texts: Sequence[str]) -> bool:
    return _has("unspeaking", there, texts)


def _over(there: set[str], texts: Sequence[str]) -> bool:
    return _has("over", there, texts) or any(map(tells_end, texts))


def _has(name: str, there: set[str], texts: Sequence[str]) -> bool:
    return bool(there & _set(name)) or any(
        sign in text for text in texts for sign in wordset("implied", f"{name}_signs")
    )


@cache
def _set(name: str) -> frozenset[str]:
    return frozenset(plain(word) for word in wordset("implied", name))
