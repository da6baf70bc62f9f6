"""Chat spelling to plain spelling: straight quotes, no emoji, contractions in full. The words stay in order."""

from __future__ import annotations

import re

EMOJI = "\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d\u2b50\u2b06\u2190-\u21ff"
_EMOJI = re.compile(f"[{EMOJI}]+|(?<!\\S)(?::['-]?[)(DPpO/|]+|;-?\\)|<3|xD|\\^\\^)(?!\\w)")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "\u00a0": " ", "\u202f": " "})
_FULL = {
    "i'm": "I am",
    "im": "I am",
    "i've": "I have",
    "ive": "I have",
    "i'll": "I will",
    "i'd": "I would",
    "can't": "can not",
    "cannot": "can not",
    "cant": "can not",
    "won't": "will not",
    "wont": "will not",
    "shan't": "shall not",
    "ain't": "am not",
    "aint": "am not",
    "let's": "let us",
    "lets": "let us",
    "gonna": "going to",
    "wanna": "want to",
    "gotta": "have to",
    "hafta": "have to",
    "gimme": "give me",
    "lemme": "let me",
    "kinda": "kind of",
    "sorta": "sort of",
    "dunno": "do not know",
    "pls": "please",
    "plz": "please",
    "bday": "birthday",
    "tmrw": "tomorrow",
    "tmr": "tomorrow",
    "yrs": "years",
    "i": "I",
}
_SMALL = {"u": "you", "ur": "your"}  # in capitals they are names
_PRONOUNS = "he|she|it|that|there|who|what|here|where|how|everything|everyone|someone|this|name"
_TOKEN = re.compile(
    rf"""(?P<verb>\b(?:do|does|did|is|are|was|were|have|has|had|could|would|should|must|need))n'?t\b
    |\b(?P<who>you|we|they|he|she|it|that|there|who|what)'(?P<aux>ve|re|ll|d)\b
    |\b(?P<is>{_PRONOUNS})'s\b
    |(?<=\w)(?P<noun>'s)(?=\ (?:an?|my|our|not|in|at|from|called|named|allergic|married|based|
        visiting|coming|getting|moving|turning|\d+|\w+ing\ (?:to|for|at|in|with|her|his|the|an?))\b)""",
    re.I | re.X,
)
_AUX = {"ve": "have", "re": "are", "ll": "will", "d": "would"}
_HAD = re.compile(r"\b(I|we|you|he|she|they) would (been|had|gone|seen|done|better)\b")


def _expand(hit: re.Match[str]) -> str:
    kind = hit.lastgroup
    if kind == "verb":
        return f"{hit.group('verb')} not"
    if kind == "aux":
        return f"{hit.group('who')} {_AUX[hit.group('aux').lower()]}"
    return f"{hit.group('is')} is" if kind == "is" else " is"


def plain(text: str) -> str:
    """A clause in plain spelling, single-spaced and without emoji: "I’m vegan 🌱" → "I am vegan"."""
    text = text.translate(_QUOTES)
    if not text.isascii() or ":" in text or ";" in text or "<" in text or "^" in text or "xD" in text:
        text = _EMOJI.sub(" ", text)
    text = " ".join(_word(w) for w in text.split())
    if "'" in text or "nt" in text:
        text = _TOKEN.sub(_expand, text)
    if " would " in text:
        text = _HAD.sub(r"\1 had \2", text)
    return text


def _word(word: str) -> str:
    """A word in full, what stands around it kept: "i'm," → "I am,"."""
    if len(word) > 9:
        return word
    core = word.strip(',.!?;:"()…')
    full = _FULL.get(core.lower()) or _SMALL.get(core)
    return word.replace(core, full, 1) if full else word
