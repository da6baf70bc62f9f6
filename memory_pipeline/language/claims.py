"""What a proposal's content and its quote claim: who, what, denied or not, as a fact or only wished, asked, supposed.

The gate holds one against the other (``domain.gate.restated``), for proposals of any model. English. Each text is
parsed once a process; the sentences around a quote are read, since "in Recife in summer" alone has neither a subject
nor a verb.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from memory_pipeline.domain.gate.texts.claims import USER, Claim, Force, Reading, Voice
from memory_pipeline.domain.gate.texts.numerals import NUMBER, forms, spelled
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.english import parser
from memory_pipeline.language.grammar.clauses import Clause, Cue, Mood, Tense, all_clauses
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
_FORCES = {
    Cue.DUTY: Force.DUTY,
    Cue.WISH: Force.WISH,
    Cue.PLAN: Force.PLAN,
    Cue.PROMISE: Force.PROMISE,
    Cue.ATTEMPT: Force.ATTEMPT,
    Cue.CONSIDERED: Force.POSSIBLE,
    Cue.POSSIBLE: Force.POSSIBLE,
}
_SELF = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours"})
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "X"})
_NEGATORS = frozenset({"not", "n't", "never", "no", "nor", "neither", "none", "nobody", "nothing", "without", "nt"})
_WHETHER = frozenset({"if", "whether"})
# Behind a name the parser takes "lives" for the plural of "life".
_LIVES = lazy(r"\blives(?= (?:in|at|on|with|near|by|alone|together|there|here|abroad)\b)")
_BARE = frozenset({"be", "have", "get", "become"})
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
                found += [_claim(c, people, meant, None) for c in all_clauses(sentence)]
                names += _names(sentence)
    tokens = {w.strip(".,;:!?()\"'").lower().split("'")[0].split("’")[0] for t in texts for w in t.split()}
    return Reading(tuple(found), " ".join(texts), tuple(names), _mentioned(people), _voice(held), bool(tokens & _SELF))


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
        subject, several, kind = who.key.lower(), who.plural, _kind(clause.subject, who)
    skipped = {t.index for t in s.subtree(clause.subject)} if clause.subject is not None else set()
    own = [t for t in s.subtree(clause.outer, without=_inner(clause)) if t.index not in skipped]
    words = tuple(dict.fromkeys(_worded(clause, own)))
    verb = _verb(clause)
    return Claim(
        subject,
        kind,
        several,
        verb,
        _families(verb),
        _sign(clause, verb, own),
        _force(clause, meant),
        clause.cue is Cue.FORMER,
        clause.tense is Tense.PAST or clause.perfect,
        words,
        written(own),
        tuple(_counts(s, own)),
        any(t.low in _SELF for t in own),
        _core(clause, verb),
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
    return bare if bare != clause.head.low and bare in _known_verbs() else clause.verb.split(" ")[0]


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
    light = _words("light")
    verbs = {clause.head.index, clause.outer.index} if not clause.verbless else {clause.outer.index}
    for token in own:
        if token.index in verbs and token.pos in {"VERB", "AUX"}:
            continue
        lemma = token.lemma.lower()
        grammar = token.pos not in _CONTENT or bool({lemma, token.low} & (light | _NEGATORS))
        if not grammar and token.kind not in {"DATE", "TIME"} and any(c.isalnum() for c in token.text):
            yield token.low


def _sign(clause: Clause, verb: str, own: Sequence[Token]) -> int:
    """1, -1, or 0 where a denial above the clause, a second one or a turn of phrase leaves it open."""
    s = clause.sentence
    for above in s.ancestors(clause.outer):
        if any(c.dep == "neg" for c in s.children(above)) or above.lemma.lower() in _words("doubting"):
            return 0
        if above.lemma.lower() in _words("denying"):
            return 0
    lows = [t.low for t in own]
    absent = sum(low == "no" or low in {"none", "nothing", "nobody"} for low in lows) if not clause.negated else 0
    denials = clause.negated + bool(absent) + (verb in _words("denying"))
    spoken = sum(low in _NEGATORS for low in lows)
    if spoken > 1 or any(low in _words("turning") or low.endswith("-free") for low in lows):
        return 1 if not denials and not spoken else 0
    commas = [t.index for t in own if t.text == "," and t.index > clause.head.index]
    if commas and any(t.low in _NEGATORS and t.index > commas[0] for t in own):
        return 0
    if spoken and not denials:
        return 0  # "not" belongs to something else: "Karim, not Max, cooks"
    return -1 if denials % 2 else 1


def _force(clause: Clause, meant: Force) -> Force:
    s = clause.sentence
    path = [clause.outer, *s.ancestors(clause.outer)]
    for token in path:
        mark = s.child(token, "mark")
        if mark is not None and mark.low in _WHETHER:
            return Force.SUPPOSED
        if token is not clause.outer and token.lemma.lower() in _words("wishing") and _above(s, token):
            return Force.WISH
    if meant in {Force.SUPPOSED, Force.WISH}:
        return meant
    if clause.mood is Mood.SUPPOSITION:
        return Force.FACT if clause.negated else Force.WISH
    if meant is Force.ASKED and _inverted(s) and _is_asked(s, path):
        return Force.ASKED
    if clause.modal == "could":
        return Force.POSSIBLE
    if clause.cue is Cue.DUTY and clause.tense is Tense.PAST:
        return Force.FACT  # who had to, did
    if clause.modal == "will":
        return Force.PROMISE if clause.cue is Cue.PLAN else _FORCES.get(clause.cue, Force.FACT)
    return _FORCES.get(clause.cue, Force.FACT)


def _inverted(sentence: Sentence) -> bool:
    """Whether it has a question's order of words; "I started a shop, cool, huh?" tells."""
    root = sentence.root
    if any(t.tag in {"WP", "WRB", "WDT", "WP$"} and t.index <= root.index for t in sentence):
        return True
    who = sentence.child(root, "nsubj", "nsubjpass", "expl")
    if who is None:
        return True
    return who.index > root.index or any(t.index < who.index for t in sentence.children(root, "aux", "auxpass"))


def _above(sentence: Sentence, verb: Token) -> bool:
    """Whether a verb governs a clause of its own ("I hope I get in")."""
    return sentence.child(verb, "ccomp", "xcomp") is not None


def _is_asked(sentence: Sentence, path: Sequence[Token]) -> bool:
    """Whether a clause is what a question asks; "since I'm vegan" beside one is told."""
    for token in path:
        if token.head == token.index:
            return True
        if token.dep == "ccomp" and sentence.head(token).lemma.lower() not in _words("supposing"):
            return False
        if token.dep not in {"ccomp", "conj", "xcomp"}:
            return False
    return True


def _counts(sentence: Sentence, own: Sequence[Token]) -> Iterator[tuple[str, str]]:
    for token in own:
        if token.dep == "nummod" and token.kind in {"CARDINAL", ""}:
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


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(table("claims")["words"][name].split())


@cache
def _known_verbs() -> frozenset[str]:
    return _words("denying").union(*(verbs.split() for verbs in table("claims")["family"].values()))


@cache
def _families(verb: str) -> frozenset[str]:
    return frozenset(name for name, verbs in table("claims")["family"].items() if verb in verbs.split())
