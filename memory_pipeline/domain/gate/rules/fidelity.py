"""Rules for how a content restates its quote: the same person, the same sign, no more certain, in the user's own voice.

The words may all be there and say something else: "I'm allergic to nuts" is not "Is not allergic to nuts.", "my sister
lives in Oslo" not "Lives in Oslo.", "I might move" not "Lives there.". Each claim of the content is held against the
clauses of the quoted sentences that speak of the same; where none does, nothing is judged. A good model puts things in
words of its own, so in doubt a content passes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory_pipeline.domain.entities.relations import relation
from memory_pipeline.domain.gate.gate_input import ENDING, GateInput
from memory_pipeline.domain.gate.texts.claims import USER, Claim, Force, Reading, Voice
from memory_pipeline.domain.gate.texts.conversation import kin
from memory_pipeline.domain.gate.texts.denial import turned_round
from memory_pipeline.domain.gate.texts.other_people import told_of_another
from memory_pipeline.domain.gate.texts.quotation import quoted_clauses, quoted_sentences
from memory_pipeline.domain.gate.texts.unreal import only_wished
from memory_pipeline.domain.proposal import DERIVED_TYPES, WORK_TYPES, Finding, MemoryType, Operation
from memory_pipeline.domain.text import singular

_INSTRUCTIONS = frozenset({MemoryType.PROTOCOL, MemoryType.BOUNDARY})
_NAMED = frozenset({"person", "pet", "named", "organisation", "place", "product", "group"})
_INTENDED = frozenset({Force.PLAN, Force.PROMISE, Force.DUTY, Force.ATTEMPT, Force.WISH, Force.POSSIBLE})
_TOLD = frozenset({Force.FACT, Force.DUTY, Force.PROMISE, Force.PLAN})
_UNDERTAKEN = frozenset({Force.DUTY, Force.PROMISE, Force.ATTEMPT})
_INDEFINITE = frozenset({"a", "an", "another", "some"})
_NOUN_PHRASE = 3  # words
_ALWAYS = frozenset({"taste"})  # "I'd love", "I could eat it every day": wishes that tell a taste


@dataclass(frozen=True, slots=True)
class _Pair:
    """A claim of the content and the clauses of the quotes that come nearest to it."""

    claim: Claim
    nearest: tuple[tuple[Claim, Reading], ...]


def voice(given: GateInput) -> Finding | None:
    """The quoted words are the user's own, not pasted, played or said off the record (KN-1)."""
    content = _stated(given)
    if content is None:
        return None
    voices = {quote.voice for quote in given.quotes if quote.text}
    why = next(iter(voices)) if len(voices) == 1 else Voice.OWN
    own = why is Voice.OWN or (
        why is Voice.FOREIGN and (given.proposal.type in WORK_TYPES or not any(q.first_person for q in given.quotes))
    )
    return Finding("voice", own, None, None, "in the user's own voice" if own else f"the quoted words are {why}")


def subject(given: GateInput) -> Finding | None:
    """It says of somebody what the quote says of them, not of another (KN-1)."""
    content = _stated(given)
    if content is None:
        return _of_another(given)
    for pair in _pairs(given, content):
        others = [q.subject for q, reading in pair.nearest if _another(given, pair.claim, content, q, reading)]
        if pair.nearest and len(others) == len(pair.nearest):
            of, said = pair.claim.subject, others[0]
            return Finding("subject", False, None, None, f"says of {of} what was said of {said}")
    return Finding("subject", True, None, None, "of those that the quote speaks of")


def contrary(given: GateInput) -> Finding | None:
    """It neither denies what the quote affirms, nor affirms what it denies, nor counts otherwise (KN-1)."""
    content = _stated(given)
    if content is None:
        return _turned_round(given)
    for pair in _pairs(given, content):
        told = [q for q, _ in pair.nearest if q.force in _TOLD]
        if told and len(told) == len(pair.nearest):
            if not given.proposal.negated and all(_opposed(pair.claim, q) for q in told):
                return Finding("contrary", False, None, None, f"the quote says the opposite of “{pair.claim.text}”")
            if number := next((n for q in told if (n := _miscounted(pair.claim, q, told))), ""):
                return Finding("contrary", False, None, None, f"the quote counts otherwise: {number}")
    return Finding("contrary", True, None, None, "not the opposite of the quote")


def unfounded(given: GateInput) -> Finding | None:
    """What it states as so, the quote tells as so: not asked, supposed, wished, or only possible or planned (KN-1)."""
    content = _stated(given)
    if content is None:
        return _unreal(given)
    if given.proposal.type not in _INSTRUCTIONS:
        for pair in _pairs(given, content):
            if pair.nearest and all(_stronger(given, pair.claim, q) for q, _ in pair.nearest):
                force = pair.nearest[0][0].force
                return Finding("unfounded", False, None, None, f"“{pair.claim.text}” was only {_ONLY[force]}")
        if idea := next((c for c in content.claims if _an_idea(given, c)), None):
            return Finding("unfounded", False, None, None, f"“{idea.text}” was only an idea")
    return Finding("unfounded", True, None, None, "no more certain than the quote")


_ONLY = {
    Force.DUTY: "owed",
    Force.PROMISE: "promised",
    Force.PLAN: "planned",
    Force.ATTEMPT: "tried",
    Force.WISH: "wished",
    Force.POSSIBLE: "thought possible",
    Force.ASKED: "asked",
    Force.SUPPOSED: "supposed",
}


def opposite(content: Reading, told: Sequence[Reading], low: float) -> str:
    """The claim of a text of which all that was told in its words says the opposite, "" where there is none.

    Args:
        told: what it rests on, read.
        low: share of a claim's words in a clause, for the two to be held against each other.
    """
    others = frozenset().union(*(reading.people for reading in told))
    for pair in _nearest(content, told, low, pronouns=True):
        same = [q for q, _ in pair.nearest if q.force in _TOLD and _one_subject(pair.claim, q, others)]
        if same and len(same) == len(pair.nearest) and all(_opposed(pair.claim, q) for q in same):
            return pair.claim.text
    return ""


def _one_subject(claim: Claim, said: Claim, others: frozenset[str]) -> bool:
    """Whether two clauses may be about the same: a text calls the user by a name that is nobody else's."""
    if claim.kind == "pronoun" or set(claim.subject.split()) & set(said.subject.split()):
        return True
    named = claim.subject if said.subject == USER else said.subject if claim.subject == USER else ""
    return bool(named) and others.isdisjoint(named.split())


def _stated(given: GateInput) -> Reading | None:
    """The content's claims, where the proposal states something that was read; what ends something names that only."""
    operation = given.proposal.operation
    if operation in ENDING and operation is not Operation.REINFORCE or given.proposal.type in DERIVED_TYPES:
        return None
    return given.content if given.quotes else None


def _unread(given: GateInput) -> bool:
    """Whether nobody has read what a hosted model states, for it is in a language that no parser reads."""
    operation = given.proposal.operation
    states = operation not in ENDING or operation is Operation.REINFORCE
    return given.hosted and states and not given.quotes and given.proposal.type not in DERIVED_TYPES


def _unreal(given: GateInput) -> Finding | None:
    if not _unread(given) or given.proposal.type in _INSTRUCTIONS | {MemoryType.OPEN_LOOP}:
        return None
    found = only_wished(given.proposal.content, quoted_sentences(given))
    detail = f"the quote says so with “{found}” only" if found else "no more certain than the quote"
    return Finding("unfounded", not found, None, None, detail)


def _turned_round(given: GateInput) -> Finding | None:
    if not _unread(given):
        return None
    around = " ".join(message.content for _, message in given.own())
    least = given.policy.min_same_claim
    found = turned_round(given.proposal.content, quoted_clauses(given), least, around, contained=True)
    detail = f"the quote says the opposite of “{found}”" if found else "not the opposite of the quote"
    return Finding("contrary", not found, None, None, detail)


def _of_another(given: GateInput) -> Finding | None:
    if not _unread(given) or given.proposal.type in _INSTRUCTIONS | {MemoryType.OPEN_LOOP}:
        return None
    found = told_of_another(given.proposal.content, quoted_sentences(given))
    detail = f"says of the user what was said of {found}" if found else "of those that the quote speaks of"
    return Finding("subject", not found, None, None, detail)


def nearest(given: GateInput, content: Reading) -> list[tuple[Claim, Sequence[Claim]]]:
    """The claims of a content, each with the clauses of the quotes that come nearest to it."""
    return [(pair.claim, [said for said, _ in pair.nearest]) for pair in _pairs(given, content)]


def _pairs(given: GateInput, content: Reading) -> list[_Pair]:
    return _nearest(content, given.quotes, given.policy.min_same_claim)


def _nearest(content: Reading, told: Sequence[Reading], low: float, *, pronouns: bool = False) -> list[_Pair]:
    said = [(claim, quote) for quote in told for claim in quote.claims]
    found = []
    for claim in content.claims:
        whose = claim.subject or pronouns and claim.kind == "pronoun"
        if not whose or not claim.words and len(content.claims) > 1:
            continue
        near = [(share, q, quote) for q, quote in said if _related(claim, q) and (share := _share(claim, q)) >= low]
        best = max((share for share, _, _ in near), default=0.0)
        found.append(_Pair(claim, tuple((q, quote) for share, q, quote in near if share == best)))
    return found


def _related(a: Claim, b: Claim) -> bool:
    """Whether two verbs come to the same: one verb, or one family."""
    if not a.words:
        return a.verb == b.verb
    return a.verb == b.verb or bool(a.families & b.families) or kin(a.verb, b.verb)


def _share(claim: Claim, other: Claim) -> float:
    words = [w for w in claim.words if w not in claim.implied] if claim.verb == other.verb else claim.words
    return sum(map(_in(other), words)) / len(words) if words else 1.0


def _in(said: Claim) -> Callable[[str], bool]:
    return lambda word: kin(word, said.text) or kin(singular(word), said.text)


def _an_idea(given: GateInput, claim: Claim) -> bool:
    """Whether all that a claim says is something that the quote only toys with, whatever the verbs.

    What is wished of something definite is not: whose asthma is to get better has asthma.
    """
    told = [said for quote in given.quotes for said in quote.claims if claim.words and all(map(_in(said), claim.words))]
    return bool(told) and all(
        said.force in {Force.POSSIBLE, Force.WISH} and _new(claim, said.text) and _stronger(given, claim, said)
        for said in told
    )


def _new(claim: Claim, text: str) -> bool:
    """Whether a text speaks of what a claim says as of something that there is not yet ("a garden")."""
    words = text.lower().split()
    return any(
        word in _INDEFINITE and any(kin(w, " ".join(words[n + 1 : n + 1 + _NOUN_PHRASE])) for w in claim.words)
        for n, word in enumerate(words)
    )


def _another(given: GateInput, claim: Claim, content: Reading, said: Claim, reading: Reading) -> bool:
    """Whether a clause of the quote is clearly about somebody else than the claim."""
    speakers = {word for _, m in given.own() for word in (m.speaker or "").lower().split()}
    if claim.subject == said.subject or said.several or not claim.subject or not said.subject:
        return False
    said_words = set(said.subject.split())
    if claim.subject == USER:
        same = bool(claim.core) and claim.core == said.core
        if said.kind not in _NAMED | {"pronoun"} or said.involved or said_words & speakers:
            return False
        if content.people and not same:
            return False
        return not any(kin(word, content.text.lower()) for word in said_words)
    named = set(claim.subject.split())
    if claim.kind not in _NAMED or said.kind not in _NAMED | {USER} or named & speakers:
        return False
    if not any(relation(word) for word in named) and given.proposal.subject in {None, USER}:
        return False  # a model may call the user by name
    around = said.text if said.said_by_i else reading.text
    mentioned = (frozenset() if said.said_by_i else reading.people) | set(around.lower().split())
    return not any(word in mentioned or kin(word, around.lower()) for word in claim.subject.split())


def _opposed(claim: Claim, said: Claim) -> bool:
    if claim.force is not Force.FACT or not claim.sign or not said.sign:
        return False
    if said.former and claim.verb == said.verb:
        return claim.sign > 0 and not (claim.former or claim.past)
    if said.past and claim.sign < 0 < said.sign and not said.families & _ALWAYS:
        return False  # "smoked my last one in May" → "No longer smokes."
    return claim.sign != said.sign


def _miscounted(claim: Claim, said: Claim, told: Sequence[Claim]) -> str:
    """What the quote counts with another number, and with the claim's nowhere."""
    everything = {pair for q in told for pair in q.counts}
    for noun, number in claim.counts:
        if any(noun == n and number != k for n, k in said.counts) and (noun, number) not in everything:
            return noun
    return ""


def _stronger(given: GateInput, claim: Claim, said: Claim) -> bool:
    """Whether a claim is told as more certain than a clause of the quote is."""
    if said.force is Force.FACT or claim.families & _ALWAYS or claim.subject not in {said.subject, USER, ""}:
        return False
    if said.force is Force.SUPPOSED:
        return claim.force in _TOLD
    intended = claim.force in _INTENDED or given.proposal.type is MemoryType.OPEN_LOOP
    if said.force in {Force.ASKED, Force.POSSIBLE, Force.WISH}:
        return not intended
    # "I have to take it twice a day" tells what one does, "I'll start on 1 May" what will be so then.
    scheduled = _dated(given) or said.force in _UNDERTAKEN and claim.verb == said.verb
    return not intended and (claim.past or not scheduled)


def _dated(given: GateInput) -> bool:
    proposal = given.proposal
    later = proposal.valid_from is not None and proposal.valid_from > proposal.observed_at
    return later or proposal.due_at is not None or any(c.isdigit() for c in proposal.content)
