"""What the judge's word is heeded for. A judge is a witness, too: what it retires must be met by the candidate's own
words, what it calls covered must be there, and what it merges keeps every name and number and says nothing new.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from memory_pipeline.domain.consolidation.contrast import opposed
from memory_pipeline.domain.consolidation.endings.ended_relations import tells_end
from memory_pipeline.domain.consolidation.endings.replacement import tells_change
from memory_pipeline.domain.consolidation.equivalence import may_be_one, relation_of
from memory_pipeline.domain.consolidation.plans.fulfilment import fit
from memory_pipeline.domain.consolidation.slots import Relation, attribute
from memory_pipeline.domain.consolidation.tense import past
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.proposal import Operation, Proposal
from memory_pipeline.domain.text import STOPWORDS, content_words, figures, names, negations, normalise, singular, words

ENDING = frozenset({Operation.CONTRADICT, Operation.CLOSE_OPEN_LOOP, Operation.FORGET, Operation.SUPPRESS})
"""Operations of which the content is what ends, and so never a fact to keep."""

_STEM = 4  # letters by which words of any language that inflects its ends are met
_PAIR = 2  # words by which opposites differ: one of either
_MET = 2  # words that two statements of different slots must share for the one to retire the other


def may_retire(proposal: Proposal, target: MemoryVersion) -> bool:
    """Whether what a proposal says can retire a memory: another value of the same slot of the same subject, the same
    thing told to be over, or a statement that says of it that it is.

    What was true once retires nothing.
    """
    if past(proposal):
        return False
    if relation_of(proposal, target) in (Relation.SAME, Relation.CHANGED, Relation.DENIED):
        return True
    if not _of_one(proposal, target):
        return False
    met = met_words(proposal, target)
    if _one_matter(proposal, target) and proposal.operation is not Operation.ADD:
        return True
    if met and (_opposite(proposal, target) or _changes(proposal) and not proposal.attribute):
        return True
    if _one_slot(proposal, target):
        single = attribute(proposal.attribute).single
        return single or proposal.operation is not Operation.ADD and bool(met) or len(met) >= _MET
    if met >= parts(target.value or target.content) != frozenset():
        return True
    named = names(proposal.content) & names(target.content)
    return len(met) >= _MET or bool(named) and (tells_end(proposal.content) or _changes(proposal))


def _of_one(proposal: Proposal, target: MemoryVersion) -> bool:
    """Whether both may be about one: by their subjects, or as the one speaks of whom the other is about."""
    if may_be_one(proposal, target):
        return True
    pairs = ((proposal, target), (target, proposal))
    return any(
        normalise(one.subject or "user") != "user" and set(words(one.subject or "")) <= set(words(other.content))
        for one, other in pairs
    )


def _one_matter(proposal: Proposal, target: MemoryVersion) -> bool:
    """Whether both are about one thing that is not the user, and neither says under another attribute."""
    subjects = {normalise(item.subject or "user") for item in (proposal, target)}
    return len(subjects) == 1 and "user" not in subjects and proposal.attribute == target.attribute


def _opposite(proposal: Proposal, target: MemoryVersion) -> bool:
    """Whether two sentences differ in what excludes one another, and in nothing else: "Likes …", "Dislikes …"."""
    apart = content_words(proposal.content) ^ content_words(target.content)
    return len(apart) <= _PAIR and opposed(proposal.content, target.content)


def _changes(proposal: Proposal) -> bool:
    """Whether a proposal says itself that something is otherwise now."""
    said = (proposal.content, *(e.quote for e in proposal.evidence))
    return proposal.operation is Operation.UPDATE or any(map(tells_change, said))


def _one_slot(proposal: Proposal, target: MemoryVersion) -> bool:
    return bool(proposal.attribute) and proposal.attribute == target.attribute and may_be_one(proposal, target)


def may_close(proposal: Proposal, loop: MemoryVersion) -> bool:
    """Whether a proposal has a word in common with an open loop, or tells a deed that fulfils it."""
    return bool(met_words(proposal, loop)) or fit(proposal.content, loop.content) > 0.0


def met_words(proposal: Proposal, memory: MemoryVersion) -> frozenset[str]:
    """Parts of words that a proposal, with what it quotes, shares with a memory; those of whom it is about apart."""
    said = _all(proposal.content, proposal.value or "", *(e.quote for e in proposal.evidence))
    about = parts(memory.subject or "") if normalise(memory.subject or "user") != "user" else frozenset()
    shared = said & _all(memory.content, memory.value or "")
    return shared - about or shared & parts(memory.value or "")


def _all(*texts: str) -> frozenset[str]:
    return frozenset().union(*map(parts, texts))


@lru_cache(maxsize=65536)
def parts(text: str) -> frozenset[str]:
    """What a word of a text is met by in another form: its first letters; of scripts without spaces, pairs of signs."""
    found: set[str] = set()
    for word in content_words(text):
        if any(unicodedata.east_asian_width(sign) in "WF" for sign in word):
            found.update(word[n : n + 2] for n in range(max(len(word) - 1, 1)))
        elif len(word) >= _STEM or any(sign.isdigit() for sign in word) or word in names(text):
            found.add(word[:_STEM])
    return frozenset(found)


def covered_by(proposal: Proposal, memory: MemoryVersion) -> bool:
    """Whether a memory can say all that a proposal says: no name and no figure is missing in it, and it denies what the
    proposal denies."""
    old = f"{memory.content} {memory.value or ''}"
    return _holds(old, proposal.content) and _polarity(proposal) == _polarity(memory)


def keeps(text: str, old: str, but: str | None = None) -> bool:
    """Whether a text keeps every name and figure of an older one, and its polarity.

    Args:
        but: a value that the text may leave out, since it gives it more exactly.
    """
    wanted = old.replace(but, " ") if but else old
    return _holds(text, wanted) and bool(negations(text)) == bool(negations(old))


def _holds(text: str, wanted: str) -> bool:
    there = {singular(word.removesuffix("'s")) for word in words(text)}
    return names(wanted) <= names(text) | there and figures(wanted) <= figures(text)


def _polarity(item: Proposal | MemoryVersion) -> bool:
    return item.negated or bool(negations(item.content))


def merged(text: str | None, proposal: Proposal, memory: MemoryVersion) -> str | None:
    """The sentence that stands for two statements: the judge's, where it says all that both say and nothing else, or
    the proposal's own where that leaves nothing out; None where neither does."""
    both = (proposal.content, memory.content)
    if text and text.strip() and all(keeps(text, one) for one in both) and not _new_words(text, both):
        return " ".join(text.split())
    return proposal.content if keeps(proposal.content, memory.content) else None


def _new_words(text: str, sources: Iterable[str]) -> bool:
    known = {word[:_STEM] for source in sources for word in words(source)}
    return any(word[:_STEM] not in known and word not in STOPWORDS for word in words(text))
