"""Where a value ends: a place, a name, a noun phrase cut out of the rest of a clause; lists taken apart."""

from __future__ import annotations

import re

from memory_pipeline.inference.builtin.lexicon import NOT_NAMES, wordset
from memory_pipeline.inference.builtin.masking import GAP
from memory_pipeline.inference.builtin.verbs import FORMS, Kind, gerund

# Where a noun phrase stops: what follows explains, dates or qualifies it.
_STOP = re.compile(
    r"""\s*(?:[;:()]|\s[-–—]\s|,\s(?!(?:[\w'’&+#.-]+\s){0,3}[\w'’&+#.-]+(?:,|\s+(?:and|or|&)\s)|(?:[\w'’&+#.-]+\s)?[\w'’&+#.-]+$|(?:and|or)\s)
    |\b(?:because|since|although|though|while|when|whenever|if|unless|so|but|which|who|whom|where|that|after|before|until|
        even|instead|rather|despite|except|thanks\sto|due\sto|along\swith|in\sorder|by\sthe\sway|for\s(?:it|fun|that|this)\b|as\s(?:in|it|they|i|we|a|an|my|well|much|long)|
        and\s(?:i|we|my|our|it|he|she|they|that|this|also|then|now|so|have|am|is|would|will|can|just|really|love|like|hate|enjoy)\b
        |(?:right\s)?now\b|at\sthe\smoment|these\sdays|nowadays|lately|recently|currently|any\s?more|any\slonger|at\sall|after\sall|
        for\s(?:about|over|almost|nearly|around|the\s(?:past|last|time)|many|several|years|months|a\s(?:while|few|couple|long|year|month|living)|\d+|now|ages|me|my|us|our)\b|
        very\smuch|so\smuch|a\slot|a\sbit|the\smost|too\smuch|as\sof|every\s\w+|each\s\w+|once|twice|three\stimes|a\scouple|again|already|
        myself|ourselves|together|with\s(?:my|our|me|him|her|them|a\sfriend|friends)|from\stime|whether|how|what|why|like\s(?:it|this|that)|
        more\sthan|than|especially|mostly|mainly|particularly|usually|sometimes|often|always|all\sthe\stime|just\s|not\s|
        and\sso|in\smy|on\smy|at\smy|to\smy|of\scourse|though|yet|either|please|though|anyway|i\s(?:am|have|do|was|think|guess))(?:\b|(?<=\s))).*""",
    re.I | re.X | re.S,
)
_PLACE_STOP = re.compile(
    r"\s+(?:with|and|for|near|by|at|on|from|to|as|is|was|has|since|right|just|because|area|full|during|doing|"
    r"working|studying|again|but|so|where|which|now|,)\b.*|[;:(].*",
    re.I,
)
_ENDS = re.compile(r"(?:\s+(?:for|to|with|of|in|on|at|and|or|by|from|about|as|into|a|the|my|is|are))+$", re.I)
_ARTICLE = re.compile(
    r"^(?:both|this|these|those|a (?:little|bit of)|an?|the|some|my|our|any|basic|fluent|lots\sof|all\skinds\sof|"
    r"a\slot\sof|many|several)\s+",
    re.I,
)
_SPLIT = re.compile(r"\s*,\s*(?:and\s+|or\s+|&\s*)?|\s+(?:and|or|&|as well as|nor)\s+", re.I)
_TOGETHER = re.compile(
    r"\b(?:rock (?:and|&|n) roll|mac (?:and|&) cheese|salt and vinegar|bed and breakfast|fish and chips|"
    r"peanut butter and jelly|gin and tonic|"
    r"dungeons (?:and|&) dragons|d&d|research and development|r&b|drum and bass|cookies and cream|"
    r"black and white|arts and crafts|"
    r"bread and butter|pros and cons|rest and relaxation|milk and honey|trial and error|cut and paste|back and forth|"
    r"war and peace|pride and prejudice|simon (?:and|&) garfunkel|johnson & johnson|at&t|h&m)\b",
    re.I,
)
_ADJECTIVE = re.compile(
    r"\w+(?:[^aeiou]y|ful|ous|ive|al|ic|ish|less|able|ed|ible)|warm|cold|hot|sweet|old|new|big|small|soft|dark|"
    r"light|bold|fresh|strong|simple|good|quiet|long|short|slow|fast",
    re.I,
)
_NAME = re.compile(
    r"[A-Z][\w'’.-]*(?:\s+(?:(?:de|da|di|del|la|le|van|von|der|den|bin|al|el|of|the|y|"
    r"&)\s+)*[A-Z0-9][\w'’.&-]*){0,5}"
)
_EMPTY = wordset(
    """
    it to that this them those these you him her everything something anything nothing one ones some more way
    things thing stuff lot much me us all both there here so and the a an my your what how why when others each
    other same
    """
)


def place(text: str) -> str | None:
    """A place at the start of a text: capitalised words, or up to three words of plain writing."""
    text = text.strip(" ,.!")
    if text.lower().startswith("the ") and not text[4:5].isupper():
        return noun(text)
    hit = _NAME.match(text.removeprefix("the ").removeprefix("The "))
    if hit and hit.group().lower() not in NOT_NAMES:
        found = hit.group()
        after = text[text.find(found) + len(found) :]
        region = re.match(rf",\s+({_NAME.pattern})", after)
        return found + (f", {region.group(1)}" if region and region.group(1).lower() not in NOT_NAMES else "")
    found = _PLACE_STOP.sub("", _STOP.sub("", text)).strip(" ,.")
    words = found.split()
    if not words or len(words) > 4 or words[0].lower() in _EMPTY or GAP in found:
        return None
    return found


def organisation(text: str) -> str | None:
    """An employer at the start of a text: a name, or "a small startup" up to where it lies or what it does."""
    text = text.strip(" ,.!")
    if text.lower().startswith(("a ", "an ")):
        found = re.sub(
            r" (?:in|near|on|outside|around|called|named|doing|making|that) .*", "", _STOP.sub("", text), flags=re.I
        )
        return found if 1 < len(found.split()) <= 6 and GAP not in found else None
    return place(text)


def activity(text: str) -> str | None:
    """Something done or had: a noun phrase, "to paint and read" turned to "painting and reading"."""
    text = text.strip()
    if not text.lower().startswith("to "):
        return noun(text)
    found = noun(text[3:])
    if found is None:
        return None
    words = found.split()
    for n, word in enumerate(words):
        known = FORMS.get(word.lower())
        if (
            known
            and Kind.BASE in known.kind
            and (n == 0 or words[n - 1].strip(",") in {"and", "or"} or words[n - 1].endswith(","))
        ):
            comma = "," * word.endswith(",")
            words[n] = gerund(word.lower().strip(",")) + comma
    return " ".join(words)


def name(text: str) -> str | None:
    """A proper name at the start of a text, quotes removed; lower-case single words pass where nothing else follows."""
    text = text.strip(" ,.!\"'")
    hit = _NAME.match(text)
    if hit and hit.group().split()[0].lower() not in NOT_NAMES:
        return hit.group().strip("\"'.,")
    return text if text.isalpha() and text.lower() not in NOT_NAMES and len(text) > 1 else None


def noun(text: str, words: int = 8) -> str | None:
    """A noun phrase at the start of a text without its article, or None when nothing of substance is there."""
    found = _STOP.sub("", " " + text.strip()).strip(" ,.!?\"'")
    bare = _ENDS.sub("", _ARTICLE.sub("", found).replace('"', "").strip(" '"))
    parts = bare.split()
    if not parts or len(parts) > words or GAP in bare:
        return None
    if parts[0].lower() in _EMPTY or (len(parts) == 1 and len(bare) < 2 and not bare.isupper() and not bare.isdigit()):
        return None
    return bare


def phrase(text: str) -> str | None:
    """All of a text but its final punctuation; None where something of it is not the user's own words."""
    found = text.strip(" ,.!?\"'")
    return found if found and GAP not in found else None


def items(text: str, words: int = 5) -> list[str]:
    """The members of a list ("tea, coffee and milk"), or the whole as one where a member would be too long."""
    if _TOGETHER.search(text):
        return [text]
    parts = [p.strip(" ,.\"'") for p in _SPLIT.split(text)]
    parts = [_ARTICLE.sub("", p) for p in parts if p]
    if any(len(p.split()) > words or p.lower() in _EMPTY for p in parts):
        return [text]
    if len(parts) == 2 and _ADJECTIVE.fullmatch(parts[0]) and " " in parts[1]:
        return [text]
    return list(dict.fromkeys(parts))
