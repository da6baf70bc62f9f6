"""What was said of somebody else, where no parser reads its language."""

from __future__ import annotations

from collections.abc import Iterable

from memory_pipeline.domain.gate.texts.denial import clauses
from memory_pipeline.domain.gate.texts.language import plain
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import wordset

_WORD = lazy(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NAME = 3  # behind "my sister" a name may follow, behind that the verb


def told_of_another(content: str, texts: Iterable[str]) -> str:
    """Of whom a clause tells what a content says of the user, "" where none does.

    A content without a subject is about the user. It begins with a verb in the third person, which in most languages
    differs from the first; where that very form stands behind "my sister", the sister is meant.

    Args:
        texts: the quoted sentences.
    """
    stated = [plain(word) for word in _WORD.findall(content)]
    if not stated or not wordset("languages", "relations").isdisjoint(stated):
        return ""
    for text in texts:
        for clause in clauses(text):
            words = [plain(word) for word in _WORD.findall(clause)]
            who = words[1:2] if words[:1] and words[0] in wordset("languages", "mine") else []
            if not who or who[0] not in wordset("languages", "relations"):
                continue
            if not wordset("languages", "first_person").isdisjoint(words):
                continue
            behind = words[2 : 2 + _NAME]
            if stated[0] in behind and words[2] not in stated[1:]:
                return " ".join(words[:2])
    return ""
