"""Chat written out in full, so that a parser trained on edited text reads it.

Whole words are written out ("im" → "I am"), subjects that people leave out are filled in ("Moved house" → "I moved
house"), what only leads in is taken off ("oh and btw"), comma splices become sentences, and table rows and list items
become statements ("Allergies: bees" → "I am allergic to bees").
"""

from __future__ import annotations

import re
from functools import cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.normalisation.changes import changed
from memory_pipeline.language.normalisation.dropped_subjects import with_subject
from memory_pipeline.language.normalisation.fragments import fragment, introduction
from memory_pipeline.language.normalisation.rosters import roster
from memory_pipeline.language.normalisation.rows import figures, items, offspring, row
from memory_pipeline.language.normalisation.spelling import alternatives, spelled
from memory_pipeline.language.normalisation.splices import has_finite_verb, spliced
from memory_pipeline.language.normalisation.unfinished import done, duties, to_do, undone
from memory_pipeline.language.pleas import drops_plan
from memory_pipeline.language.vocabulary import relations, table, words

_LETTER = lazy(r"[A-Za-z']")
_BY_WRITER = lazy(r"(?:i|we)\b", re.I)
_HEADING = lazy(r"^[A-Za-z][\w' ,-]{2,40}:\s+(?!//)")
# "So no dairy for me": what the writer does without.
_WITHOUT = lazy(
    r",?\s+(?:so|and|hence|therefore)\s+(?:no|nothing with)\s+(?P<what>[a-z][\w /-]*?)"
    r"(?=,|\.|;|!|$|\s+(?:for me|please|ever|and \w+ is))",
    re.I,
)
# "Owain has epilepsy so no strobe lights": what is so of somebody, and what follows from it.
_SO_NO = lazy(r"^(?P<why>(?!(?:i|we)\b)[^,;]{8,}?),? so (?P<rest>(?:no|never|nothing|don't|please)\b.{4,})$", re.I)
# "… so no beef, no alcohol and no pork"
_NOR = lazy(r"(?:,? (?:and |or )?no [a-z][\w-]+(?: [a-z][\w-]+)?(?=,|\.|;|!|$| and\b))+", re.I)
_NO = lazy(r"\bno ([a-z][\w -]*?)(?=,|\.|;|!|$| and\b)", re.I)
# "The callback is off, so no monologue needed": what is not to be done any more.
_NEEDLESS = lazy(
    r",?\s+(?:and\s+so|so|and|hence|therefore)\s+(?:there is )?no\s+(?P<what>[a-z][\w /-]*?)\s+(?:is |are )?"
    r"(?:needed|required|necessary)(?: any ?more| now| then| after all)?(?=,|\.|;|!|$)",
    re.I,
)
# "Three soups, no leeks because I react to those": a request that says what its writer cannot have, and why.
_BARRED = lazy(
    r"(?:^|,\s*|\s)(?:but |and |with )?no (?P<what>(?!more\b|one\b|need\b)[a-z][\w -]{2,30}?),? "
    r"(?:because|since|as|cause) (?=(?:i|my|it|they|those)\b)(?P<why>[^.;!?]*)",
    re.I,
)

_COMMA = lazy(r",\s+(?:(?:and|but|so|also)\s+)?")
_MOST_PARTS = 6

# "No more running for me": said of oneself, it is no request.
_NO_MORE = lazy(
    r"^no more (?P<what>[a-z][\w /-]{2,40}?) (?:for (?:me|us)|these days)\b|"
    r"^no (?P<none>[a-z][\w /-]{2,40}?) (?:for (?:me|us) )?(?:any ?more|these days)[.!]*$",
    re.I,
)
# "Tuesday the 17"
_ORDINAL = lazy(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day the \d{1,2}(?![\d:.]|st|nd|rd|th)\b", re.I)
# "No more Biscuit please": asked of somebody else, it is no change of one's own.
_ORDERED = lazy(r"^\W*(?:and |so |but )*no more\b[^.!?,;]*\b(?:please|pls|plz)\b", re.I)
_WEIGHING = lazy(r"^(?:I am )?(?:down|up) to (?P<what>\d+(?:[.,]\d+)? ?(?:kg|kilos?|lbs?|pounds|stone)\b)", re.I)


def sentences(text: str, *, listed: bool = False, heading: str = "") -> list[str]:
    """What to parse of one span: its statements written out.

    Args:
        listed: it is an item of a list or a row of a table about its writer.
        heading: what stands above the list or before the colon.
    """
    plain = _WEIGHING.sub(r"I weigh \g<what> now", _NO_MORE.sub(_given_up, _ORDINAL.sub(r"\g<0>th", spelled(text))))
    chores = to_do(plain, heading) or duties(plain)
    if chores or _ORDERED.match(plain):
        return chores or [part for part in spliced(plain) if _LETTER.search(part)]
    if drops_plan(plain):
        return [plain]  # what follows is the reason, by which it is told from a plea to forget
    listed_people, behind = roster(plain)
    if listed_people:
        return [*listed_people, *(sentences(behind, listed=listed, heading=heading) if behind else [])]
    rows = row(plain) if ":" in plain else None
    if rows:
        return rows
    plain = undone(plain) or changed(_without_tail(plain)) or _without_lead(_without_heading(plain))
    introduced = introduction(plain)
    if introduced:
        return [one for part in introduced for one in _part(part)]
    plain = _joined_verbs(changed(plain) or fragment(plain) or plain)
    plain = _small_name().sub(lambda m: m.group(1) + m.group(2).capitalize(), plain)
    plain = _remarked().sub(r"\g<told>", plain)
    apart = _noted_apart(plain)
    if apart:
        before, told, after = apart
        around = (sentences(part, listed=listed, heading=heading) if part else [] for part in (before, after))
        return [*next(around), told, *next(around)]
    needless = _NEEDLESS.search(plain)
    if needless:
        told = f"I no longer have to do {needless.group('what').strip()}."
        left = plain[: needless.start()] + plain[needless.end() :]
        return [told, *sentences(left, listed=listed, heading=heading)]
    reasoned = _SO_NO.match(plain)
    if reasoned and has_finite_verb(reasoned["why"]):
        halves = (reasoned["why"], reasoned["rest"])
        return [one for half in halves for one in sentences(half, listed=listed, heading=heading)]
    lacking, left = _done_without(plain)
    if lacking:
        return [*lacking, *sentences(left, listed=listed, heading=heading)]
    restricted = restriction(plain)
    if restricted:
        return [restricted]
    told_figures = offspring(plain) or figures(plain)
    if told_figures or not _LETTER.search(plain):
        return told_figures
    if listed:
        return items(plain)
    clauses = [part for part in spliced(plain) if _LETTER.search(part)]
    return [one for part in clauses for one in _part(part)]


def _done_without(text: str) -> tuple[list[str], str]:
    """What its writer does without, each as a statement, and the text without it: "I'm Sikh so no beef, no alcohol"."""
    without = _WITHOUT.search(text) if _BY_WRITER.match(text) else None
    if without is None:
        return [], text
    further = _NOR.match(text, without.end())
    barred = [without["what"], *(_NO.findall(further.group()) if further else [])]
    left = text[: without.start()] + text[further.end() if further else without.end() :]
    return [f"I can't have {what.strip()}." for what in barred], left


def _part(text: str) -> list[str]:
    return [_noted(text) or with_subject(_without_lead(text))]


def _given_up(hit: re.Match[str]) -> str:
    return f"I gave up {hit['what'] or hit['none']}"


def restriction(text: str) -> str:
    """What a request says that its writer cannot have, and why, as a statement; "" of any other text."""
    hit = _BARRED.search(text)
    return f"I can't have {hit['what'].strip()} because {hit['why'].strip()}." if hit else ""


def _noted_apart(text: str) -> tuple[str, str, str] | None:
    """A change that is noted between commas, with what stands before and behind it: "boxes are unpacked, Tromsø is home
    now"; None where there is none."""
    cuts = [(0, 0), *(m.span() for m in _COMMA.finditer(text)), (len(text), len(text))]
    for (_, start), (end, behind) in zip(cuts[:-1], cuts[1:], strict=True):
        if (start, end) == (0, len(text)) or len(cuts) > _MOST_PARTS:
            return None
        told = changed(text[start:end]) or fragment(text[start:end])
        if told:
            return text[:start].rstrip(" ,"), f"{told}.", text[behind:]
    return None


def _noted(part: str) -> str:
    """What is only noted as undone, changed or done, as a statement."""
    noted = undone(part) or changed(_without_tail(part)) or changed(_without_lead(part))
    return noted or fragment(_without_lead(part)) or done(part)


def _without_heading(text: str) -> str:
    """A text without "Quick update:" before it."""
    led = _HEADING.match(text)
    if not led or led.end() >= len(text) - 4 or has_finite_verb(led.group()):
        return text
    known = words("heading").intersection(led.group().lower().strip(": ").split())
    return text[led.end() :] if known else text


def _without_lead(text: str) -> str:
    """A text without words at either end that only lead in or out: "oh and btw", "lol"."""
    led = _leads().match(text)
    if led and led.end() < len(text):
        text = text[led.end() :]
    return _without_tail(text)


def _without_tail(text: str) -> str:
    """A text without words at its end that say nothing more: "lol", "though"."""
    tail = _tails().search(text)
    if tail and tail.start() > 3:
        text = text[: tail.start()] + ("." if text.endswith(".") else "")
    return text.strip(" ,;")


def _joined_verbs(text: str) -> str:
    """ "I cook and work at" → "I cook and I work at": without its subject the parser takes the verb for a noun."""
    if not _BY_WRITER.match(text):
        return text
    return _joined().sub(lambda m: f"{m.group(1)}I {m.group(2)}", text)


@cache
def _joined() -> re.Pattern[str]:
    return lazy(rf"((?:,|\band|\bbut)\s+)((?:{alternatives('joined')})\s+[a-z]+)")


@cache
def _remarked() -> re.Pattern[str]:
    """ "Saw the Louvre, overwhelming": what is only felt about a deed, which the parser would join to its object."""
    did = rf"(?:I |we )?(?:{alternatives('past')}|\w+ed)"
    felt = r"(?:so |very |really |quite |absolutely )?[a-z]+(?:ing|ful|ous|able|ible|ive|ic|ant|ent|ed)"
    seen_to = r"(?:all )?(?:done|sent|paid|gone)"
    return lazy(rf"^(?P<told>{did} (?:the|to|my|our|an?|[A-Z])[^,;:]+), (?:{felt}|{seen_to})(?=[.!]*$)", re.I)


@cache
def _small_name() -> re.Pattern[str]:
    """A name in small letters behind a relation: "my gf kayla and I"."""
    heads = "|".join(sorted({*relations(), *words("pet")}, key=len, reverse=True))
    not_names = "|".join([*table("repair")["after_relation"], *words("occasion")])
    return lazy(
        rf"(\b(?:my|our|and|,)\s(?:{heads})\s)(?!(?:{not_names})\b)"
        r"([a-z]{3,12})(?<!s)(?<!ed)(?<!ing)(?=[\s,.!]|$)(?!\s(?:of|to)\b)"
    )


@cache
def _leads() -> re.Pattern[str]:
    counted = "|".join(table("repair")["counted"])  # "second year of my PhD" does not begin with "second"
    return lazy(
        rf"^(?:(?!\w+ (?:{counted})\b)(?:{alternatives('lead')})(?![\w'-])\s*[,:!.…–—-]*\s*|[,.:;!…)(–—-]+\s*)+", re.I
    )


@cache
def _tails() -> re.Pattern[str]:
    return lazy(rf"(?:[\s,(–—-]+(?:{alternatives('tail')})[\s)!.,…]*)+$", re.I)


__all__ = ["restriction", "sentences", "spelled"]
