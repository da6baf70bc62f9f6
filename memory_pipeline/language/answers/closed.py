"""Yes and no to questions and guesses: which of them state something about the user, and what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.answers.first_person import told
from memory_pipeline.language.answers.phrases import table, words
from memory_pipeline.language.answers.questions import Clause, imperative, statement, subject_told, unresolved
from memory_pipeline.language.syntax import Sentence, Token

_OBJECTS = ("dobj", "attr", "oprd", "acomp", "pobj")
_ANOTHER = lazy(
    r"^(?:that's |that is |it's )?(?P<who>(?:my|our) [\w' ]+?)(?: (?:does|is|has|did|was|do|are|have|though))?$", re.I
)


def sentence_of(text: str) -> str:
    """With a capital and a full stop."""
    text = re.sub(r"\s+", " ", text).strip(" ,;:")
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def about(clause: Clause) -> bool:
    """Whether a clause is about the user, people around them, or things of theirs."""
    low = {t.low for t in clause.subject}
    if low & {"it", "that", "this", "there", "these", "those"} or low & {"we", "us"}:
        return False
    if low & words("grammar", "concerned") or {t.low for t in clause.rest} & {"you", "your", "yourself"}:
        return True
    if not clause.subject:
        return False
    first, last = clause.subject[0], clause.subject[-1]
    if first.low == "the" and first is not last:
        return not {t.lemma.lower() for t in clause.subject} & words("questions", "of_the_world") and not any(
            t.low == "of" for t in clause.subject
        )
    return last.kind == "PERSON" and len(clause.subject) <= 2


def agreed(
    clause: Clause, *, yes: bool, guess: bool, said: str = "", done: bool = False, willing: bool = False,
    named: Sequence[Token] | None = None,
) -> str:  # fmt: skip
    """What a yes or a no to a clause states; empty where it states nothing.

    Args:
        guess: the assistant did not ask, it said so.
        said: the word for yes or no.
        done: the reply says that something is done.
        willing: the reply is no more than "sure" or "please".
        named: the words of the clause that the reply names; of several things joined only these are meant.
    """
    if clause.asking:
        return _finished(clause) if done else ""
    if any(t.low == "or" for t in clause.rest):
        return ""
    if clause.auxiliary in ("shall", "should", "can", "may", "could") and _is(clause.subject, "i"):
        return _ordered(clause, yes)
    if not about(clause) or not clause.rest or unresolved(clause.rest) or (guess and willing):
        return ""
    if clause.of_user and (_advice(clause) or _empty(clause)):
        return ""
    if guess and {t.lemma.lower() for t in clause.subject} & words("questions", "opinion_things"):
        return ""
    finishing = clause.auxiliary in ("have", "has", "did") or (clause.auxiliary in ("is", "are") and not clause.of_user)
    if done and not finishing and not said.startswith(("y", "exact", "right")):
        return ""
    clause = _meant(clause, named)
    if any(t.low in {"now", "tonight", "together", "first"} for t in clause.rest) and clause.rest[0].low == "want":
        return ""  # "Want to do the three sentences now?"
    if (offer := _offered(clause)) is not None and not offer:
        return ""
    if yes and any(t.low.startswith("any") and t.low != "any" for t in clause.rest):
        return ""
    if clause.of_user and clause.auxiliary == "must":
        clause = replace(clause, auxiliary="are", rest=clause.rest[1:])
    return sentence_of(_with_adverb(statement(_without_yet(clause, yes), negated=not yes), said, yes))


def _is(tokens: Sequence[Token], word: str) -> bool:
    return len(tokens) == 1 and tokens[0].low == word


def _advice(clause: Clause) -> bool:
    """What the assistant suggests, asks for, or foretells rather than guesses."""
    auxiliary = clause.auxiliary
    if auxiliary == "must":
        return not (clause.rest and clause.rest[0].low == "be")
    if auxiliary == "would":
        return not (clause.rest and clause.rest[0].low in ("like", "love", "prefer", "rather"))
    if auxiliary == "can" and (clause.inverted or clause.negative):
        return any(t.low in ("me", "us", "i") for t in clause.rest)
    return auxiliary in words("grammar", "advice")


def _empty(clause: Clause) -> bool:
    """ "You know what I mean": verb phrases whose truth nobody needs to remember."""
    empty, verb = words("questions", "empty"), clause.verb
    if verb is None:
        return False
    near = [verb, *(t for t in clause.sentence.children(verb, "dobj", "acomp", "attr", "xcomp") if t in clause.rest)]
    return any(t.low in empty or t.lemma.lower() in empty for t in near)


def standing(tokens: Sequence[Token]) -> bool:
    """Whether an order holds beyond the next answer, or makes the assistant remember something."""
    if unresolved([t for t in tokens if t.dep in ("dobj", "pobj")]):
        return False
    if any(t.low in words("questions", "standing_adverbs") for t in tokens):
        return True
    verb = next((t for t in tokens if t.pos in ("VERB", "AUX") or t.low in words("questions", "standing")), None)
    return verb is not None and verb.low in words("questions", "standing")


def _ordered(clause: Clause, yes: bool) -> str:
    return sentence_of(imperative(clause, negated=not yes)) if standing(clause.rest) else ""


def _offered(clause: Clause) -> bool | None:
    """For "do you want me to …" whether it is a standing wish; None for what is no offer."""
    low = [t.low for t in clause.rest]
    if not clause.of_user or not low or low[0] not in ("want", "need", "like", "prefer"):
        return None
    if len(low) > 2 and low[1] in ("me", "us") and low[2] in ("to", "not"):
        return standing(clause.rest[3:])
    return None


def _meant(clause: Clause, named: Sequence[Token] | None) -> Clause:
    """Of things joined by "and" only the named one."""
    for token in named or ():
        sentence = clause.sentence
        first = token
        while first.dep == "conj" and sentence.head(first).pos in ("NOUN", "PROPN", "ADJ"):
            first = sentence.head(first)
        group = [first, *_conjuncts(sentence, first)]
        mine = next((g for g in group if token in sentence.subtree(g, _joined(sentence, g))), None)
        if len(group) > 1 and mine is not None and first.dep in _OBJECTS:
            kept = set(sentence.subtree(mine, _joined(sentence, mine)))
            dropped = set(sentence.subtree(first)) - kept
            return replace(clause, rest=tuple(t for t in clause.rest if t not in dropped))
    return clause


def _conjuncts(sentence: Sentence, first: Token) -> list[Token]:
    found: list[Token] = []
    for token in sentence.children(first, "conj"):
        found += [token, *_conjuncts(sentence, token)]
    return found


def _joined(sentence: Sentence, token: Token) -> list[int]:
    return [t.index for t in sentence.children(token) if t.dep in ("conj", "cc") or t.pos == "PUNCT"]


def _without_yet(clause: Clause, yes: bool) -> Clause:
    return replace(clause, rest=tuple(t for t in clause.rest if t.low != "yet" or not yes))


def _with_adverb(text: str, said: str, yes: bool) -> str:
    """ "not anymore" and "not yet" say when."""
    last = "" if yes else str(table("grammar")["denied_when"].get(said, ""))
    return f"{text} {last}" if last and not text.endswith((" yet", " anymore")) else text


def _finished(clause: Clause) -> str:
    """ "How is the tax return going?" – "done": it is done."""
    going = clause.asking[0].low == "how" and any(t.low in ("going", "coming", "go") for t in clause.rest)
    if not going or not about(clause) or clause.of_user:
        return ""
    who = re.sub(r"^the ", "my ", subject_told(clause), flags=re.I)
    return sentence_of(f"{who} {'are' if clause.auxiliary == 'are' else 'is'} done")


def corrected(clause: Clause, phrase: str, sentences: Sequence[Sentence], *, yes: bool) -> str:
    """What the words after a yes or no put in place of what was asked: "no, Leeds", "no, my sister does".

    Returns:
        a statement without full stop, or "" where the words are no such thing or a sentence of their own.
    """
    if clause.asking or not clause.rest or len(phrase.split()) > 6 or _empty(clause):
        return ""
    slot = _last_object(clause)
    if not yes and clause.auxiliary in ("shall", "should", "can", "may") and _calls(clause) and len(phrase.split()) < 4:
        return f"Call me {phrase}"
    if not about(clause):
        return ""
    if any(t.low == "or" for t in clause.rest) or _offered(clause) is not None or _is(clause.subject, "i"):
        return ""
    another = _ANOTHER.match(phrase)
    if another and not yes and not {t.low for t in clause.rest} & {"your"} and clause.of_user:
        return sentence_of(statement(clause, negated=False, subject=another.group("who")))[:-1]
    if slot is None or any(t.tag in ("VBZ", "VBP", "VBD", "MD", "VB") for s in sentences for t in s):
        return ""
    if any(unresolved(s.tokens) for s in sentences):
        return ""
    root = sentences[0].root if sentences else None
    if root is None or root.pos not in ("NOUN", "PROPN", "NUM", "ADJ") or len(sentences) > 1:
        return ""
    if yes and not (slot.low.startswith("any") or any(t.low == "any" for t in clause.sentence.children(slot, "det"))):
        return ""
    if slot.dep in ("dobj", "attr") and root.pos == "ADJ" and slot.pos != "ADJ":
        return ""
    return sentence_of(statement(clause, negated=False, rest=replaced(clause, slot, phrase)))[:-1]


def _calls(clause: Clause) -> bool:
    return [t.low for t in clause.rest[:2]] == ["call", "you"]


def _last_object(clause: Clause) -> Token | None:
    """The object or complement that the question is about: the last at the verb, or below its preposition."""
    fitting = ("NOUN", "PROPN", "PRON", "ADJ")
    return next((t for t in reversed(clause.rest) if t.dep in _OBJECTS and t.pos in fitting), None)


def replaced(clause: Clause, slot: Token, phrase: str) -> str:
    """The rest of a clause with other words for one of its phrases."""
    sentence = clause.sentence
    gone = {t.index for t in sentence.subtree(slot) if t in clause.rest and t.index >= clause.rest[0].index}
    if slot.dep == "acomp":
        gone = {slot.index}
    before = [t for t in clause.rest if t.index not in gone and t.index < slot.index]
    after = [t for t in clause.rest if t.index not in gone and t.index > slot.index]
    return " ".join(p for p in (told(sentence, before), phrase, told(sentence, after)) if p)
