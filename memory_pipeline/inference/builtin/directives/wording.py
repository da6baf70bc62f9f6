"""How a directive is worded: where what it names ends, and the writer's own words as a noun phrase."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.syntax import Token, written
from memory_pipeline.language.vocabulary import table, words
from memory_pipeline.language.wording.inflection import gerund

_QUOTES = '"“”'
_OWN = lazy(r"^(?:my|our|the|their|his|her|that|this|those|these)\s+", re.I)
_BE = frozenset({"am", "'m", "’m", "was", "were", "are", "'re", "’re"})
_HAVE = frozenset({"have", "had", "'ve", "’ve", "got", "own", "keep"})


def until(tokens: Sequence[Token], stops: Collection[str] = ()) -> list[Token]:
    """The words up to where something else begins: a condition, a reason, a question tag.

    Args:
        stops: the words that begin something else, where they are not the usual ones.
    """
    stops = stops or table("directives")["topic_stop"]
    for n, token in enumerate(tokens):
        following = tokens[n + 1] if n + 1 < len(tokens) else token
        goes_on = token.low == "and" and following.tag == "VB"  # "… and move on"
        if n and (token.low in stops or goes_on or token.low == "-" and token.space):
            return list(tokens[:n])
        if token.text == "," and not _listed(tokens[n + 1 :]):
            return list(tokens[:n])
    return list(tokens)


def _listed(after: Sequence[Token]) -> bool:
    """Whether what follows a comma goes on with a list: "politics, religion or sports"."""
    part = until([t for t in after if t.text != ","]) if after else []
    joined = any(t.low in {"or", "and", "nor"} for t in part)
    return joined and len(part) <= 7 and not any(t.pos in {"VERB", "AUX"} or t.dep == "nsubj" for t in part)


def topic_text(tokens: Sequence[Token]) -> str:
    """Words as the name of a topic: without "again", "please", "from now on" at their end."""
    return trimmed(written(list(tokens)))


def trimmed(text: str) -> str:
    """A phrase without what says only how long, how often or to whom at its end."""
    text = text.strip(" ,.:;!?")
    while (cut := _ends().sub("", text).strip(" ,.!")) != text:
        text = cut
    quoted = text[:1] in _QUOTES and text[-1:] in _QUOTES
    return text.strip(_QUOTES) if quoted or sum(text.count(q) for q in _QUOTES) % 2 else text


@cache
def _ends() -> re.Pattern[str]:
    listed = sorted(table("directives")["idle_end"], key=len, reverse=True)
    return lazy(r"(?:^|[ ,]+)(?:" + "|".join(re.escape(e) for e in listed) + r")$", re.I)


def unled(text: str) -> str:
    """A topic without the words that only say that it is one: "the topic of", "everything I told you about"."""
    while (hit := _leads().match(text)) is not None:
        text = text[hit.end() :]
    return text


@cache
def _leads() -> re.Pattern[str]:
    return lazy(r"(?:" + "|".join(table("directives")["topic_lead"]) + r")\s+(?=\S)", re.I)


def unowned(text: str) -> str:
    """A noun phrase without its possessive or article."""
    return _OWN.sub("", text)


def nothing(text: str) -> bool:
    """Whether a phrase names nothing by itself: "it", "that one", "everything"."""
    left = [w for w in re.findall(r"[\w'-]+", text.lower()) if w not in {"the", "a", "one", "thing", "all", "any"}]
    return not left or all(w in words("deictic") | {"me", "you", "us", "what", "him", "her", "i", "we"} for w in left)


def as_noun(tokens: Sequence[Token]) -> list[Token] | str:
    """What the writer states of himself as a noun phrase: "I'm learning Korean" → "learning Korean"."""
    if not tokens or tokens[0].low not in {"i", "we"} or len(tokens) < 3:
        return list(tokens)
    at = 1
    while at < len(tokens) - 1 and tokens[at].dep in {"advmod", "neg"}:
        at += 1
    verb, rest = tokens[at], list(tokens[at + 1 :])
    following = tokens[at + 1] if rest else verb
    if verb.low in _BE:
        if following.tag == "VBG":
            return rest
        return f"being {written(rest)}"
    if verb.low in _HAVE:
        if following.tag in {"VBN", "VBD"} and verb.low not in {"got", "own", "keep"} and following.low not in {"got"}:
            return f"having {written(rest)}"
        return rest[1:] if following.low == "got" else rest
    return f"{gerund(verb.lemma.lower())} {written(rest)}"


def sentence_of(text: str) -> str:
    """Capitalised, single-spaced, with a full stop; "" of nothing."""
    text = " ".join(text.split()).strip(" ,;:-").rstrip(".!?").replace(" ,", ",")
    return text[:1].upper() + text[1:] + "." if text else ""


__all__ = ["as_noun", "nothing", "sentence_of", "topic_text", "trimmed", "unled", "unowned", "until"]
