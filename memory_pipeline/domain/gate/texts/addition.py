"""What a sentence says beyond the words that it restates: a detail, or a cause, that nobody gave.

A paraphrase puts other words in the place of those that were said. A sentence that repeats all that its quote says and
then has more words to it adds them. So a word that nobody said is an addition where no word of the quote is left over
that it might stand for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from memory_pipeline.domain.gate.gate_input import GateInput
from memory_pipeline.domain.gate.texts.conversation import Conversation, SourceText, fold, source_text
from memory_pipeline.domain.gate.texts.entailment import framing, stating_words, supported
from memory_pipeline.domain.gate.texts.hinges import telling
from memory_pipeline.domain.gate.texts.language import nouns_have_capitals, plain, without_dates
from memory_pipeline.domain.gate.texts.numerals import is_number_word
from memory_pipeline.domain.gate.texts.quotation import quoted_sentences
from memory_pipeline.domain.gate.texts.relatedness import same_matter
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import table, wordset

_WORD = lazy(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_JOINED = lazy(r"([^\W\d_]+)-([^\W\d_]+)")
_STEM = 4  # letters
_REASON_WORDS = 3  # between "for" or "aus" and "reasons"
_POR = lazy(r"\bpor ([^\W\d_]+)", re.I)


def added_words(given: GateInput) -> list[str]:
    """The words of a content that nobody said, where it repeats all that its quote says."""
    read = given.content if given.quotes else None
    verbs = _shared_verbs(given) if read is not None else set()
    if read is not None and not verbs:
        return []
    content, spoken = source_text(given.proposal.content), [w for text in quoted_sentences(given) for w in _said(text)]
    told = [word for word in spoken if not _form(word, verbs)]
    if not spoken or not all(_repeated(word, content) for word in told):
        return []
    conversation = list(Conversation(given))
    stated = (
        {claim.verb for claim in read.claims}
        if read is not None
        else {fold(w) for w in _WORD.findall(given.proposal.content)[:1]}
    )
    aside = _aside() | _joined(given.proposal.content, conversation)
    return [
        word
        for word in _nouns(given, stating_words(given, ()))
        if word not in aside
        and not _form(word, stated)
        and not supported(word, conversation)
        and given.known.isdisjoint(same_matter(word))
    ]


def _joined(content: str, conversation: Sequence[SourceText]) -> set[str]:
    """ "Gluten-free", where gluten was spoken of: what is joined to a word that was said."""
    return {fold(m[2]) for m in _JOINED.finditer(content) if supported(fold(m[1]), conversation)}


def _repeated(word: str, content: SourceText) -> bool:
    return content.has(word) or content.has(f"{word}s") or content.compounds(word) or content.joins(word)


def _said(text: str) -> Iterator[str]:
    """The words of a quoted sentence that a content can repeat."""
    aside = framing()
    for word in telling(without_dates(text)):
        if word not in aside and "'" not in word and not is_number_word(word):
            yield word


def _shared_verbs(given: GateInput) -> set[str]:
    told = {claim.verb for quote in given.quotes for claim in quote.claims}
    return {claim.verb for claim in given.content.claims} & told if given.content is not None else set()


def _form(word: str, verbs: Collection[str]) -> bool:
    """Whether a word is a form of one of some verbs, as far as its beginning tells."""
    return any(word.startswith(verb[:_STEM]) for verb in verbs)


def _nouns(given: GateInput, words: Sequence[str]) -> Sequence[str]:
    """Of words of a German content only the nouns: its verbs may stand in two parts, anywhere."""
    content = given.proposal.content
    if given.quotes or not nouns_have_capitals(" ".join((content, *(m.content for _, m in given.own())))):
        return words
    capital = {fold(word) for word in _WORD.findall(content) if word[0].isupper()}
    return [word for word in words if word in capital]


@cache
def _aside() -> frozenset[str]:
    """Words that add nothing, or whose addition another rule judges."""
    others = (wordset("languages", name) for name in ("ceasing", "disliking", "denying"))
    return wordset("restating", "generic") | wordset("restating", "universal").union(*others)


def unsaid_cause(given: GateInput) -> str:
    """The cause that a content gives, where nobody named one or a word of it; "" where all is well."""
    cause = _cause(given.proposal.content)
    wanted = [word for word in telling(cause) if word not in framing()]
    if not wanted:
        return ""
    conversation = list(Conversation(given))
    if any(supported(word, conversation) for word in wanted):
        return ""
    near = [plain(word) for _, message in given.own() for word in _WORD.findall(message.content)]
    return "" if set(near) & wordset("restating", "causal") else cause


def _cause(content: str) -> str:
    found = _because().search(content)
    if found:
        return content[found.end() :].strip(" .")
    words = _WORD.findall(content)
    for n, word in enumerate(words):
        if fold(word) in wordset("restating", "reasons"):
            return " ".join(words[max(n - _REASON_WORDS, 0) : n][-1:])
    por = [m for m in _POR.finditer(content) if plain(m[1]) not in wordset("restating", "por_what")]
    return content[por[-1].start(1) :].strip(" .") if por else ""


@cache
def _because() -> re.Pattern[str]:
    signs = sorted(table("restating")["because"], key=len, reverse=True)
    return lazy(rf"\b(?:{'|'.join(map(re.escape, signs))})\b", re.I)
