"""What was only wished, supposed or thought possible, where no parser reads its language."""

from __future__ import annotations

from collections.abc import Iterable

from memory_pipeline.domain.gate.texts.conversation import source_text
from memory_pipeline.domain.gate.texts.denial import clauses
from memory_pipeline.domain.gate.texts.entailment import framing
from memory_pipeline.domain.gate.texts.hinges import telling
from memory_pipeline.domain.gate.texts.language import plain
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import wordset

_WORD = lazy(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def only_wished(content: str, texts: Iterable[str]) -> str:
    """The sign by which all clauses that say the same as a content are wishes or guesses, "" where one tells it.

    Args:
        content: a sentence that says no such thing itself, or "" comes back.
        texts: the quoted sentences.
    """
    if not _words(content).isdisjoint(wordset("restating", "intended")):
        return ""
    wanted = [word for word in telling(content) if word not in framing()]
    near = [clause for text in texts for clause in clauses(text) if any(map(source_text(clause).has, wanted))]
    signs = [_words(clause) & wordset("restating", "unreal") for clause in near]
    return min(signs[0]) if signs and all(signs) else ""


def _words(text: str) -> set[str]:
    """With accents, too: "wurde" is told, "würde" is not."""
    said = _WORD.findall(text)
    return {plain(word) for word in said} | {word.casefold() for word in said}
