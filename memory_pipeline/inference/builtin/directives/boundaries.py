"""What the assistant should leave alone: "don't bring up my father", "my ex is off limits"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memory_pipeline.domain.proposal import MemoryType, Operation, Surface
from memory_pipeline.domain.reading.topic_wordings import sore
from memory_pipeline.inference.builtin.directives.antecedents import Antecedents
from memory_pipeline.inference.builtin.directives.closings import closed, opened
from memory_pipeline.inference.builtin.directives.requests import Request, plain
from memory_pipeline.inference.builtin.directives.wording import (
    as_noun,
    nothing,
    sentence_of,
    topic_text,
    trimmed,
    unled,
    unowned,
    until,
)
from memory_pipeline.inference.builtin.facts.fact import CORE, Fact
from memory_pipeline.language.grammar.clauses import Clause
from memory_pipeline.language.grammar.people import People
from memory_pipeline.language.syntax import Sentence, Token, written
from memory_pipeline.language.vocabulary import table, words
from memory_pipeline.language.wording.rewrite import third

_LONGEST = 14  # words of a topic
_NEAR = 6  # words between a verb and the preposition of its topic
_OWNER = 3  # words for whose name it is
_OWNERS = frozenset({"his", "her", "their"})
_LISTED = 4  # words in front of a kind of talk: "no calories, no"


def boundaries(sentence: Sentence, asked: Sequence[Request], found: Sequence[Clause], people: People) -> list[Fact]:
    """The topics that a sentence closes: each is noted, and what names it is suppressed."""
    antecedents = Antecedents(people, found)
    reopened = (fact for topic in opened(sentence) if (fact := _reopened(topic, antecedents)) is not None)
    again = next(reopened, None)
    if again is not None:
        return [again]
    topics = [*_requested(asked), *_nouns(sentence), *_kinds_of_talk(sentence, asked), *_off_limits(sentence, found)]
    topics += closed(sentence, people)
    return next((facts for topic in topics if (facts := _boundary(topic, antecedents))), [])


def _requested(asked: Sequence[Request]) -> Iterator[list[Token]]:
    known = table("directives")
    for request in asked:
        if request.denied and request.lemma in known["naming_verbs"]:
            yield _whose_name(request)
        prepositions = known["boundary"].get(request.lemma)
        if request.denied and request.lemma == "be" and request.rest and request.rest[0].tag == "VBN":
            prepositions = known["boundary"].get(request.rest[0].lemma.lower())  # "I don't want to be asked about"
        if request.denied and prepositions is not None:
            yield _topic(request, prepositions.split(), direct=request.lemma in known["boundary_direct"])
        elif not request.denied:
            yield _left_out(request)


def _topic(request: Request, prepositions: Sequence[str], *, direct: bool) -> list[Token]:
    tokens = _unled(request.rest)
    if request.lemma == "ask" and tokens and tokens[0].low in {"how", "why", "whether", "when", "where", "if", "what"}:
        return _with_condition(tokens) if len(tokens) > 3 else []
    for n, token in enumerate(tokens[:_NEAR]):
        if token.low in prepositions:
            return _named(tokens[n + 1 :])
        if direct and (token.pos in {"NOUN", "PROPN", "PRON"} or token.low == "that"):
            break
    if not direct:
        return []
    if request.lemma == "bring":
        if not any(t.low == "up" for t in tokens):
            return []
        tokens = [t for t in tokens if t.low != "up"]
    return _named(tokens)


def _whose_name(request: Request) -> list[Token]:
    """Whose name is not to be said: "never say her name", "I don't want to hear Greg's name"."""
    tokens = [t for t in _unled(request.rest) if t.low not in {"'s", "’s"}]
    at = next((n for n, t in enumerate(tokens) if t.low == "name"), 0)
    return tokens[:at] if at and at <= _OWNER else []


def _unled(tokens: Sequence[Token]) -> list[Token]:
    """Words without those that say to whom, how often or how much."""
    kept = list(tokens)
    while kept and kept[0].low in table("directives")["idle_start"]:
        kept.pop(0)
    return kept


def _named(tokens: Sequence[Token]) -> list[Token]:
    return _with_condition(list(tokens))


def _with_condition(tokens: list[Token]) -> list[Token]:
    """A topic up to where something else begins, and "unless …" behind it."""
    head = until(tokens)
    rest = tokens[len(head) :]
    return head + until(rest) if rest and rest[0].low == "unless" else head


def _left_out(request: Request) -> list[Token]:
    """ "Leave my mother out of this", "steer clear of politics", "avoid the subject of religion"."""
    text = f"{request.lemma}{request.text}"
    for phrase in table("directives")["steer_clear"]:
        if text.startswith(f"{phrase} "):
            tokens = until(request.rest[len(phrase.split()) - 1 :])
            return [] if any(t.lemma.lower() in words("answer_word") for t in tokens) else tokens
    if request.lemma in {"leave", "keep"} and " out " in text:
        at = next(n for n, t in enumerate(request.rest) if t.low == "out")
        tail = {t.low for t in request.rest[at + 1 :] if t.low not in {"of", ".", "!", "please"}}
        return list(request.rest[:at]) if tail <= set(table("directives")["left_out_of"]) else []
    return []


def _nouns(sentence: Sentence) -> Iterator[list[Token]]:
    """ "No more jokes about my height", "enough with the questions about work"."""
    if len(sentence) > 2 and sentence[0].low == "enough" and sentence[1].low in {"about", "of"}:
        yield _named(sentence.tokens[2:])
    for token in sentence:
        noun = token.lemma.lower() in table("directives")["boundary_nouns"] and token.tag not in {"VBN", "VBD"}
        if not noun or token.index + 2 >= len(sentence):
            continue
        before = [plain(t) for t in sentence.tokens[max(token.index - 5, 0) : token.index]]
        refusing = set(table("directives")["boundary_refusing"]) & set(before)
        unwanted = "not" in before and _unwanted(set(before))
        refusing |= {"not"} if before[-2:] == ["not", "a"] else set()
        if not (refusing or unwanted) or {"have", "has", "had", "there", "is", "was", "'s"} & set(before):
            continue
        if sentence[token.index + 1].low in {"about", "of", "on", "regarding"}:
            yield _named(sentence.tokens[token.index + 2 :])


def _unwanted(before: set[str]) -> bool:
    """Whether what is denied is the wish for a noun, or that any more of it could be borne."""
    known = table("directives")
    borne = before & set(known["boundary_borne"]) and before & {"any", "another", "more"}
    return bool(borne or before & set(known["boundary_unwanted"]))


def _kinds_of_talk(sentence: Sentence, asked: Sequence[Request]) -> Iterator[list[Token]]:
    """ "No weight talk", "enough with the wedding chat", "skip the baby stuff": the topic stands before the noun."""
    known = table("directives")
    dropped = {r.verb.index for r in asked if not r.denied and r.lemma in known["dropping"]}
    for token in sentence:
        if token.lemma.lower() not in known["talk_nouns"] or _at_times(sentence.tokens[token.index + 1 :]):
            continue
        start = token.index
        while start and (sentence[start - 1].pos in {"NOUN", "PROPN"} or sentence[start - 1].tag == "VBG"):
            start -= 1
        topic = list(sentence.tokens[start : token.index])
        before = [plain(t) for t in sentence.tokens[max(start - 5, 0) : start]]
        refused = set(before) & set(known["refusing"]) or ("not" in before and {"want", "need", "like"} & {*before})
        if not topic or not (refused or dropped & {*range(max(start - 3, 0), start)}):
            continue
        if any(t.lemma.lower() in known["no_topic"] for t in topic):
            continue
        if token.lemma.lower() == "stuff" and not sore(written(topic)):
            continue  # "no strobe stuff": of things, not of talk
        yield [*_listed_before(sentence, start), *topic]


def _at_times(after: Sequence[Token]) -> bool:
    """Whether talk is only unwanted at times, or now: "no work talk on weekends"."""
    following = [t.low for t in after[:2]]
    return following != ["at", "all"] and bool(set(following[:1]) & set(table("directives")["at_times"]))


def _listed_before(sentence: Sentence, start: int) -> list[Token]:
    """What is refused in front of it in the same breath, with the word that joins them: "no calories, no weight"."""
    if start < _LISTED or [plain(t) for t in sentence.tokens[start - 2 : start]] != [",", "no"]:
        return []
    noun = sentence[start - 3]
    if plain(sentence[start - 4]) != "no" or noun.pos != "NOUN" or noun.lemma.lower() in words("answer_word"):
        return []
    return [noun, sentence[start - 2]]


def _off_limits(sentence: Sentence, found: Sequence[Clause]) -> Iterator[list[Token]]:
    text = f"{' '.join(t.low for t in sentence)} | {' '.join(map(plain, sentence))}"
    if not any(k in text for k in table("directives")["off_limits"]):
        return
    for clause in found:
        denied = any(k in text and k.startswith("not ") for k in table("directives")["off_limits"])
        if clause.verb == "be" and clause.subject is not None and clause.negated == denied:
            yield sentence.subtree(clause.subject)


def _boundary(tokens: list[Token], antecedents: Antecedents) -> list[Fact]:
    unless = next((n for n, t in enumerate(tokens) if t.low == "unless"), len(tokens))
    condition = third(topic_text(tokens[unless:]))
    topic = _topic_name(tokens[:unless], antecedents)
    own = unowned(topic)
    if nothing(own) or nothing(topic) or len(topic.split()) > _LONGEST:
        return []
    told = third(topic)
    value = third(own)
    added = Fact(
        MemoryType.BOUNDARY, sentence_of(f"does not want {told} to be brought up {condition}"), "user", "avoid_topic",
        value, weight=CORE, surface=Surface.AVOID, when="", dated="none",
    )  # fmt: skip
    suppressed = Fact(
        MemoryType.BOUNDARY, sentence_of(f"anything about {value}"), "user", "avoid_topic", value,
        operation=Operation.SUPPRESS, weight=CORE, surface=Surface.AVOID, when="", dated="none",
    )  # fmt: skip
    return [added, suppressed]


def _reopened(tokens: list[Token], antecedents: Antecedents) -> Fact | None:
    """That a topic may be brought up again."""
    topic = unowned(_topic_name(tokens, antecedents))
    value = third(topic) if " " in topic else topic
    if nothing(topic):
        return None
    return Fact(
        MemoryType.BOUNDARY, sentence_of(f"does not mind {value} being brought up again"), "user", "avoid_topic", value,
        operation=Operation.CONTRADICT, negated=True, weight=CORE, surface=Surface.SPEAK, when="", dated="none",
    )  # fmt: skip


def _topic_name(tokens: list[Token], antecedents: Antecedents) -> str:
    if len(tokens) > 1 and tokens[-1].low in {"name", "names"} and tokens[0].low in _OWNERS:
        tokens = [t for t in tokens[:-1] if t.low not in {"'s", "’s"}]  # "her name", "Laura's name"
    if tokens and antecedents.points(tokens):
        return antecedents.name(tokens)
    if tokens and tokens[0].low == "that" and len(tokens) > 2 and tokens[1].low in {"i", "we", "my"}:
        tokens = tokens[1:]
    if tokens and tokens[0].index == 0 and tokens[0].pos != "PROPN":
        tokens = [replace(tokens[0], text=tokens[0].low), *tokens[1:]]
    named = as_noun(tokens)
    return unled(trimmed(named if isinstance(named, str) else written(named)))


__all__ = ["boundaries"]
