"""What somebody orders without a verb: "Chore rota for 4 people", "A toast, 90 seconds, warm", "500 words max"."""

from __future__ import annotations

import re

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.syntax import Sentence, Token
from memory_pipeline.language.vocabulary import medicine, occupation, relations, words

_FINITE = frozenset({"VBD", "VBP", "VBZ", "MD"})
_MINE = frozenset({"i", "my", "me", "mine", "we", "our", "us", "ours", "myself", "im", "i'm"})
_LIMIT = lazy(r"\b(?:max(?:imum)?|at most|tops)[ .!]*$|^(?:no more than|at most|max(?:imum)?|under|up to) \d", re.I)
_PLEASE = frozenset({"please", "pls", "plz", "pretty-please"})
_OF = frozenset({"for", "about", "on", "of", "to"})


def ordered(sentence: Sentence, text: str) -> bool:
    """Whether a sentence without a verb orders something, or says how long and in what manner it is to be.

    What has a verb of its own, or speaks of its writer, states something.
    """
    said = [t for t in sentence if t.pos not in {"PUNCT", "SPACE"}]
    if not said or any(t.low in _MINE for t in said):
        return False
    if _LIMIT.search(text) and not any(t.pos == "AUX" for t in said):  # "3 runs": read as a verb
        return True
    if any(_finite(sentence, t) for t in said):
        return False
    return any(t.low in _PLEASE for t in said) or _in_a_manner(text) or _thing(sentence, said)


def _finite(sentence: Sentence, token: Token) -> bool:
    """Whether a word is a verb that states; of a relative clause it only describes: "salads that keep"."""
    if token.tag not in _FINITE:
        return False
    return not any(t.dep == "relcl" for t in (token, *sentence.ancestors(token)))


def _in_a_manner(text: str) -> bool:
    """Whether it ends with how it is to be: "…, short and funny", "…, go"."""
    *rest, last = re.split(r"[,;–—-]\s+", text.strip(" .!"))
    said = [word for word in re.findall(r"[\w'-]+", last.lower()) if word not in {"and", "but", "or"}]
    return bool(rest and said) and all(word in words("manner_of_order") for word in said)


def _thing(sentence: Sentence, said: list[Token]) -> bool:
    """Whether its first noun phrase names something to be made, for somebody or about something."""
    start = 1 if said[0].low in {"a", "an", "some"} else 0
    nouns = [t for t in said[start:] if t.pos in {"NOUN", "PROPN"}]
    if not nouns or said[0].low in words("definite"):
        return False
    head = nouns[0]
    while (after := _after(sentence, head)) is not None and after.pos in {"NOUN", "PROPN"}:
        head = after
    before = sentence.tokens[: head.index]
    if any(t.low in _OF | {",", "and"} or t.tag == "VBG" for t in before):  # "going freelance for two clients"
        return False
    after = _after(sentence, head)
    if {head.low, head.lemma.lower()} & words("ordered"):
        return after is None or not after.text.isalnum() or after.low in _OF | {"that", "with", "in"}
    return after is not None and after.low == "for" and not _of_somebody(head) and _for_whom(sentence, after)


def _after(sentence: Sentence, token: Token) -> Token | None:
    rest = [t for t in sentence.tokens[token.index + 1 :] if t.pos != "SPACE"]
    return rest[0] if rest and rest[0].low not in {".", "!"} else None


def _of_somebody(head: Token) -> bool:
    """Whether a noun tells what somebody is, has or takes: "nurse for ten years", "insulin for the diabetes"."""
    kinds = words("condition") | words("diet") | words("reaction") | words("body") | words("occasion") | words("seen")
    word = {head.low, head.lemma.lower()}
    return bool(word & kinds) or medicine(head.low) or bool(occupation(head.low)) or not word.isdisjoint(relations())


def _for_whom(sentence: Sentence, token: Token) -> bool:
    """Whether "for" tells for how many or for what, not for how long."""
    behind = [t for t in sentence.tokens[token.index + 1 :]][:5]
    timed = any(t.kind in {"DATE", "TIME"} or t.lemma.lower() in {"year", "month", "week", "day"} for t in behind[:3])
    return bool(behind) and not timed and behind[0].low not in {"now", "ever", "the"}
