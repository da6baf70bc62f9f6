"""Text that is aimed at the memory or the assistant instead of saying something of the user (KN-33).

A user may well give instructions ("always answer in French", "call me Max"): those are memories. What is recognised
here would change what the memory stores, who the assistant takes somebody for, or which rules it obeys.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from functools import lru_cache

from memory_pipeline.domain.gate.rules.directives import OTHER_SCRIPTS, THEMES
from memory_pipeline.domain.patterns import lazy

# Letters that look like a Latin one, each before it.
_PAIRS = (
    "аa вb еe кk мm нh оo рp сc тt уy хx ѕs іi јj ԁd ԛq ԝw һh ӏl ѵv гr "
    "αa βb εe ηn ιi κk νv οo ρp τt υu χx ωw ɑa ɡg ıi łl øo đd"
)
_LOOKALIKES = str.maketrans({pair[0]: pair[1] for pair in _PAIRS.split()})
_SPACED = lazy(r"\b(?:\w[ .*_-]){4,}\w\b")
_SQUEEZED = lazy(
    r"(?:ignore|disregard|forget|override)(?:all|any|the|your)*(?:previous|prior|above|earlier|system)|systemprompt"
    r"|(?:previous|prior|earlier)(?:instructions|rules|prompts)"
)
_DIGIT_LETTERS = str.maketrans("013457@$", "oieastas")
_DISGUISING = lazy(r"[013457@$]")
_MIXED = lazy(r"[a-z][013457@$]+[a-z]|\b[013457@$][a-z]{2}")
_LEAST_RUN = 24
_RUN = lazy(rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{_LEAST_RUN},}}={{0,2}}")
_HIDDEN = lazy("[\U000e0020-\U000e007e]{2,}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}|[\u202d\u202e]")
_FLAG = lazy("\U0001f3f4[\U000e0061-\U000e007a]{2,6}\U000e007f")


@lru_cache(maxsize=8192)
def directive(text: str, max_blob: int) -> str:
    """What a text that is aimed at the memory or the assistant does, "" when it is not.

    Invisible characters, compatibility forms, look-alike letters, s p a c e d and l33t spelling are undone first.

    Args:
        max_blob: length from which on an unbroken encoded run is refused whatever it says.
    """
    if not text.isascii():
        if _HIDDEN.search(_FLAG.sub("", text)):
            return "holds hidden text"
        if OTHER_SCRIPTS.search(unicodedata.normalize("NFKC", text).casefold()):
            return "overrides earlier instructions"
    plain = unmasked(text)
    found = _theme(plain)
    if not found and _SPACED.search(plain):
        closed = _SPACED.sub(lambda m: re.sub(r"[ .*_-]", "", m.group()), plain)
        found = _theme(closed) or (_SQUEEZED.search(closed) and "overrides earlier instructions") or ""
    if not found and _DISGUISING.search(plain) and _MIXED.search(plain):
        found = _theme(plain.translate(_DIGIT_LETTERS))
    return found or _encoded(text, max_blob)


def unmasked(text: str) -> str:
    """The text in lower-case Latin letters as far as its letters look like them, without what cannot be seen."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).replace("’", "'")
    text = "".join(c for c in text if unicodedata.category(c) != "Cf").casefold()
    text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return text.translate(_LOOKALIKES)


def _theme(plain: str) -> str:
    for theme in THEMES:
        for word in theme.words:
            if word in plain:
                if theme.pattern.search(plain):
                    return theme.does
                break
    return ""


def _encoded(text: str, max_blob: int) -> str:
    """Encoded runs: too long to be anything a person would be remembered by, or an instruction once decoded."""
    if max(map(len, text.split()), default=0) < _LEAST_RUN:
        return ""
    for match in _RUN.finditer(text):
        run = match.group()
        before = text[max(match.start() - 200, 0) : match.start()].rsplit(maxsplit=1)
        if "://" in (before[-1] if before and not text[match.start() - 1 : match.start()].isspace() else ""):
            continue
        if len(run) >= max_blob and re.search(r"[A-Z]", run) and re.search(r"[a-z]", run) and re.search(r"\d", run):
            return "holds an encoded blob"
        if _theme(unmasked(_decoded(run))):
            return "holds an encoded instruction"
    return ""


def _decoded(run: str) -> str:
    """What a run of base64 or hexadecimal digits says, "" when it is no text."""
    try:
        if re.fullmatch(r"(?:[0-9a-fA-F]{2})+", run):
            data = bytes.fromhex(run)
        else:
            data = base64.b64decode(
                run.rstrip("=").replace("-", "+").replace("_", "/") + "=" * (-len(run.rstrip("=")) % 4)
            )
        text = data.decode("utf-8")
    except ValueError:
        return ""
    return text if text.isprintable() else ""
