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
_AND_ME = lazy(r"(?:^|(?<=, )|(?<=\band ))me (?:and|&|\+|n) (?=(?:my|our|the) |[A-Z])", re.I)
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
# "At my sister's in Derby": her place, of which no "is" is left out.
_OF_SOMEBODY = lazy(
    r"\b(?P<where>(?:at|to|from|near|round|over) (?:my|our|his|her|their) (?:[a-z]+ )?[a-z]+'s)"
    r"(?P<behind> (?=(?:in|near|on)\b))?",
    re.I,
)
# "Sister's a lawyer": before an article nobody is whose it is.
_SOMEBODY_IS = lazy(
    r"\b(?P<who>(?!(?:it|that|what|here|there|he|she|who|let|where|how|when|why|this|one|name)\b)[a-z]{3,})'s "
    r"(?=(?:an?|the|my|our) (?!.*'s )[a-z])",
    re.I,
)
_HAS_BEEN = lazy(r"(?<=\w)'s been\b", re.I)
# "240 as of this month"
_AS_OF = lazy(r"\bas of (?=(?:this|last) (?:week|month|year|spring|summer|autumn|winter)\b|today\b)", re.I)
# "We had to let Dusty go", "had to give up the allotment": it was done.
_HAD_TO = lazy(r"(?<=\b)(?P<who>(?:i|we)(?:'ve| have)? |^)had to (?P<verb>[a-z]+)\b(?! (?:be|have)\b)", re.I)
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
# "My eldest starts school": of several children.
_OF_CHILDREN = lazy(
    r"\b(?P<whose>my|our) (?P<which>eldest|oldest|youngest|middle|little|older|younger)(?: (?:one|kid))?"
    r"(?= (?:is|was|has|had|will|can|starts?|started|goes|went|wants?|needs?|just|turns?|turned|plays?|loves?|hates?|"
    r"gets?|got|moved|does|did|lives?|works?|and)\b|'s |[,.]|$)",
    re.I,
)
_WORD = lazy(r"(?<![\w'])[A-Za-z']+(?![\w'])")  # "N3" is no "n", and "Iván" no "Ivá" and "n"
_SPOKEN = frozenset({"IM", "IVE", "U", "R"})  # in capitals; "W 65th" and "N" are no words
# "I PASSED", "adopted a RABBIT": loud, and no name.
_SHOUTED = lazy(r"\b(?P<before>I|[Ww]e|[Mm]y|[Aa]n?|so) (?P<loud>[A-Z]{5,})\b")
_LOUD = lazy(
    r"\b(?:HATE|NEVER|ALWAYS|REALLY|CANNOT|CAN'T|ONLY|NEED|WANT|MUST|NOT|VERY|HAVE|DON'T|WON'T|NO|ALL|EVERY|AND|BUT|"
    r"FINALLY|PLEASE|JUST|ALSO|STILL|AM|WAS|OFF|ON|MY|THE|TOO|GOT|BIG|NEW|AGAIN|NOW|TODAY)\b(?=[ ,.!?]|$)"
)
_THIS_IS = lazy(
    r"^(?:(?:[Hh]i|[Hh]ello|[Hh]ey)[ ,!.]+)?[Tt]his is (?P<name>[A-ZÀ-Þ][\w'-]+),? "
    r"(?=(?:(?:and )?I(?:'m| am)|here|aged?)\b)"
)
_EQUALS = lazy(r"(?<=[a-z]) = (?=\w)")
# What is only said in passing, between or before commas.
_PASSING = lazy(
    r"(?<=\w{3}),?\s+(?:by the way|btw|mind you|before (?:you|u) ask|in case you(?: a|')re wondering|if you must know|"
    r"to be fair|to be honest|believe it or not)"
    r"(?=, (?:since|for|from|in|at|on|with|near|until|as)\b|\.|$)",
    re.I,
)
_BE_TO = lazy(r"\b(?P<who>I|we)(?:'m| am|'re| are) to (?=(?!the\b|be\b|blame\b|my\b|our\b|a\b)[a-z]{3,} )")
_SPACE = lazy(r"\s+")


def spelled(text: str) -> str:
    """Plain spelling, single-spaced: straight quotes, no emoji, chat words in full."""
    text = _EMOJI.sub(" ", text.translate(_QUOTES))
    text = _SPACE.sub(" ", text).strip()
    text = _LOUD.sub(lambda m: m.group().lower(), text)
    text = _SHOUTED.sub(lambda m: f"{m['before']} {m['loud'].lower()}", text)
    text = _THIS_IS.sub(r"My name is \g<name>, ", text)
    text = _EQUALS.sub(" is ", text)
    text = _PASSING.sub("", text)
    text = _BE_TO.sub(r"\g<who> have to ", text)
    text = _NO_LONGER.sub(r"\1 not \2 anymore", text)
    text = _NAME_IS.sub("name is", text)
    text = _NO_NEED.sub("I don't need to ", text)
    text = _AND_ME.sub("I and ", text)
    text = _TOGETHER.sub(lambda m: f"I and {m.group(1)} ", text)
    text = _HAVE_GOT.sub(lambda m: f"{m['have']} have " if m["have"] else f"{m['has']} has ", text)
    text = _GOT_TO.sub(lambda m: "I have to " if m.start() == 0 else " have to ", text)
    text = _ITS.sub("it's ", text)
    text = _ill().sub("I'll", text)
    text = _id().sub("I'd", text)
    text = _OF_SOMEBODY.sub(lambda m: f"{m['where']} place " if m["behind"] else m.group(), text)
    places = {m.end("where") for m in _OF_SOMEBODY.finditer(text)}
    text = _short_is().sub(lambda m: m.group() if m.start() + len("'s") in places else " is ", text)
    text = _SOMEBODY_IS.sub(r"\g<who> is ", text)
    text = _HAS_BEEN.sub(" has been ", text)
    text = _HAD_TO.sub(_did, text)
    text = _AS_OF.sub("since ", text)
    text = _DONE_WITH.sub("I finished ", text)
    text = _UNPARTED.sub(r"\g<led>, ", text)
    text = _OF_CHILDREN.sub(r"\g<whose> \g<which> child", text)
    text = _TURNED.sub(r"\1 years old \2", text)
    phrases = table("repair")["phrase"]
    text = _phrases().sub(lambda m: str(phrases[m.group().lower()]), text)
    return _WORD.sub(_in_full, text).strip()


def _did(hit: re.Match[str]) -> str:
    """What somebody had to give up, as given up; what else one had to do may not have been done."""
    done = table("repair")["had_to"].get(hit["verb"].lower())
    who = re.sub(r"'ve|have", "", hit["who"]).strip() or "I"
    return f"{who} {done}" if done else hit.group()


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
    alone = r"[a-z]{3,}ed(?: (?:now|today|again|yesterday|up|off|out|in|already))?(?=$|[,.;!?)]| and\b| but\b)"
    return lazy(rf"(?<=\w)'s (?=(?:(?:{alternatives('after_short_is')})\b|[£€$]?\d|{alone}))", re.I)


@cache
def _phrases() -> re.Pattern[str]:
    return lazy(rf"(?<![\w-])(?:{alternatives('phrase')})(?![\w-])", re.I)


def _in_full(match: re.Match[str]) -> str:
    """A chat word in full; words in capitals are names and abbreviations, and stay."""
    word = match.group()
    if word.isupper() and word not in _SPOKEN:
        return word
    return str(table("repair")["word"].get(word.lower(), word))
