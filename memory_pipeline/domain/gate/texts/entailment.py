"""Whether what a sentence states follows from its quote, word by word.

A name, a number or one word that was said there does not make a statement true: "Cheats on Karim." quotes "my partner
Karim". What it says of them has to have been said as well, in the same words, a form, a part or a word of the same
matter. Words in which any memory is put ("lives", "wants", "is called") say nothing by themselves. A good model
says much in other words, so a part may be new; but nothing that hurts when it is false.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from functools import cache

from memory_pipeline.domain.entities.relations import relation
from memory_pipeline.domain.gate.gate_input import GateInput
from memory_pipeline.domain.gate.texts.claims import Claim
from memory_pipeline.domain.gate.texts.conversation import SourceText, fold
from memory_pipeline.domain.gate.texts.hinges import telling
from memory_pipeline.domain.gate.texts.language import grammar, without_dates
from memory_pipeline.domain.gate.texts.numerals import is_number_word
from memory_pipeline.domain.gate.texts.relatedness import implied, near
from memory_pipeline.domain.gate.texts.small_talk import SHALLOW
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import wordset
from memory_pipeline.domain.text import singular

_LEAST = 4  # letters
_WORD = lazy(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_GRAMMAR = lazy("[\u3040-\u309f]")  # kana that Japanese writes its grammar in


def strays(given: GateInput, names: Set[str]) -> str:
    """What of a content does not follow from what was said, "" where all does or nobody can tell.

    Args:
        names: in the content, folded; whether these were said is another rule's.
    """
    said = list(near(given))
    wanted = stating_words(given, names)
    open_ = [word for word in wanted if not supported(word, said)]
    share = 1.0 - len(open_) / len(wanted) if wanted else 1.0
    anchored = any(text.has(name) for name in names - given.known for text in said)
    if anchored:  # a good model tells what it is with a name in words of its own, but never whose spouse or child it is
        if bond := next((w for w in open_ if w in wordset("implied", "bonds")), ""):
            return bond
    elif not share or share < given.policy.min_followed_words:
        return ", ".join(open_[:5])
    claims = given.content.claims if given.content is not None else ()
    told = [claim for quote in given.quotes for claim in quote.claims]
    heads = (fold(word) for claim in claims for word in _heads(claim, told))
    kinds = _named_kinds(given, said)
    return next((w for w in (*open_, *heads) if w in _grave() - kinds and not supported(w, said)), "")


def _named_kinds(given: GateInput, said: Sequence[SourceText]) -> set[str]:
    """The words of a content that only say of what kind that is which was said: "disease" of "coeliac disease"."""
    words = [fold(word) for word in _WORD.findall(given.proposal.content)]
    pairs = zip(words, words[1:], strict=False)
    return {kind for what, kind in pairs if kind in wordset("restating", "generic") and supported(what, said)}


def stating_words(given: GateInput, names: Collection[str]) -> list[str]:
    """The words of a content that say something: neither grammar, names, dates, relations nor a memory's framing."""
    aside = framing() | set(names)
    aside |= {fold(word) for word in (given.proposal.subject or "").split()}
    words = [w for w in telling(without_dates(given.proposal.content)) if w not in aside and not relation(w)]
    return [w for w in words if not _GRAMMAR.fullmatch(w) and w != "one" and not is_number_word(w)]


@cache
def framing() -> frozenset[str]:
    """Words that say nothing by themselves, and their crude singulars."""
    found = SHALLOW | wordset("implied", "framing") | grammar()
    return found | {singular(word) for word in found}


def supported(word: str, said: Sequence[SourceText]) -> bool:
    """Whether a word stands in one of some texts: in a form, as a part of a longer one, or one of its matter.

    What somebody is no longer stands in what tells of it: "exfumador" in "dejé de fumar".
    """
    former = next((word.removeprefix(p) for p in wordset("languages", "undoing") if word.startswith(p)), "")
    return any(
        text.has(word) or text.has(f"{word}s") or implied(word, text) or text.compounds(word) or text.joins(word)
        for text in said
    ) or bool(len(former) >= _LEAST and supported(former, said))


def _heads(claim: Claim, told: Sequence[Claim]) -> Iterator[str]:
    """The words that a claim turns on: its verb, and what it says to be or to have."""
    if not any(claim.verb == other.verb or claim.families & other.families for other in told):
        yield claim.verb
    if claim.core:
        yield claim.core


@cache
def _grave() -> frozenset[str]:
    words = wordset("implied", "grave")
    return words | {singular(word) for word in words}
