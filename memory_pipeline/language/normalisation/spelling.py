"""Chat spelling written out in full: straight quotes, no emoji, "im" → "I am", "bike's fixed" → "bike is fixed"."""

from __future__ import annotations

import re
from functools import cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.vocabulary import table, words

_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "\u00a0": " ", "\u202f": " "})
_EMOJI = lazy(
    "[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d\u2b50\u2b06\u2190-\u21ff]+"
    r"|(?<!\S)(?::['-]?[)(DPpO/|]+|;-?\)|<3|xD|\^\^)(?!\w)"
)
# The parser reads "I'm not vegan anymore" and "I and Paula broke up", but neither the other way.
_NO_LONGER = lazy(r"(\b(?:am|is|are|was|were)|'m|'s|'re) no longer ([^.,;!?]+)", re.I)
_NAME_IS = lazy(r"\bname's\b", re.I)
_NO_NEED = lazy(r"^no need to (?=\w)", re.I)
_TOGETHER = lazy(r"^((?:my|our) [\w-]+(?: [A-Z][\w'’-]+)?|[A-Z][\w'’-]+) and (?:I|me) (?=\w)")
# "turned 10 yesterday" would be ten o'clock.
_TURNED = lazy(r"\b(turn(?:s|ed|ing)? \d{1,3}) (yesterday|today|tomorrow|last|on|this|next|in)\b", re.I)
# "I've got a job" is no past.
_HAVE_GOT = lazy(
    r"\b(?:(?P<have>I|we|you|they)(?:'ve| have)|(?P<has>he|she|it|[A-Z][a-z]+)(?:'s| has)) got (?=(?:an?|the|my|our|"
    r"some|no|any|one|two|three|four|five|six|several|both|another|lots|plenty|\d+|"
    rf"{'|'.join(sorted(words('condition')))})\b)",
    re.I,
)
# "Got to ring the bank", "I've to mow the lawn": a duty.
_GOT_TO = lazy(r"^got to (?=[a-z])|\b(?<=I)'ve to (?=[a-z])", re.I)
_HAS_BEEN = lazy(r"(?<=\w)'s been\b", re.I)
# "Done with the novel."
_DONE_WITH = lazy(r"^(?:(?:i'm|i am) )?(?:all |finally )?(?:done|through) with ", re.I)
# "Its apixaban now."
_ITS = lazy(r"\bits (?=(?:an? )?[a-z]+ (?:now|instead)\b)", re.I)
# "If I eat cashews my throat closes up": without its comma the parser takes what follows for a part of the condition.
_UNPARTED = lazy(
    r"^(?P<led>(?:if|whenever|when|every time|each time|as soon as|once) i(?:'m)? "
    r"(?:(?!(?:that|which|who|and|or|if)\b)[\w'-]+ ){1,6}?"
    r"(?:(?!(?:my|our|the|an?|near|at|in|on|to|with|of|for|from|and|or|as|than|about|am|like|that|if|when)\b)[\w'-]+)) "
    r"(?=(?:my (?:\w+ ){1,2}?\w+s|i \w+)\b)",
    re.I,
)
_WORD = lazy(r"(?<![A-Za-z'])[A-Za-z']+(?![A-Za-z'\d])")  # "N3" is no "n"
_SPACE = lazy(r"\s+")


def spelled(text: str) -> str:
    """Plain spelling, single-spaced: straight quotes, no emoji, chat words in full."""
    text = _EMOJI.sub(" ", text.translate(_QUOTES))
    text = _SPACE.sub(" ", text).strip()
    text = _NO_LONGER.sub(r"\1 not \2 anymore", text)
    text = _NAME_IS.sub("name is", text)
    text = _NO_NEED.sub("I don't need to ", text)
    text = _TOGETHER.sub(lambda m: f"I and {m.group(1)} ", text)
    text = _HAVE_GOT.sub(lambda m: f"{m['have']} have " if m["have"] else f"{m['has']} has ", text)
    text = _GOT_TO.sub(lambda m: "I have to " if m.start() == 0 else " have to ", text)
    text = _ITS.sub("it's ", text)
    text = _ill().sub("I'll", text)
    text = _id().sub("I'd", text)
    text = _short_is().sub(" is ", text)
    text = _HAS_BEEN.sub(" has been ", text)
    text = _DONE_WITH.sub("I finished ", text)
    text = _UNPARTED.sub(r"\g<led>, ", text)
    text = _TURNED.sub(r"\1 years old \2", text)
    phrases = table("repair")["phrase"]
    text = _phrases().sub(lambda m: str(phrases[m.group().lower()]), text)
    return _WORD.sub(_in_full, text).strip()


def alternatives(name: str) -> str:
    """The words or phrases of a list of the repair table as a regular expression, longest first."""
    return "|".join(map(re.escape, sorted(table("repair")[name], key=len, reverse=True)))


@cache
def _ill() -> re.Pattern[str]:
    """ "ill call them": "ill" before a verb lost its apostrophe."""
    return lazy(rf"\bill(?= (?:{alternatives('after_ill')})\b)", re.I)


@cache
def _id() -> re.Pattern[str]:
    """ "i said id help": "id" before a verb lost its apostrophe."""
    return lazy(rf"\bid(?= (?:{alternatives('after_ill')}|help|love|like|rather|prefer|want)\b)", re.I)


@cache
def _short_is() -> re.Pattern[str]:
    """ "bike's fixed": before these the parser would see whose it is."""
    return lazy(rf"(?<=\w)'s (?=(?:(?:{alternatives('after_short_is')})\b|[£€$]?\d))", re.I)


@cache
def _phrases() -> re.Pattern[str]:
    return lazy(rf"(?<![\w-])(?:{alternatives('phrase')})(?![\w-])", re.I)


def _in_full(match: re.Match[str]) -> str:
    """A chat word in full; words in capitals are names and abbreviations, and stay."""
    word = match.group()
    if word.isupper() and len(word) > 1 and word not in {"IM", "IVE"}:
        return word
    return str(table("repair")["word"].get(word.lower(), word))
