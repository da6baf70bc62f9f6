"""Letters and mails by their layout: header lines, a salutation, a body, a sign-off with a name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.standing.tables import any_word, folded, row, words

_HEADER = lazy(r"^[ \t]*(?:from|to|subject|date|sent|cc|bcc|reply-to|fwd?|fw|re|betreff)[ \t]*:[ \t]*\S", re.M)
_FORWARD = lazy(r"^[ \t]*(?:-{2,} ?(?:original|forwarded) message|begin forwarded message|on [^\n]{5,80} wrote:)", re.M)
_GREETING = lazy(
    r"(?P<dear>dear|to whom it may concern)\b(?P<whom>[^\n.!?:,]{0,50})[,:!.]?"
    r"|(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening|day)|greetings)\b(?P<name>[^\n.!?:,]{0,40})[,!:.]?"
)
_GREETED_INSIDE = lazy(r"(?<=[.!?:] )(?:Dear|Hi|Hello|Hey) (?:[A-Z][\w.’'-]*[ ]?){1,3}[,!] ")
_GREETED_LINE = lazy(r"^[ \t>]*(?:dear|hi|hello|hey|hiya)\b[^\n.!?:]{1,40}[,!][ \t]*$", re.M)
_SELF_ADDRESS = lazy(r" ?(?:me|god|lord|oh|diary|heart)\b")
_SIGNED = lazy(
    rf"(?:^|(?<=[.!?)] )|(?<=\n))[ \t—–-]*(?P<formula>{any_word('signoff')})(?:[,!.][ \t]*|[ \t]+|$)"
    r"(?P<name>(?:[^\W\d_][\w.’-]*[ \t]?){0,5})[.!xX]*[ \t]*$",
    re.M,
)
_NAME = lazy(r"[ \t—–-]*[A-Z][\w.’'-]*(?: (?:[A-Z][\w.’'-]*|von|van|de|da|&|and)){0,4}[ \t]*$")
_PS = lazy(r"[ \t]*p\.?s\.?\b", re.I)
_FORMAL = lazy(r"regards|sincerely|yours|cordially|faithfully|respectfully|best wishes|^love|^x+$|^xo|hugs|kisses")


def letters(text: str) -> Iterator[tuple[int, int]]:
    """The places of letters in a message: from the header or the salutation to the name they are signed with.

    A greeting that opens the message and names nobody greets whoever reads, and begins no letter by itself. A message
    that is a letter as a whole is the user's own where it is addressed to the assistant.
    """
    low = folded(text)
    if _to_assistant(low):
        return
    place = 0
    for start in _beginnings(text, low):
        if start < place:
            continue
        end = _end(text, low, start)
        yield start, end
        place = end
    if place == 0:
        yield from _only_signed(text, low)
    for greeting in _GREETED_INSIDE.finditer(text):
        if greeting.start() >= place and not (
            set(low[greeting.start() : greeting.end() - 2].split()) & words("machine")
        ):
            place = text.find("\n", greeting.end())
            place = len(text) if place < 0 else place
            yield greeting.start(), place


def _beginnings(text: str, low: str) -> Iterator[int]:
    start, blank, first = 0, True, True
    for line in text.split("\n"):
        shown = low[start : start + len(line)]
        bare = shown.strip()
        if bare and (_forwarded(low, start, shown) or _salutes(line, shown, blank and not first, first, text, start)):
            yield start + len(shown) - len(shown.lstrip())
        if bare:
            first = False
        blank = not bare
        start += len(line) + 1


def _forwarded(low: str, start: int, shown: str) -> bool:
    if _FORWARD.match(shown):
        return True
    if not _HEADER.match(shown):
        return False
    after = low[start + len(shown) + 1 : start + len(shown) + 400]
    headed = len(_HEADER.findall(after.split("\n\n")[0])) >= 1
    return headed or (shown.lstrip().startswith(("subject", "fwd", "fw:", "re:")) and bool(after.strip()))


def _salutes(line: str, shown: str, opens_later: bool, first: bool, text: str, start: int) -> bool:
    lead = len(shown) - len(shown.lstrip())
    greeting = _GREETING.match(shown, lead)
    if not greeting:
        return False
    named = (greeting.group("whom") or greeting.group("name") or "").strip()
    alone = not shown[greeting.end() :].strip()
    follows = bool(text[start + len(line) :].strip())
    if greeting.group("dear"):
        if _SELF_ADDRESS.match(greeting.group("whom")) or named in words("machine"):
            return False
        return (alone and follows) or shown[greeting.end() - 1] in ",:"
    if opens_later:
        return bool(shown[greeting.end() :].strip()) or follows
    if not alone or not follows:
        return False
    return not first or (named not in words("machine") and bool(named) and shown[greeting.end() - 1] == ",")


def signature(text: str) -> tuple[int, int, int] | None:
    """Where a message that runs over several lines is signed at its end: start of sign-off, name's start and end."""
    if "\n" not in text.strip():
        return None
    low = folded(text)
    for signed in _SIGNED.finditer(low):
        if text[: signed.start()].rstrip(" \t")[-1:] != "\n":
            continue
        start, end = signed.span("name")
        if not text[start:end].strip():
            start = len(text) - len(text[signed.end() :].lstrip())
            end = len(text.rstrip())
            if not _NAME.fullmatch(text, start, end):
                continue
        shown = text[start:end].strip()
        ends = not text[end:].strip(" .!xX\n")
        if ends and shown[:1].isupper() and len(shown.split()) <= 4 and shown.lower() not in words("machine"):
            return signed.start(), start, start + len(text[start:end].rstrip())
    return None


def _to_assistant(low: str) -> bool:
    """Whether the whole message is a letter to whoever answers here, in the manner of people who write letters.

    It greets the assistant or nobody in particular, or is only signed; it hands over no text, and is about no
    application, order or tenancy. Where it opens like a letter to an authority, it has to ask for help or to say how it
    wants to be answered.
    """
    opening, _, rest = low.strip().partition("\n")
    greeting = _GREETING.match(opening)
    signs = (_HEADER, _FORWARD, _GREETED_LINE, row("business"), row("hands_over"))
    if any(sign.search(rest if greeting else low) for sign in signs):
        return False
    if not greeting:
        return bool(row("to_reader").search(low)) and not row("to_partner").search(low)
    whom = (greeting.group("whom") or greeting.group("name") or "").strip(" ()")
    if whom and whom in words("machine"):
        return True
    if greeting.group("dear"):
        anybody = greeting.group("dear") != "dear" or row("anybody").fullmatch(whom)
        return bool(anybody) and bool(row("to_reader").search(rest))
    return not whom and not row("to_partner").search(low)


def _end(text: str, low: str, start: int) -> int:
    """Behind the name of the first sign-off, or where the user speaks again, or the end."""
    signed = _SIGNED.search(low, start)
    while signed and not _named(text, signed):
        signed = _SIGNED.search(low, signed.end() + 1)
    if signed:
        return _behind(text, signed.end("name") if signed.group("name").strip() else signed.end())
    place = low.find("\n", start)
    while 0 <= place < len(text):
        end = low.find("\n", place + 1)
        end = len(text) if end < 0 else end
        if _NAME.match(text, place + 1, end) and len(text[place + 1 : end].split()) <= 3:
            return end
        if row("resume").search(low[place + 1 : min(end, place + 120)].strip()):
            return place
        place = end
    return len(text)


def _named(text: str, signed: re.Match[str]) -> bool:
    """Signed with a name, in the same line or the next; a formal formula alone in its line will do."""
    name = text[signed.start("name") : signed.end("name")].strip()
    if name:
        return name[:1].isupper() and len(name.split()) <= 4
    following = text[signed.end() :].lstrip("\n").split("\n")[0]
    return bool(_NAME.match(following)) or bool(_FORMAL.search(signed.group("formula")))


def _behind(text: str, end: int) -> int:
    """Past name lines and a postscript right below."""
    for _ in range(2):
        following = lazy(r"\n+[^\n]*").match(text, end)
        if not following:
            break
        shown = following.group().strip("\n")
        if _PS.match(shown) or (_NAME.match(shown) and len(shown.split()) <= 4):
            end = following.end()
        else:
            break
    return end


def _only_signed(text: str, low: str) -> Iterator[tuple[int, int]]:
    """A text without salutation that is signed formally with a name: a letter, from where its lines begin."""
    for signed in _SIGNED.finditer(low):
        name = text[signed.start("name") : signed.end("name")].strip()
        if not _FORMAL.search(signed.group("formula")) or (not name and not _named(text, signed)):
            continue
        if name and not name[:1].isupper():
            continue
        if not name and not _NAME.match(text[signed.end() :].lstrip("\n").split("\n")[0]):
            continue
        head = text.find("\n\n", 0, signed.start())
        yield (head + 2 if head >= 0 else 0), _behind(text, signed.end())
        return
