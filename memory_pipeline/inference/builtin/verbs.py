"""English verb forms: from any form to its lemma, and from a lemma to the forms that a third-person sentence needs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto
from functools import lru_cache

from memory_pipeline.inference.builtin.lexicon import wordset


class Kind(Flag):
    """What a form may be; many are several things ("read", "called")."""

    BASE = auto()
    S = auto()
    PAST = auto()
    PARTICIPLE = auto()
    ING = auto()


@dataclass(frozen=True, slots=True)
class Form:
    """A verb form: its lemma, and what it may be."""

    lemma: str
    kind: Kind


# base, past, participle (the last left out where it is the past); only verbs that people tell of themselves
_IRREGULAR = """
become became become|begin began begun|bite bit bitten|blow blew blown|break broke broken|bring brought|build built|
burn burnt|buy bought|catch caught|choose chose chosen|come came come|cost cost|cut cut|deal dealt|do did done|
draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|
fight fought|find found|fly flew flown|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|
get got gotten|give gave given|go went gone|grow grew grown|hang hung|have had|hear heard|hide hid hidden|hit hit|
hold held|hurt hurt|keep kept|know knew known|lay laid|lead led|leave left|lend lent|let let|lose lost|make made|
mean meant|meet met|outgrow outgrew outgrown|overcome overcame overcome|
pay paid|put put|quit quit|read read|rebuild rebuilt|ride rode ridden|
ring rang rung|rise rose risen|run ran run|say said|see saw seen|seek sought|sell sold|send sent|set set|
shake shook shaken|shoot shot|show showed shown|sing sang sung|sit sat|sleep slept|speak spoke spoken|spend spent|
spread spread|stand stood|steal stole stolen|stick stuck|swim swam swum|take took taken|teach taught|tear tore torn|
tell told|think thought|throw threw thrown|understand understood|wake woke woken|wear wore worn|win won|
withdraw withdrew withdrawn|write wrote written|rewrite rewrote rewritten
"""
_REGULAR = """
accept achieve adapt add address adjust adopt adore agree aim answer apply appreciate arrange arrive ask attend
avoid bake base bike book borrow brew brush call cancel celebrate change chat check clean climb close coach code
collect commute compare complete confirm consider contact continue cook cover crash create crochet cycle dance date
debug decide decline define deliver deploy design despise determine detest develop diagnose die discover discuss
dislike divorce donate download drop dye earn email employ encourage end engage enjoy enrol enroll escape examine
exchange exercise expect explore face fail file fill finalize finish fix focus follow foster found garden graduate
guess hack happen hate head help hike hire hope host identify imagine impact implement improve include incorporate
increase influence inherit inspire install intend interview introduce invest invite invoice involve jog join journal
juggle jump knit land last launch learn lie lift like list listen live look love maintain manage marry master
measure meditate merge message migrate miss move name need notice offer open order organise organize owe own pack
paint park participate pass patch phone photograph pick plan plant play practice practise prefer prepare present
print promise promote propose publish race raise reach realise realize receive recommend recover reduce refactor
refinance refine register relocate remember remind renew rent repair repot reside resign respond retire return
review ring roast sail save schedule sculpt search separate settle sew share ship shop sign skate ski skip smoke
snowboard solve start stay step stop streamline strengthen stretch struggle study submit subscribe suffer surf swap
switch sync talk test text thank tour track train transfer travel treat trek try turn upgrade use visit volunteer
wait walk want wash watch weigh wire wish work worry wrap
"""
_BE = {
    "be": Kind.BASE,
    "am": Kind.S,
    "is": Kind.S,
    "are": Kind.S,
    "was": Kind.PAST,
    "were": Kind.PAST,
    "been": Kind.PARTICIPLE,
    "being": Kind.ING,
}
_DOUBLING = wordset(
    """
    get run swim sit put quit cut set let stop plan drop ship jog knit shop step skip wrap swap chat hit win
    forget begin prefer transfer hug
    """
)
_VOWELS = "aeiou"


def third_person(base: str) -> str:
    """The form after "she": go → goes, try → tries, be → is."""
    special = {"be": "is", "have": "has", "do": "does", "go": "goes", "can": "can", "will": "will", "must": "must"}
    if base in special:
        return special[base]
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ies"
    return base + "s"


def gerund(base: str) -> str:
    """run → running, make → making, lie → lying, be → being."""
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "ye")) and base != "be":
        return base[:-1] + "ing"
    return (base + base[-1] if base in _DOUBLING else base) + "ing"


def _regular_past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ied"
    return (base + base[-1] if base in _DOUBLING else base) + "ed"


def _table() -> tuple[dict[str, Form], dict[str, tuple[str, str]]]:
    forms: dict[str, Form] = {}
    pasts: dict[str, tuple[str, str]] = {"be": ("was", "been")}

    def put(word: str, lemma: str, kind: Kind) -> None:
        seen = forms.get(word)
        if seen is None:
            forms[word] = Form(lemma, kind)
        elif seen.lemma == lemma:
            forms[word] = Form(lemma, seen.kind | kind)

    for word, kind in _BE.items():
        put(word, "be", kind)
    for entry in _IRREGULAR.replace("\n", "").split("|"):
        base, past, *more = entry.split()
        pasts[base] = (past, more[0] if more else past)
    for base in _REGULAR.split():
        pasts.setdefault(base, (_regular_past(base),) * 2)
    for base, (past, participle) in pasts.items():
        put(base, base, Kind.BASE)
        put(past, base, Kind.PAST)
        put(participle, base, Kind.PARTICIPLE)
        put(third_person(base), base, Kind.S)
        put(gerund(base), base, Kind.ING)
        if base.endswith("el"):  # the British spelling: cancelled, travelling
            put(base + "led", base, Kind.PAST | Kind.PARTICIPLE)
            put(base + "ling", base, Kind.ING)
    return forms, pasts


FORMS, _PASTS = _table()
FINITE = frozenset(
    word for word, form in FORMS.items() if form.kind & (Kind.S | Kind.PAST) and word not in {"named", "left", "felt"}
) | {"will", "would", "can", "could", "may", "might", "must", "should", "does", "did"}
"""Forms that end a subject of the third person."""


@lru_cache(maxsize=8192)
def form(word: str) -> Form | None:
    """What a lower-case word is as a verb form: from the table, else guessed from -ing and -ed; None for others."""
    known = FORMS.get(word)
    if known is not None:
        return known
    if len(word) > 5 and word.endswith("ing") and any(v in word[:-3] for v in _VOWELS):
        return Form(_stem(word[:-3]), Kind.ING)
    if len(word) > 4 and word.endswith("ed") and not word.endswith("eed"):
        return Form(_stem(word[:-2]), Kind.PAST | Kind.PARTICIPLE)
    return None


def _stem(stem: str) -> str:
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "sl":
        return stem[:-1]
    if stem.endswith("i"):
        return stem[:-1] + "y"
    silent = stem.endswith(
        ("at", "iz", "c", "v", "z", "u", "dg", "bl", "dl", "gl", "pl", "tl", "ur", "id", "ib", "rg", "ng", "ns")
    ) and not stem.endswith(("eat", "oat"))
    return stem + "e" if stem + "e" in FORMS or (stem not in FORMS and silent and len(stem) > 3) else stem


def past(base: str) -> str:
    """The simple past of a lemma."""
    known = _PASTS.get(base)
    return known[0] if known else _regular_past(base)


def lemma(word: str) -> str:
    """The lemma of a lower-case word; the word itself where it is no known form."""
    found = form(word)
    return found.lemma if found else word
