"""Secrets as programs write them: settings, headers, JSON, options of commands, files of logins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.sensitive.values import REMARKS, code, odd, placeholder, sentence, trimmed
from memory_pipeline.domain.tables import table

_ASSIGNED = lazy(
    r"(?<![\w.-])(?P<name>[A-Za-z_À-ÿ][\w.-]*)(?P<after>\\?[\"'`\]*]{0,3})[ \t]{0,3}(?P<sep>:=|=>|->|→|⇒|=|:(?!:))"
    r"[ \t]{0,3}(?:\*\* ?)?(?P<quote>\\?[\"'“‘`«]?)(?P<secret>(?:(?![;&][\w. -]+=)[^\s\"'“”‘’`«»])+)",
)
_HEADER = lazy(r"(?:\b(?:bearer|basic|token|digest|apikey)\s+)(?P<secret>[\w.+/=~:-]{8,})", re.I)
MENTIONS = (
    "pass|pwd|pw|secret|token|key|auth|cred|cookie|sig|psk|bearer|otp|pat|puk|mnemonic|phrase|kennwort|contrase|senha|"
    "wachtw|lösen|hasło|парол|motdepasse"
)
"""Expression of what names of secrets are made of, in lower case."""

_ELEMENT = lazy(r"<(?P<name>[\w.-]+)>(?P<secret>[^<\s]{3,})</(?P=name)>")
_BEARER = lazy(r"\b(?:Bearer|Basic)\s+(?P<secret>[\w.+/=~-]{16,})")
_OPTION = lazy(r"(?<![\w-])--?(?P<name>[A-Za-z][\w-]*)(?:=|[ \t]+)(?P<quote>[\"'“]?)(?P<secret>[^\s\"'“”-][^\s\"'“”]*)")
_COMMAND_END = lazy(r"[\n|;]|&&")
_ARGUMENT = lazy(r"(?P<quote>(?P<q>[\"'])?)(?P<secret>(?(q)[^\n\"']+|[^\s\"'-][^\s\"']*))")
_PORT = lazy(r"\d{2,5}(?::\d{2,5})?(?:/\w+)?|[\d.]+:\d+:\d+")
_STATEMENTS = tuple(
    (sign, lazy(expression, re.I))
    for sign, expression in (
        ("identified", r"\bidentified\s+(?:with\s+\w+\s+)?by\s+'(?P<secret>[^'\s]{3,})'"),
        ("password", r"\b(?:encrypted\s+)?password(?:\s*=)?\s*'(?P<secret>[^'\s]{3,})'"),
        ("pass", r"\bpass(?:in|out)\s+pass:(?P<secret>\S{3,})"),
        ("machine", r"\bmachine\s+\S+\s+(?:login|account)\s+\S+\s+password\s+(?P<secret>\S+)"),
        ("login", r"\bdefault\s+login\s+\S+\s+password\s+(?P<secret>\S+)"),
        (
            ":",
            r"(?:(?<=\s)|^)(?:\*|localhost|[\w-]+(?:\.[\w-]+)+):(?:\d{3,5}|\*)"
            r":[\w*-]+:[\w*-]+:(?P<secret>[^\s:]{3,})(?![\w:])",
        ),
        (
            "echo",
            r"\becho\s+[\"']?(?:\w+:)?(?P<secret>[^\s\"'|]{4,})[\"']?\s*\|\s*(?:sudo|chpasswd|passwd|\S*login|openssl)",
        ),
        ("net user", r"\bnet\s+user\s+\S+\s+(?P<secret>[^\s/*]\S*)"),
        ("wifi:", r"\bWIFI:(?:[^;\s]*;)*P:(?P<secret>[^;\s]+);"),
    )
)
"""What stands in any text of the kind, and the expression."""

_AUTHORITY = lazy(r"[^:\s]+[:%,](?P<secret>.+)")
_WORDS = lazy(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_PATH = lazy(r"(?:~|\.{1,2})?/[\w./-]*|[\w./\\-]+\.(?:pem|key|txt|json|ya?ml|env|crt|cer|p12|pfx|gpg|py|js|ts)")


_STATED = lazy("|".join(sign for sign, _ in _STATEMENTS if sign != ":"))


def begins_statement(folded: str) -> bool:
    """Whether a text in lower case holds the beginning of a statement that has a password in it."""
    return _STATED.search(folded) is not None


def assigned(text: str) -> Iterator[tuple[int, int]]:
    """Values of settings, headers and members of objects whose name says that they are secret, in one line."""
    for match in _ASSIGNED.finditer(text):
        kind = _kind(match["name"])
        if kind:
            yield from _value(match, text, kind)
    for match in _ELEMENT.finditer(text) if "</" in text else ():
        if _kind(match["name"]) == "secret" and not _stands_in(match["secret"]):
            yield match.span("secret")
    for match in _BEARER.finditer(text):
        if odd(match["secret"]):
            yield match.span("secret")


def statement_passwords(text: str) -> Iterator[tuple[int, int]]:
    """Passwords in statements of databases and in the files that programs keep logins in, in one line."""
    for sign, expression in _STATEMENTS:
        if sign in text or sign.upper() in text:
            for match in expression.finditer(text):
                if not _stands_in(match["secret"]):
                    yield match.span("secret")


def options(text: str) -> Iterator[tuple[int, int]]:
    """Passwords in the options of commands, in one line."""
    for match in _OPTION.finditer(text):
        if _kind(match["name"]) == "secret" and not _stands_in(match["secret"]):
            yield trimmed(text, *match.span("secret"), match["quote"])
    for match in _command().finditer(text):
        yield from _of_command(text, match.end(), _commands()[match.group()])


def _of_command(text: str, at: int, known: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """The values of a command's options that take a password, each as the command has it."""
    rest = _COMMAND_END.search(text, at)
    end = rest.start() if rest else len(text)
    for option in known:
        found = lazy(rf"(?<=\s){re.escape(option.rstrip(':+'))}(?P<gap>[ =]*)").search(text, at, end)
        value = _ARGUMENT.match(text, found.end(), end) if found else None
        if found is None or value is None or bool(found["gap"]) == option.endswith("+"):
            continue  # "mysql -p orders" asks for the password and names the database
        first, last = trimmed(text, *value.span("secret"), value["quote"])
        if option.endswith(":"):
            pair = _AUTHORITY.fullmatch(text, first, last)
            first = pair.start("secret") if pair else last
        if first < last and not _stands_in(text[first:last]) and not _PORT.fullmatch(text, first, last):
            yield first, last


def _value(match: re.Match[str], text: str, kind: str) -> Iterator[tuple[int, int]]:
    quote = match["quote"].removeprefix("\\")
    start, end = trimmed(text, *match.span("secret"), quote)
    value = text[start:end].rstrip("\\")
    end = start + len(value)
    if kind == "cookie":
        if match["sep"] == ":" and "=" in text[start : _line_end(text, start)]:
            yield start, _line_end(text, start)
        return
    scheme = _HEADER.match(text, start)
    if scheme is not None and value.casefold() in ("bearer", "basic", "token", "digest", "apikey"):
        if odd(scheme["secret"]) and not placeholder(scheme["secret"]):
            yield scheme.span("secret")
        return
    if len(value) < 3 or _stands_in(value) or value.casefold() in REMARKS:
        return
    if kind == "encoded":
        if len(value) >= 16 and re.fullmatch(r"[\w+/=-]+", value) and odd(value):
            yield start, end
        return
    if sentence(value):
        return
    tight = not match.group()[len(match["name"]) :].startswith((" ", "\t")) and match["sep"] == "="
    if quote and match["after"] or quote and len(value) >= 4 or tight and _named_in_capitals(match["name"]):
        if not (_PLAIN.fullmatch(value) and _kind(value)) and (
            odd(value) or not match["name"].casefold().endswith(("token", "key"))
        ):
            yield start, end
    elif odd(value) and not code(value) and not _names_itself(value):
        yield start, end


_PLAIN = lazy(r"[A-Za-z_.-]+")


def _names_itself(value: str) -> bool:
    """Whether a value is a name of the kind that a secret is assigned to: ``squareAccessToken``, ``new-password``."""
    return _PLAIN.fullmatch(value) is not None and _kind(value) != ""


def _stands_in(value: str) -> bool:
    return placeholder(value) or _PATH.fullmatch(value) is not None


def _line_end(text: str, at: int) -> int:
    end = lazy(r"[^\n\"']*").match(text, at)
    return at if end is None else end.end()


def _named_in_capitals(name: str) -> bool:
    return "_" in name and name.upper() == name or name.isupper()


@lru_cache(maxsize=4096)
def _kind(name: str) -> str:
    """What a name says of its value: "secret", "encoded", "cookie", or nothing."""
    parts = [p.casefold() for p in _WORDS.findall(name)]
    if not parts:
        return ""
    about, secret = wordset_of("about"), wordset_of("secret")
    if parts[-1] in about:
        return ""
    for n in range(1, min(len(parts), 4) + 1):
        tail = "".join(parts[-n:])
        if tail in secret:
            return "secret"
        if tail in wordset_of("encoded"):
            return "encoded"
        if tail in wordset_of("cookies"):
            return "cookie"
    whole = "".join(parts)
    if any(whole.endswith(word) for word in ("password", "passwd", "secretkey", "apikey", "accesstoken")):
        return "secret"
    if _named_in_capitals(name) and about.isdisjoint(parts) and not wordset_of("parts").isdisjoint(parts):
        return "secret"
    return ""


def wordset_of(key: str) -> frozenset[str]:
    """The words of one entry of the table of names."""
    return _names()[key]


@lru_cache(maxsize=1)
def _names() -> dict[str, frozenset[str]]:
    return {key: frozenset(str(text).split()) for key, text in table("secrets")["names"].items()}


@lru_cache(maxsize=1)
def _command() -> re.Pattern[str]:
    return lazy(rf"(?<![\w-])(?:{'|'.join(map(re.escape, _commands()))})(?=[ \t])")


@lru_cache(maxsize=1)
def _commands() -> dict[str, tuple[str, ...]]:
    return {command: tuple(options.split()) for command, options in table("secrets")["commands"].items()}
