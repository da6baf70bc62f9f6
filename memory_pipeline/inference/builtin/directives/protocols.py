"""How the assistant should answer: "don't use emojis", "always reply in German", "keep your answers short"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.inference.builtin.directives.manner import (
    about_answers,
    language,
    mannered,
    one_off,
    plainly_about_answers,
    style_noun,
)
from memory_pipeline.inference.builtin.directives.requests import Request
from memory_pipeline.inference.builtin.directives.wording import sentence_of, topic_text, trimmed, until
from memory_pipeline.inference.builtin.facts.clause_facts import Reading
from memory_pipeline.inference.builtin.facts.fact import FIRM, Fact
from memory_pipeline.language.grammar.clauses import Clause
from memory_pipeline.language.syntax import Sentence, Token
from memory_pipeline.language.vocabulary import table, words
from memory_pipeline.language.wording.inflection import gerund
from memory_pipeline.language.wording.rewrite import third

_STYLED = frozenset({"use", "include", "add", "give", "offer", "write", "prefer", "put", "insert", "need", "want"})
_KEPT = frozenset({"keep", "make"})
_LEFT = frozenset({"skip", "spare", "cut", "avoid", "drop", "omit"})
_POINTING = frozenset({"it", "this", "that", "these", "those", "them", "him", "her", "he", "she"})
_ONLY = lazy(r"(?:please,? |only )?(?:in )?(?P<name>[A-Za-z]+) (?:only|from now on)(?:,? please)?[.!]*$", re.I)
_OPENING = lazy(r"^(?:(?:and|also|oh|but|so|ok|okay|please|one change|one more thing|for the record)[:,]?\s+)+", re.I)
_REASON = lazy(r",\s+(?=(?:i|we|it|they|that|my|just|thanks|ok|because)\b)|\s+because\s+", re.I)
_STATEMENT = lazy(r"\b(?:i|my|we|is|are|have|has|was|he|she|they|got)\b", re.I)
_LANGUAGE = "preferred_answer_language"
_PREFERRING = frozenset({"want", "prefer", "like", "need", "appreciate"})
_LONGEST = 24  # words of a wish


def protocols(sentence: Sentence, asked: Sequence[Request], readings: Sequence[Reading]) -> list[Fact]:
    """The lasting wishes of a sentence about answers."""
    found = [fact for request in asked if (fact := _requested(request)) is not None]
    return found or [fact for reading in readings for fact in _stated(reading)]


def _requested(request: Request) -> Fact | None:
    if request.mine or not _standing(request):
        return None
    tokens = _own(request)
    spoken = language(request.lemma, tokens, lasting=request.lasting)
    text = third(topic_text(tokens)).replace("the assistant's", "its").replace("the assistant", "it")
    text = re.sub(r"\b(?:always|never|please) ", "", text)
    if spoken:
        told = f"{request.lemma} {text}"
        return _fact(_wish(told, request.denied), spoken, request.denied, attribute=_LANGUAGE)
    bare = not text and request.lemma not in table("directives")["denied_alone"]
    if bare or _unclear(request, tokens) or len(text.split()) > _LONGEST:
        return None
    if request.lemma in _KEPT:
        text = re.sub(r"^(?:it|things|everything)\b", "its answers", text)
    verb = request.lemma
    return _fact(_wish(f"{verb} {text}", request.denied), _value(request, tokens, text), request.denied)


def _wish(told: str, denied: bool) -> str:
    return sentence_of(f"wants the assistant {'not ' if denied else ''}to {told}")


def _own(request: Request) -> list[Token]:
    """The words of the wish, without a reason behind it."""
    stops = frozenset({";", "(", "!", "?", "–", "—", "because", "since", "okay", "ok", "thanks", "cause", "cos"})
    tokens = until(request.rest, stops)
    return [t for t in tokens if t.low not in {"please", "always", "never", "ever"}]


def _unclear(request: Request, tokens: Sequence[Token]) -> bool:
    """Whether the wish points to something that is named elsewhere: "reply to her", "make it shorter"."""
    if request.denied and request.lemma in {"sugarcoat", "sugar-coat", "overdo"}:
        return False
    held = request.lemma in _KEPT and (request.lasting or request.lemma != "make")
    for n, token in enumerate(tokens):
        if token.low not in _POINTING or token.pos not in {"PRON", "DET"} or token.dep == "mark":
            continue
        earlier = any(t.pos in {"NOUN", "PROPN"} for t in tokens[:n])
        if token.tag not in {"WDT", "IN"} and not earlier and not (n == 0 and held):
            return True
    return False


def _standing(request: Request) -> bool:
    """Whether a request is about answers in general, not about one of them."""
    if _elsewhere(request) or one_off(request.rest, request.lemma) and not request.lasting and not request.denied:
        return False
    if language(request.lemma, _own(request), lasting=request.lasting):
        return True
    return _unwanted(request) if request.denied else _wanted(request)


def _elsewhere(request: Request) -> bool:
    """Whether a request is plainly about something else than answers, or for once only."""
    verb, text = request.lemma, request.text
    if verb in table("directives")["no_protocol"] and not request.stopped or verb == "call":
        return True
    asked = request.sentence.tokens[-1].text == "?"
    polite = {"me", "please"} & {t.low for t in request.sentence}
    able = verb in {"speak", "write"} and not request.lasting and not polite  # "can you speak French?"
    if asked and (able or request.start == request.verb.index):
        return True
    return f"{verb}{text}".startswith(tuple(table("directives")["no_protocol_phrase"])) or " accordingly " in text


def _unwanted(request: Request) -> bool:
    verb, known = request.lemma, table("directives")
    answers, manner = about_answers(request.rest), mannered(request.rest)
    if request.stopped:
        return verb not in known["no_habit"]
    if verb == "be":
        return manner or request.lasting or bool({"so", "such", "too"} & set(request.text.split()))
    about = answers or manner or request.lasting
    return verb in known["denied_alone"] or verb in words("answer_verb") and about or _behaving(verb, request.text)


def _wanted(request: Request) -> bool:
    verb, known, said = request.lemma, table("directives"), request.text.split()
    manner = mannered(request.rest)
    if request.lasting or verb == "be":
        return request.lasting or manner
    if _behaving(verb, request.text):
        return True
    if verb in _LEFT:
        return about_answers(request.rest) and not set(said) & set(known["ordinal"])
    held = said[:1] != ["it"] or verb == "keep" and manner
    about = plainly_about_answers(request.rest) or manner and verb in known["manner_verb"]
    return verb in words("answer_verb") and held and about


def _behaving(verb: str, text: str) -> bool:
    """ "Talk to me like a pirate", "treat me like an adult", "don't patronize me"."""
    if verb in table("directives")["behaving"]:
        return bool(re.search(r" (?:like|as if|as though) ", text)) and not re.match(r" (?:it|this|that)\b", text)
    return verb in table("directives")["towards_me"] and " me " in text


def _value(request: Request, tokens: Sequence[Token], text: str) -> str:
    """What is wished, without the verb where that says nothing: "short", "metric units"."""
    verb = request.lemma
    plain = re.sub(r"^(?:me|them|any|with me|with them)\s+", "", text)
    if verb == "be":
        return re.sub(r" with (?:me|them)$", "", plain)
    if verb in _KEPT:
        at = next((n for n, t in enumerate(tokens) if t.pos in {"ADJ", "ADV"} and t.dep not in {"amod", "poss"}), None)
        kept = third(topic_text(tokens[at:])) if at is not None else plain
        return kept or plain
    if verb in _LEFT and not request.denied:
        return f"no {re.sub(r'^(?:the|all|any|your|its) ', '', plain)}"
    if verb in _STYLED and not plain.startswith(("in ", "like ", "as ")):
        return plain
    return f"{gerund(verb)} {text}".strip() if request.denied else f"{verb} {text}".strip()


def _stated(reading: Reading) -> Iterator[Fact]:
    """ "I prefer detailed explanations", "I'd appreciate shorter answers", "your answers should be short"."""
    clause = reading.clause
    if any(t.text == "?" for t in clause.sentence):
        return
    if reading.subject.key == "user" and clause.head.lemma.lower() in _PREFERRING:
        yield from _preferred(clause)
    elif clause.subject is not None and clause.modal in {"should", "must", "can", "may"}:
        yield from _answers_should(clause, clause.subject)


def _preferred(clause: Clause) -> Iterator[Fact]:
    verb, told = clause.head.lemma.lower(), clause.object()
    if told is None or not style_noun(clause.sentence, told, verb):
        return
    tokens = [t for t in until(clause.sentence.subtree(told)) if t.dep != "predet"]
    spoken = language("answer", [t for t in tokens if t is not told], lasting=True)
    value = third(topic_text(tokens))
    wish = "prefers" if verb == "prefer" else "wants"
    content = sentence_of(f"{'does not want' if clause.negated else wish} {value}")
    yield _fact(content, spoken or value, clause.negated, attribute=_LANGUAGE if spoken else "answer_style")


def _answers_should(clause: Clause, subject: Token) -> Iterator[Fact]:
    s = clause.sentence
    owners = {t.low for t in s.children(subject, "poss", "det")}
    known = subject.lemma.lower() in words("answer_word") and owners <= {"your", "all"}
    if known and (clause.verb == "be" or owners):
        said = third(topic_text(until(s.tokens[subject.index :])))
        complement = clause.object()
        value = third(topic_text(until(s.subtree(complement)))) if complement is not None else said
        yield _fact(sentence_of(said), value, clause.negated)


def verbless(text: str) -> Fact | None:
    """ "No emojis please", "max five sentences", "metric units": a wish about answers without a verb."""
    known = table("directives")
    spoken = _ONLY.match(text.strip())
    if spoken and spoken.group("name").lower() in known["languages"]:
        name = spoken.group("name").capitalize()
        return _fact(f"Wants answers in {name} only.", name, attribute=_LANGUAGE)
    plain = trimmed(_REASON.split(trimmed(_OPENING.sub("", text.strip())))[0])
    low = re.findall(r"[a-z][a-z-]+", plain.lower())
    if not low or len(low) > 9 or "?" in text or plain.lower().startswith(tuple(known["no_wish"])):
        return None
    lead = low[0] in known["wish_lead"] or low[0] in words("manner")
    if not lead or not set(low) & (words("answer_word") | set(known["answer_extra"])) or _STATEMENT.search(plain):
        return None
    value = third(plain[:1].lower() + plain[1:])
    named = bool({"answer", "answers", "reply", "replies", "response", "responses"} & set(low))
    return _fact(sentence_of(f"wants {value}{'' if named else ' in answers'}"), value)


def _fact(content: str, value: str, denied: bool = False, *, attribute: str = "answer_style") -> Fact:
    return Fact(
        MemoryType.PROTOCOL, content, "user", attribute, value, denied, weight=FIRM, surface=Surface.ADAPT, when="",
        dated="none",
    )  # fmt: skip


__all__ = ["protocols", "verbless"]
