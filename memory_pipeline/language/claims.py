"""What a proposal's content and its quote claim: who, what, denied or not, as a fact or only wished, asked, supposed.

The gate holds one against the other (``domain.gate.restated``), for proposals of any model. English. Each text is
parsed once a process; the sentences around a quote are read, since "in Recife in summer" alone has neither a subject
nor a verb.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from memory_pipeline.domain.gate.texts.claims import USER, Claim, Force, Reading, Voice
from memory_pipeline.domain.gate.texts.numerals import NUMBER, forms, spelled
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.claim_meaning import NEGATORS, families, force, known_verbs, narrowing, sign, word_list
from memory_pipeline.language.english import parser
from memory_pipeline.language.grammar.clauses import Clause, Cue, Tense, all_clauses
from memory_pipeline.language.grammar.people import Kind, People, Subject
from memory_pipeline.language.normalisation.repair import sentences
from memory_pipeline.language.normalisation.repair import spelled as plain_spelling
from memory_pipeline.language.standing import Span, Standing, Turn, spans
from memory_pipeline.language.syntax import Sentence, Token, written
from memory_pipeline.language.tables import read as table
from memory_pipeline.language.vocabulary import relations
from memory_pipeline.language.vocabulary import words as word_class

_VOICES = {
    Standing.FOREIGN: Voice.FOREIGN,
    Standing.INJECTION: Voice.INJECTED,
    Standing.OFF_RECORD: Voice.UNRECORDED,
}
_SELF = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours"})
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "X"})
# Behind a name the parser takes "lives" for the plural of "life".
_LIVES = lazy(r"\blives(?= (?:in|at|on|with|near|by|alone|together|there|here|abroad)\b)")
_BARE = frozenset({"be", "have", "get", "become"})
_STEM = 4  # letters
_THIRD = frozenset({"he", "she"})
_FINITE = frozenset({"VBZ", "VBD", "VBP", "MD"})
# "He" stands in for the user, whom a content leaves out: "Lives in Lisbon."
_STANDIN = "He "


@lru_cache(maxsize=16384)
def claimed(content: str) -> Reading:
    """What a memory's sentence claims; one without a subject is about the user."""
    text = plain_spelling(content)
    full = _with_subject(text)
    people, found, names = People(), list[Claim](), list[tuple[str, str]]()
    for n, sentence in enumerate(_parsed(full or text)):
        people.read(sentence)
        standin = 0 if full is not None and n == 0 else None
        found += [_claim(c, people, Force.FACT, standin) for c in all_clauses(sentence)]
        names += _names(sentence)
    return Reading(tuple(found), text, tuple(names), _mentioned(people))


@lru_cache(maxsize=16384)
def derived(sentence: str) -> Reading:
    """What a sentence of a summary or another derived text claims, with the words that are names in it."""
    proper = (token.text for part in _parsed(sentence) for token in part if token.pos == "PROPN")
    return replace(claimed(sentence), proper=tuple(dict.fromkeys(proper)))


@lru_cache(maxsize=16384)
def quoted(message: str, quote: str, before: tuple[tuple[str, str], ...] = ()) -> Reading:
    """What the sentences of a message that hold a quote claim, and whose words they are.

    Args:
        before: the turns before the message, oldest first, as (role, text); a part that is played began there.
    """
    place = _place(message, quote)
    cut = _read_spans(message, before)
    if place is None or not cut:
        return Reading((), "")
    held = [s for s in cut if s.start < place[1] and place[0] < s.end] or cut[:1]
    texts = [message[s.start : s.end] for s in held]
    people, found, names = People(), list[Claim](), list[tuple[str, str]]()
    for span in cut:
        if span.start >= held[0].start:
            break
        for sentence in _parsed(" ".join(_repaired(message, span))):
            people.read(sentence)
    for span in held:
        meant = _span_force(span)
        for text in _repaired(message, span):
            for sentence in _parsed(text):
                people.read(sentence)
                read = [_claim(c, people, meant, None) for c in all_clauses(sentence)]
                found += [replace(claim, said_by_i=claim.said_by_i and _by_i(claim, message)) for claim in read]
                names += _names(sentence)
    tokens = {w.strip(".,;:!?()\"'").lower().split("'")[0].split("’")[0] for t in texts for w in t.split()}
    return Reading(tuple(found), " ".join(texts), tuple(names), _mentioned(people), _voice(held), bool(tokens & _SELF))


def _by_i(claim: Claim, message: str) -> bool:
    """Whether "I" stands beside a verb in the message itself: repair may have put it there."""
    return re.search(rf"\bI\b(?:['’]\w+)?(?: \w+){{0,2}}? {re.escape(claim.verb[:_STEM])}", message) is not None


@lru_cache(maxsize=1024)
def _read_spans(message: str, before: tuple[tuple[str, str], ...]) -> list[Span]:
    return spans(message, [Turn(role, content) for role, content in before])


def _repaired(message: str, span: Span) -> list[str]:
    text = _LIVES.sub("resides", message[span.start : span.end])
    return sentences(text, listed=span.listed, heading=span.heading) or [text]


def _voice(held: Sequence[Span]) -> Voice:
    """The one voice of all sentences that a quote stands in; the user's own where any of them is."""
    voices = {_VOICES.get(s.standing, Voice.OWN) for s in held if s.standing is not Standing.FILLER}
    return voices.pop() if len(voices) == 1 else Voice.OWN


@lru_cache(maxsize=16384)
def _parsed(text: str) -> tuple[Sentence, ...]:
    return tuple(parser().parse([text])[0])


def _with_subject(content: str) -> str | None:
    """The sentence with a subject, None where it has one."""
    first = content.split(" ", 1)[0].strip(",.").lower()
    if not content or first in relations() or first in {"the", "their", "a", "an", "they", "he", "she", "it", "user"}:
        return None
    full = _STANDIN + content[0].lower() + content[1:]
    parsed = _parsed(full)
    if not parsed:
        return None
    root = parsed[0].root
    subject = parsed[0].child(root, "nsubj", "nsubjpass")
    group = [root, *parsed[0].children(root, "aux", "auxpass")]
    verbal = any(t.tag in _FINITE for t in group)
    return full if subject is not None and subject.index == 0 and verbal else None


def _mentioned(people: People) -> frozenset[str]:
    """The relations and names of those who were spoken of, small letters: "mum" as "mother"."""
    return frozenset(word for one in people.known for word in f"{one.relation} {one.name}".lower().split())


def _place(message: str, quote: str) -> tuple[int, int] | None:
    """Where a quote stands, or its longest part between ellipses; the whole message where it does not."""
    low = message.lower()
    wanted = quote.lower().strip()
    for piece in sorted([wanted, *wanted.replace("...", "…").split("…")], key=len, reverse=True):
        bare = piece.strip(" .!?,;:\"'")
        at = low.find(bare) if bare else -1
        if at >= 0:
            return at, at + len(bare)
    return (0, len(message)) if message.strip() else None


def _span_force(span: Span) -> Force:
    if span.standing is Standing.QUESTION:
        return Force.ASKED
    if span.standing is Standing.HYPOTHETICAL:
        return Force.WISH if span.why == "wish" else Force.SUPPOSED
    return Force.FACT


def _claim(clause: Clause, people: People, meant: Force, standin: int | None) -> Claim:
    s = clause.sentence
    subject, several, kind = "", False, Kind.OTHER.value
    if standin is not None and clause.subject is not None and clause.subject.index == standin:
        subject, kind = USER, Kind.USER.value
    elif clause.subject is not None:
        who = people.subject(s, clause.subject)
        subject, kind = who.key.lower(), _kind(clause.subject, who)
        if not subject and clause.subject.text[:1].isupper() and clause.subject.pos in {"PROPN", "INTJ", "X"}:
            subject, kind = clause.subject.low, Kind.NAMED.value
        several = clause.subject.low in _SELF - {"i"} or bool(s.children(clause.subject, "conj"))
    skipped = {t.index for t in s.subtree(clause.subject)} if clause.subject is not None else set()
    own = [t for t in s.subtree(clause.outer, without=_inner(clause)) if t.index not in skipped]
    words = tuple(dict.fromkeys(_worded(clause, own)))
    verb = _verb(clause)
    return Claim(
        subject,
        kind,
        several,
        verb,
        families(verb),
        sign(clause, verb, own),
        force(clause, meant),
        clause.cue is Cue.FORMER,
        clause.tense is Tense.PAST or clause.perfect,
        words,
        written(own),
        tuple(_counts(s, own)),
        any(t.low in _SELF for t in own),
        _core(clause, verb),
        tuple(dict.fromkeys(narrowing(clause))),
        clause.subject is not None and clause.subject.low == "i" and not clause.carried,
        frozenset(table("claims")["inherent"].get(verb, "").split()),
    )


def _core(clause: Clause, verb: str) -> str:
    """The head of what "is" and "has" say: "allergic", "cat"."""
    if verb not in _BARE:
        return ""
    s = clause.sentence
    heads = [t for token in (clause.outer, clause.head) for t in s.children(token, "acomp", "attr", "dobj")]
    return next((t.low for t in heads if t.pos in {"ADJ", "NOUN"}), "")


def _verb(clause: Clause) -> str:
    """The lemma, without its particle; the parser's lemma of "hates" is that of "hats"."""
    bare = clause.head.low.removesuffix("s")
    if bare == "reside":
        return "live"
    return bare if bare != clause.head.low and bare in known_verbs() else clause.verb.split(" ")[0]


def _kind(token: Token, who: Subject) -> str:
    if token.low in _THIRD:
        return "pronoun"
    if who.kind is Kind.POSSESSION and (said := set(who.key.lower().split())) and not who.key.count("'s"):
        if said & word_class("pet"):
            return Kind.PET.value
        if said & relations().keys():
            return Kind.PERSON.value
    known = table("claims")["kinds"].get(token.kind)
    return known if who.kind is Kind.NAMED and known else who.kind.value


def _inner(clause: Clause) -> set[int]:
    """Tokens below a clause that are clauses of their own."""
    s = clause.sentence
    group = {clause.outer.index, clause.head.index}
    found = set()
    for token in s.subtree(clause.outer):
        if token.index in group:
            continue
        joined = token.dep in {"advcl", "parataxis"} or (token.dep == "conj" and token.head in group)
        said = token.dep == "ccomp" and s.child(token, "nsubj", "nsubjpass") is not None
        if said or joined and token.pos in {"VERB", "AUX"}:
            found.add(token.index)
    return found


def _worded(clause: Clause, own: Sequence[Token]) -> Iterator[str]:
    light = word_list("light")
    verbs = {clause.head.index, clause.outer.index} if not clause.verbless else {clause.outer.index}
    for token in own:
        if token.index in verbs and token.pos in {"VERB", "AUX"}:
            continue
        lemma = token.lemma.lower()
        grammar = token.pos not in _CONTENT or bool({lemma, token.low} & (light | NEGATORS))
        if not grammar and token.kind not in {"DATE", "TIME"} and any(c.isalnum() for c in token.text):
            yield token.low


def _counts(sentence: Sentence, own: Sequence[Token]) -> Iterator[tuple[str, str]]:
    for token in own:
        if token.dep == "nummod" and sentence.head(token).pos == "NOUN":
            figure = token.low if NUMBER.fullmatch(token.low) else next(iter(spelled([token.low])), "")
            if figure:
                yield sentence.head(token).lemma.lower(), max(forms(figure), key=len)


def _names(sentence: Sentence) -> Iterator[tuple[str, str]]:
    kinds = table("claims")["kinds"]
    run: list[Token] = []
    for token in (*sentence, None):
        if run and (token is None or token.kind != run[-1].kind):
            yield written(run), kinds[run[-1].kind]
            run = []
        if token is not None and token.kind in kinds:
            run.append(token)
