"""Keys and tokens by their formats, passwords and PINs by the words around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_pipeline.domain.text import STOPWORDS

_LONG = re.compile(r"\S{15}")
# How keys begin: looking for these costs a tenth of the expression that knows how they go on.
_KEYS_BEGIN = """
sk- sk_ pk- pk_ rk- rk_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xoxa- xoxb- xoxe- xoxp- xoxr- xoxs- xapp- AKIA ASIA
AROA AIza ya29. GOCSPX- eyJ npm_ pypi- hf_ dop_v1_ whsec_ SG. key- shpat_ shpca_ shppa_ shpss_ lin_api_ :AA
"""
_BEGINNINGS = tuple(_KEYS_BEGIN.split())
_FORMATS = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:sk|pk|rk)[-_](?=[\w-]*\d)[\w-]{16,}"  # OpenAI, Anthropic, Stripe
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
    r"|xox[abeprs]-[\w-]{10,}|xapp-[\w-]{10,}"
    r"|A(?:KIA|SIA|ROA)[0-9A-Z]{16}\b|AIza[\w-]{30,}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}"
    r"|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{5,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}"  # JSON web tokens
    r"|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{40,}|hf_[A-Za-z0-9]{20,}|dop_v1_[0-9a-f]{32,}|whsec_[A-Za-z0-9+/=]{16,}"
    r"|SG\.[\w-]{16,}\.[\w-]{16,}|key-[0-9a-f]{32}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|lin_api_\w{20,}"
    r"|\d{8,10}:AA[\w-]{30,}"  # Telegram bots
    r")"
)
_URL_LOGIN = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s:/@]+:(?P<secret>[^\s@/]{3,})@", re.I)
_BLOCK = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:.*?-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|.*)", re.S
)

# Words for a secret, in the languages whose users are likely; the value beside them must look like one.
_WORDS = (
    r"pass ?words?|pass ?code|pass ?phrase|passwd|pwd|pin(?:[ -]?(?:code|number))?|cvv2?|cvc2?|security code|(?:api|"
    r"secret|private|access|encryption|licen[cs]e|client|signing|recovery|master)[ _-]?(?:key|token|secret|code)|"
    r"(?:auth|bearer|access|refresh|session|personal access)[ _-]?token|token|secret|passwort|kennwort|mot de passe|"
    r"contraseñas?|la clave|senha|wachtwoord|lösenord|hasło|пароль|パスワード|暗証番号|密码|密碼|비밀번호"
)
_MENTION_PARTS = """
pass pwd pin cvv cvc key token secret kennwort contrase clave senha wachtw lösen hasło пароль パスワ 暗証 密 비밀
phrase mnemonic seed
"""
_MENTIONS = ("y code", "r code", *_MENTION_PARTS.split())
_VALUE = r"(?P<quote>[\"'“‘`«]?)(?P<secret>[^\s\"'“”‘’`«»]{3,})"
_LINK = (
    r"(?:\s*[:=：]\s*|\s+(?:is|was|are|to|ist|lautet|est|es|é|is nu|är|to jest|это)\s+(?:now |still |just |set to |"
    r"currently |jetzt )?(?:[:=] ?)?|\s*(?:は|是|는|은)\s*)"
)
_SAID = re.compile(
    rf"(?<![\w-])(?P<word>{_WORDS})(?P<of>(?:\s+(?:for|to|of|on|at|für|pour|para|"
    rf"del?)\s+(?:\S+\s+){{0,3}}?\S+)?)(?P<link>{_LINK}){_VALUE}",
    re.I,
)
_SAID_AFTER = re.compile(
    rf"(?P<quote>[\"'“‘`«]?)(?P<secret>[^\s\"'“”‘’`«»]{{4,}})[\"'”’`»]?,? (?:is|was) (?:my|our|the|his|her|"
    rf"their) (?:\S+ ){{0,2}}?(?:{_WORDS})\b",
    re.I,
)
_CODE_BESIDE = re.compile(
    r"\b(?:pin|cvv2?|cvc2?|pass ?code|security code)\b\W{0,3}(?P<secret>\d{3,8})\b(?! ?[%€$£°])(?! (?:digit|number|"
    r"character|char|letter|people|time|day|hour|minute|week|year|euro|dollar|message|post|task)s?\b)",
    re.I,
)
_WORD_BESIDE = re.compile(
    r"\b(?:pass ?word|pass ?phrase|passwd|pwd|passwort|kennwort) +(?P<quote>)(?P<secret>[^\s\"'“”‘’`«»]{4,})", re.I
)
_PHRASE = re.compile(
    r"\bpass ?phrase(?: is| was|:) (?P<secret>(?:[a-z]{3,} ){2,7}[a-z]{3,})(?=\s*(?:[.,;!?\n]|$))", re.I
)
_SEED = re.compile(
    r"\b(?:seed|recovery|mnemonic|secret|backup)[ -]?(?:phrase|"
    r"words)?\b[^:\n]{0,20}[:=]\s*(?P<secret>(?:[a-z]{3,8}[ ,]+){11,23}[a-z]{3,8})\b",
    re.I,
)
# A plain word after "password is" that says something about it, not the password itself.
_REMARKS = """
a an the my your our his her their its this that these those not no never always too very so really quite pretty in on
at under over with without for from by of stored saved kept written hidden required needed mandatory optional expired
wrong correct incorrect invalid valid missing empty weak strong safe unsafe secure insecure long short same different
unique complex simple easy hard good bad fine okay ok lost gone known unknown ready due important enough only also
just already still now here there what where when how why who something anything nothing somewhere someone
protected encrypted hashed salted visible public private secret personal sensitive confidential temporary default
reset changed rotated compromised leaked stolen shared sent back forgotten remembered
null none true false undefined string text str bool int number value field
"""
_BENIGN = frozenset(_REMARKS.split())
_COUNTED = re.compile(
    r"\s*(?:[a-z-]+ )?(?:digits?|characters?|chars|letters?|words?|days?|weeks?|months?|years?|times?|"
    r"minutes?|hours?|bits?|attempts?|of|per|a)\b",
    re.I,
)
_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`", "«": "»"}
_ENDINGS = ("ed", "ing", "able", "ible", "ful", "less", "ous", "ive", "ly", "er", "ment", "tion", "ity", "ness")


def mentioned(text: str) -> bool:
    """Whether a text names a kind of secret at all: a cheap look before the dear one."""
    folded = text.casefold()
    return any(word in folded for word in _MENTIONS)


def keys(text: str) -> Iterator[tuple[int, int]]:
    """Private key blocks, tokens of well-known formats, and passwords inside URLs."""
    if "-----BEGIN" in text:
        for match in _BLOCK.finditer(text):
            yield match.span()
    if _LONG.search(text) and any(beginning in text for beginning in _BEGINNINGS):
        for match in _FORMATS.finditer(text):
            yield match.span()
    if "://" in text:
        for match in _URL_LOGIN.finditer(text):
            yield match.span("secret")


def passwords(text: str) -> Iterator[tuple[int, int]]:
    """Values that are said to be a password, a PIN, a token or a seed phrase."""
    for match in _SEED.finditer(text):
        yield match.span("secret")
    for match in _CODE_BESIDE.finditer(text):
        yield match.span("secret")
    for match in _PHRASE.finditer(text):
        if STOPWORDS.isdisjoint(match["secret"].casefold().split()):
            yield match.span("secret")
    for match in _SAID.finditer(text):
        if _is_value(match, text):
            yield _trimmed(match, text)
    for match in _WORD_BESIDE.finditer(text):
        start, end = _trimmed(match, text)
        if _odd(text[start:end]) and not text[start:end].isdigit():
            yield start, end
    for match in _SAID_AFTER.finditer(text):
        if _odd(match["secret"]) or match["quote"]:
            yield _trimmed(match, text)


def _trimmed(match: re.Match[str], text: str) -> tuple[int, int]:
    """The value without the punctuation after it; all that stands in the quotation marks when there are any."""
    start, end = match.span("secret")
    closing = text.find(_CLOSING.get(match["quote"], "\n"), start, start + 80)
    if match["quote"] and closing > start:
        return start, closing
    while end > start + 1 and text[end - 1] in ".,;:!?)。、":
        end -= 1
    return start, end


def _is_value(match: re.Match[str], text: str) -> bool:
    """Whether what follows "the password is" is a password and no remark about one."""
    start, end = _trimmed(match, text)
    value, word, link = text[start:end], match["word"].casefold(), match["link"].strip().casefold()
    if value.startswith("[withheld") or _COUNTED.match(text, end) and value.isdigit():
        return False
    if re.fullmatch(r"(?:[<\[{(*_.•&-]|x{3,}).*|\$\w+|\$?\{.*|(?:os|process|config|settings|env)\.\S+", value, re.I):
        return False  # a placeholder or a variable
    if word.startswith("pin") and not match["quote"]:
        return re.fullmatch(r"\d{3,8}", value) is not None
    if word in ("secret", "token", "la clave") or word.endswith("code"):
        return _odd(value) and len(value) >= 4
    if _odd(value) or match["quote"]:
        return True
    folded = value.casefold()
    if folded in _BENIGN or not value.isalpha() or not value.isascii():
        return False
    if link in (":", "=", "："):
        return value.islower() and not folded.endswith(_ENDINGS) and _ends(text, end)
    if not word.startswith(("pass", "pwd")) or match["of"] and " " in match["of"].strip() and link == "to":
        return False
    return len(value) >= 4 and link == "is" and not folded.endswith(_ENDINGS) and _ends(text, end)


def _odd(value: str) -> bool:
    """Whether a value looks made up: a digit with letters or many digits, a symbol inside, capitals in the middle."""
    if re.fullmatch(r"[\d.,:/-]+", value):
        return re.fullmatch(r"\d{4,}", value) is not None
    if re.fullmatch(r"(?:https?://|www\.).*|[\w.]+@[\w.]+|\d+(?:st|nd|rd|th|s|k|%)?|v\d[\d.]*", value, re.I):
        return False
    inside = value.strip(".,;:!?()")
    return bool(
        re.search(r"\d", inside)
        and re.search(r"[^\W\d_]", inside)
        or re.search(r"[^\w\s'’./,-]", inside)
        or re.search(r"[a-z][A-Z]", inside)
        or re.search(r"\w_\w", inside)
    )


def _ends(text: str, at: int) -> bool:
    """Whether a clause ends here: "my password is swordfish." and not "my password is too long"."""
    return re.match(r"\s*(?:[.,;!?)\n]|$|(?:and|but|so|for|on|und|et|y)\b)", text[at:], re.I) is not None
