"""Passwords and tokens by the words that people put around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.sensitive.values import REMARKS, code, odd, placeholder, sentence, trimmed
from memory_pipeline.domain.text import STOPWORDS

# Words for a secret, in the languages whose users are likely; the value beside them must look like one.
_WORDS = (
    r"pass ?words?|pass ?code|pass ?phrase|passwd|pwd|pin(?:[ -]?(?:code|number))?|cvv2?|cvc2?|security code|(?:api|"
    r"secret|private|access|encryption|licen[cs]e|client|signing|recovery|master)[ _-]?(?:key|token|secret|code)|"
    r"(?:auth|bearer|access|refresh|session|personal access)[ _-]?token|token|secret|passwort|kennwort|mot de passe|"
    r"contraseñas?|la clave|pw|(?:wpa\d?|wi-?fi|wlan|network)[ -]?key|senha|wachtwoord|lösenord|hasło|"
    r"пароль|パスワード|暗証番号|密码|密碼|비밀번호"
)
_MENTION_PARTS = """
pass pwd pin cvv cvc key token secret kennwort contrase clave senha wachtw lösen hasło пароль パスワ 暗証 密 비밀
phrase mnemonic seed
"""
_MENTIONS = ("y code", "r code", "pw", "login", "cred", "sign-in", "zugangsdaten", *_MENTION_PARTS.split())
MENTIONS = "|".join(_MENTIONS)
"""Expression of what stands in any text that names a kind of secret, in lower case."""

_VALUE = r"(?P<quote>[\"'“‘`«]?)(?P<secret>[^\s\"'“”‘’`«»]{3,})"
_LINK = (
    r"(?:\s*(?:[:=：→⇒]|[-=]>|--|\s[-–—]\s)\s*|\s+(?:is|was|are|to|ist|lautet|est|es|é|is nu|är|to jest|это)"
    r"\s+(?:now |still |just |set to |"
    r"currently |jetzt )?(?:[:=] ?)?|['’]s\s+|\s*(?:は|是|는|은)\s*)"
)
_SAID = lazy(
    rf"(?<!\w)(?P<word>{_WORDS})(?P<of>(?:\s+(?:for|to|of|on|at|für|pour|para|"
    rf"del?)\s+(?:\S+\s+){{0,3}}?\S+)?)(?P<link>{_LINK}){_VALUE}",
    re.I,
)
_SAID_AFTER = lazy(
    rf"(?P<quote>[\"'“‘`«]?)(?P<secret>[^\s\"'“”‘’`«»]{{4,}})[\"'”’`»]?,? (?:is|was|as) (?:my|our|the|his|her|"
    rf"their|a) (?:\S+ ){{0,2}}?(?:{_WORDS})\b",
    re.I,
)
_WORD_BESIDE = lazy(
    r"\b(?:pass ?word|pass ?phrase|passwd|pwd|passwort|kennwort) +(?P<quote>)(?P<secret>[^\s\"'“”‘’`«»]{4,})", re.I
)
_KEY_BESIDE = lazy(
    r"\b(?:(?:api|access|secret|private|auth)[ _-]?(?:key|token)|token|secret)\s+"
    r"(?P<secret>(?=[\w.+/=-]*\d)(?=[\w.+/=-]*[a-z])[\w.+/=-]{16,})",
    re.I,
)
_PHRASE = lazy(
    r"\bpass ?(?:phrase|word)(?: is| was|:| =) (?P<secret>(?:[a-z]{3,} ){2,7}[a-z]{3,})(?=\s*(?:[.,;!?\n]|$))", re.I
)
_LOGIN = lazy(
    r"\b(?:cred(?:ential)?s?|log[ -]?ins?|sign[ -]?in|account|zugangsdaten|user(?:name)?|benutzer(?:name)?)\b"
    r"[^\n:/|]{0,25}?(?:[:=]|\bis\b|\bare\b|\bwith\b)?\s+[\"'`]?(?P<user>[\w.@+-]{2,})[\"'`]?(?:\s?[:/|"
    r"]\s?|\s?,\s?(?:pw|pass)\w*\W{1,3})"
    r"(?P<quote>[\"'`]?)(?P<secret>[^\s\"'`]{4,})",
    re.I,
)
_BELOW = lazy(
    r"(?<![\w-])(?:pass ?words?|pass ?code|pass ?phrase|passwd|pwd|pw|pin|api[ _-]?key|(?:access |secret |"
    r"auth )?(?:token|key)|secret|"
    r"passwort|kennwort|contraseña|senha|mot de passe)\b(?P<rest>[^\n]{0,30}?)(?P<link>[:=]?)"
    r"[ \t*]*\n+[ \t>*\"']*`?(?P<secret>[^\s\"'`]{4,})[ \t*\"'`]*(?=\n|$)",
    re.I,
)
_COUNTED = lazy(
    r"\s*(?:[a-z-]+ )?(?:digits?|characters?|chars|letters?|words?|days?|weeks?|months?|years?|times?|"
    r"minutes?|hours?|bits?|attempts?|of|per|a)\b",
    re.I,
)
_MADE_UP = lazy(r"\d|[^\w\s.,;:!?()'’/*-]|\w[!?]\w")
_ENDINGS = ("ed", "ing", "able", "ible", "ful", "less", "ous", "ive", "ly", "er", "ment", "tion", "ity", "ness")


def passwords(text: str) -> Iterator[tuple[int, int]]:
    """Values that are said to be a password or a token, in one line."""
    for match in _PHRASE.finditer(text):
        if STOPWORDS.isdisjoint(match["secret"].casefold().split()):
            yield match.span("secret")
    for match in _SAID.finditer(text):
        if _is_value(match, text):
            yield trimmed(text, *match.span("secret"), match["quote"])
    for match in _WORD_BESIDE.finditer(text):
        start, end = trimmed(text, *match.span("secret"), match["quote"])
        if odd(text[start:end]) and not text[start:end].isdigit():
            yield start, end
    for match in _KEY_BESIDE.finditer(text):
        if not placeholder(match["secret"]) and not code(match["secret"]):
            yield match.span("secret")
    for match in _LOGIN.finditer(text):
        start, end = trimmed(text, *match.span("secret"), match["quote"])
        if _MADE_UP.search(text[start:end]) and odd(text[start:end]) and not placeholder(text[start:end]):
            yield start, end
    for match in _SAID_AFTER.finditer(text):
        if odd(match["secret"]) or match["quote"]:
            yield trimmed(text, *match.span("secret"), match["quote"])


def below(text: str) -> Iterator[tuple[int, int]]:
    """Values that stand alone on the line under "password:"."""
    for match in _BELOW.finditer(text):
        value = match["secret"]
        if (
            placeholder(value)
            or code(value)
            or value.startswith(("```", "|"))
            or value.endswith(":")
            or value.casefold() in REMARKS
        ):
            continue
        if (
            odd(value)
            and (_MADE_UP.search(value) or match["link"])
            or match["link"]
            and not match["rest"].strip()
            and value.islower()
        ):
            yield match.span("secret")


def _is_value(match: re.Match[str], text: str) -> bool:
    """Whether what follows "the password is" is a password and no remark about one."""
    start, end = trimmed(text, *match.span("secret"), match["quote"])
    value, word, link = text[start:end], match["word"].casefold(), match["link"].strip().casefold()
    if _COUNTED.match(text, end) and value.isdigit():
        return False
    if placeholder(value) or not match["quote"] and code(value) and not _MADE_UP.search(value):
        return False
    if word.startswith("pin") and not match["quote"]:
        return re.fullmatch(r"\d{3,8}", value) is not None
    if word in ("secret", "token", "la clave") or word.endswith("code"):
        return odd(value) and len(value) >= 4
    if match["quote"]:
        return not sentence(value)
    if odd(value):
        return True
    folded = value.casefold()
    if folded in REMARKS or not value.isalpha() or not value.isascii():
        return False
    if link in (":", "=", "："):
        return value.islower() and not folded.endswith(_ENDINGS) and _ends(text, end)
    if not word.startswith(("pass", "pwd")) or match["of"] and " " in match["of"].strip() and link == "to":
        return False
    return len(value) >= 4 and link == "is" and not folded.endswith(_ENDINGS) and _ends(text, end)


def _ends(text: str, at: int) -> bool:
    """Whether a clause ends here: "my password is swordfish." and not "my password is too long"."""
    return re.match(r"\s*(?:[.,;!?)\n]|$|(?:and|but|so|for|on|und|et|y)\b)", text[at:], re.I) is not None
