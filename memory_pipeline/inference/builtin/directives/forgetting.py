"""What the assistant should forget, or not keep: "delete the note about my address", "don't remember my number"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType, Operation, Surface
from memory_pipeline.inference.builtin.directives.requests import Request
from memory_pipeline.inference.builtin.directives.wording import (
    as_noun,
    nothing,
    sentence_of,
    trimmed,
    unled,
    unowned,
    until,
)
from memory_pipeline.inference.builtin.facts.fact import FIRM, Fact, closing
from memory_pipeline.language.pleas import given_up
from memory_pipeline.language.syntax import Token, written
from memory_pipeline.language.vocabulary import table
from memory_pipeline.language.wording.rewrite import third

_LEADING = frozenset({"about", "that", "the", "fact", "please", "everything", "anything", "all"})
_AFTER_THAT = frozenset({"fact", "that", "i", "we", "my"})


def forgetting(asked: Sequence[Request]) -> list[Fact]:
    """What the requests ask to forget; nothing where it is not named ("forget it").

    A plan that is given up ("forget the solar panels, the roof is too weak") is no longer open, and is not forgotten.
    """
    dropped = given_up(written(asked[0].sentence.tokens)) if asked else None
    if dropped is not None:
        return [closing(f"No longer plans {third(dropped)}.", negated=True)]
    return [fact for request in asked if _forgets(request) and (fact := _forgotten(request)) is not None]


def _forgets(request: Request) -> bool:
    known = table("directives")
    lead = {t.low for t in request.sentence.tokens[request.start : request.verb.index]}
    if request.mine or lead & {"let", "lets"}:
        return False  # "let's forget about the fight" is not asked of the assistant alone
    if request.lemma in known["forget"] and not request.denied:
        return request.lemma not in known["forget_memory"] or bool(_memory().search(request.text))
    first = request.rest[0] if request.rest else None
    moving = first is not None and (first.tag == "VBG" or first.low in {"me", "to", "it"})
    return request.lemma in known["keep"] and request.denied and not moving


@cache
def _memory() -> re.Pattern[str]:
    """What shows that something is to be deleted from memory, rather than from a text."""
    return lazy(r"\b(?:" + "|".join(table("directives")["memory"]) + r")\b")


def _forgotten(request: Request) -> Fact | None:
    tokens = until(_without_where(request.rest))
    text = _plain_topic(tokens)
    topic = unowned(unled(trimmed(text)))
    passing = topic.split(" ")[-1].lower().rstrip("s") in table("directives")["of_this_chat"]
    if passing or nothing(topic) or re.match(r"(?:to|how|why) ", topic):
        return None
    told = third(topic)
    return Fact(
        MemoryType.PROFILE_FACT, sentence_of(f"anything about {told}"), "user", value=told,
        operation=Operation.FORGET, weight=FIRM, surface=Surface.AVOID, when="", dated="none",
    )  # fmt: skip


def _without_where(tokens: Sequence[Token]) -> list[Token]:
    """Without "from your memory", which says where, not what."""
    low = [t.low for t in tokens]
    places = set(table("directives")["memory_place"])
    for n, word in enumerate(low[:-1]):
        if word in {"from", "in", "out"} and places & set(low[n : n + 4]):
            return list(tokens[:n])
    return list(tokens)


def _plain_topic(tokens: list[Token]) -> str:
    """What is to be forgotten, without how it came up: "that I'm learning Korean" → "learning Korean"."""
    while tokens and tokens[0].low in _LEADING and not _states(tokens):
        if tokens[0].low in {"that", "the"} and (len(tokens) < 2 or tokens[1].low not in _AFTER_THAT):
            break
        tokens = tokens[1:]
    if tokens and tokens[0].low == "that":
        tokens = tokens[1:]
    if _told().match(written(tokens)):
        text = written(tokens)
    else:
        named = as_noun(tokens)
        text = named if isinstance(named, str) else written(named)
    return re.sub(r"^(?:a|an) ", "", _told().sub(" ", text).strip(" ,."))


def _states(tokens: list[Token]) -> bool:
    """Whether a word is followed by what the writer says of himself: "that I live in Rome"."""
    own = len(tokens) > 2 and tokens[1].low in {"i", "we"}
    return own and _told().match(written(tokens[1:])) is None


@cache
def _told() -> re.Pattern[str]:
    """ "What I told you about", "that we mentioned yesterday": how the thing came up."""
    verbs = "|".join(table("directives")["told"])
    when = "|".join(table("directives")["told_when"])
    return lazy(
        rf"[ ,]*\b(?:that |which |what |whatever )?(?:i|we)(?: have|'ve|’ve| just|'d| ever| once| even)* (?:{verbs})"
        rf"(?: (?:to |with )?you)?(?: (?:{when}))*(?: about| that)?(?: (?:{when}))*\b[ ,]*",
        re.I,
    )


__all__ = ["forgetting"]
