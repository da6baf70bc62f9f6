"""Reading what somebody set out to do, or did, out of one short sentence: the act, and what it is done with.

English. Verbs are known by a table of families; of what no table knows, equal stems decide. No parser: contents are
short sentences of one shape, and a replay reads thousands of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from memory_pipeline.domain.inflection import forms, past, stem
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import table, wordset
from memory_pipeline.domain.text import STOPWORDS, singular

_TOKEN = lazy(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_CLAUSE = lazy(r"\s*(?:[,;:()!?–—]|\.(?=\s|$)|\s-\s|\bbut\b)\s*")
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*"
_WHEN = lazy(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b(?: \d{{4}})?|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?"
    rf"|\b{_MONTH} \d{{4}}|\d{{4}}-\d\d-\d\d|\b\d{{1,2}}:\d\d\b|\b\d{{1,2}} ?[ap]\.?m\b|\b\d+ (?:day|week|month|year|"
    r"hour|minute)s?\b(?: ago)?|\bin \d{4}\b|\bby the end of (?:the )?\w+",
    re.I,
)
# How a plan is put: what follows is what is to be done, and whom it was promised to.
_WHOM = r"(?P<who>(?:(?:their|his|her|my|the) )?[\w'’-]+(?: [A-Z][\w'’-]+)?)"
_FRAME = lazy(
    r"^(?:(?:the )?user )?(?:(?:still|also|really|finally|just|probably|definitely) )*"
    r"(?:(?:needs?|has|have|wants?|plans?|intends?|hopes?|wishes|means|meant|aims?|tries|trying|supposed|ought|going|"
    r"would (?:like|love)|is (?:going|about|supposed|planning|hoping|due|to)|is|remembers?|had better|got|has got|"
    r"must(?: not forget)?|does not (?:want to )?forget|do(?:es)? not forget|forgot|agreed|offered|decided|thinks|"
    r"is thinking|considers?|set out|looking forward)(?: (?:still|also|really|finally))* (?:to|of|about)|"
    r"(?:must|should|will|shall|would|may|might|can|could)|"
    r"(?:said|(?:told|agreed with) (?P<told>(?:(?:their|his|her|my|the) )?[\w'’-]+(?: [A-Z][\w'’-]+)?))(?: that)? "
    r"(?:they|he|she|i)(?: would| will|['’]d|['’]ll)|"
    rf"promised(?: {_WHOM})? (?:to|that (?:they|he|she|i) (?:would|will)|"
    r"(?:they|he|she|i)(?: would| will|['’]d|['’]ll))|"
    r"(?:asked|wants?|would like|needs?|asks)(?: the assistant)? (?:(?:to be )?reminded (?:to|of|about)|"
    r"(?:to remind (?:them|him|her|me)|a reminder) (?:to|of|about|for))|"
    r"be reminded (?:to|of|about)|"
    r"(?:a )?remind(?:er)?:?(?: (?:them|him|her|me))?(?: (?:to|of|about))?:?)\s+",
)
_LEAD = lazy(
    r"^(?:(?:the )?user|i|we|has|have|had|['’]ve|did|also|already|finally|eventually|just|and|so|then|now|yes|yep|"
    r"ok|okay|oh|well|actually|luckily|today|yesterday|this morning|last night|managed to|remembered to|"
    r"got (?:around|round) to|got to|helped to|went and|went to(?= (?:pay|buy|get|collect|pick|fetch|return|see|"
    r"visit)))\s+",
    re.I,
)
# "Is building a shed", "is working on a novel": what is under way is to be finished.
_UNDER_WAY = lazy(r"^(?:(?:the )?user )?is (?:(?:still|currently|now) )*(?=(?!going|planning|hoping)[a-z]+ing\b)", re.I)
_GENERIC = wordset("objects", "generic")
_GENERIC_SAID = lazy(
    r"\b(?:taken care of|took care of|dealt with|out of the way|off (?:my|the|their) list|all set|in the bag|over with|"
    r"in the post|in the mail|squared away|all good)\b"
    # "The essay is in", "the tyres are on": where a thing is that is dealt with.
    r"|(?:\bis|\bare|\bwas|\bwere|'s|\bwent) (?:now |finally |all |already |both |safely )*"
    r"(?:in|out|on|up and running|good to go|up|off|through|away|gone|live|ready|back|working|"
    r"with (?:him|her|them|the \w+|[A-Z]\w+))(?: again| now)?$",
    re.I,
)
# "Submitted with 4 minutes to spare": how close it was.
_SPARE = lazy(
    r"\s+(?:with [\w ]{1,30} to spare|just in time|in the nick of time|on time|in the end|by the skin of .*$)", re.I
)
_IS = lazy(r"^((?:\w+ ){0,2}\w+)'s (?:been )?(\w+ed|done|sent|paid|bought|made|written)$")
_BE = wordset("objects", "be")
_DETERMINERS = wordset("objects", "determiners")
_JOINED = wordset("objects", "joined")
_ASIDE = wordset("objects", "aside")
_LATER = wordset("objects", "later")


@dataclass(frozen=True, slots=True)
class Act:
    """One act, of a plan or done.

    Attributes:
        families: what kinds of act it may be; empty where no table knows the verb.
        verb: its stem, where no table knows it, else empty.
        things: what it is done with, by role: "obj" for whom or what, "for", "from", "aside" for all else.
        heads: the words of those things that name them ("bill" of "water bill").
        owners: words that only say whose a thing is ("mom" of "mom's doctor").
        agent: who did it, where somebody else than the user did; empty words stand for the user.
        generic: "done", "sorted": any act may be meant.
        tokens: its words as written, lower case.
    """

    families: frozenset[str]
    verb: str
    things: dict[str, frozenset[str]] = field(hash=False)
    heads: frozenset[str]
    owners: frozenset[str]
    agent: frozenset[str]
    generic: bool
    tokens: tuple[str, ...]

    @property
    def core(self) -> frozenset[str]:
        """The words that tell it from other acts of its kind."""
        return self.things["obj"] | self.things["for"] | self.things["from"]

    @property
    def all(self) -> frozenset[str]:
        return frozenset().union(*self.things.values())


@lru_cache(maxsize=1)
def _verbs() -> tuple[dict[str, frozenset[str]], dict[str, list[tuple[tuple[str, ...], str]]], frozenset[str]]:
    """Families by any form of a single verb; phrases by any form of their first word; every past form."""
    single: dict[str, set[str]] = {}
    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    pasts: set[str] = set()
    for family, entries in table("acts")["families"].items():
        for entry in entries:
            verb, *rest = entry.split()
            pasts |= past(verb)
            for form in forms(verb):
                if rest:
                    phrases.setdefault(form, []).append((tuple(rest), family))
                else:
                    single.setdefault(form, set()).add(family)
    for verb in table("acts")["irregular"]:
        pasts |= past(verb)
    return {form: frozenset(found) for form, found in single.items()}, phrases, frozenset(pasts)


def plans_act(word: str) -> bool:
    """Whether a word is the base form of a verb that people plan with: "ring", "pay"."""
    return word in _bases()


def acted(word: str) -> bool:
    """Whether a word is a past form of such a verb, or says that something is done: "paid", "sorted"."""
    return word in _verbs()[2] or word in _GENERIC


@lru_cache(maxsize=1)
def _bases() -> frozenset[str]:
    """Base forms of the verbs that people plan with."""
    families: dict[str, list[str]] = table("acts")["families"]
    verbs = {entry.split()[0] for entries in families.values() for entry in entries}
    return frozenset(verbs | set(table("acts")["irregular"]))


@lru_cache(maxsize=16384)
def plans(text: str) -> tuple[Act, ...]:
    """The acts that a plan holds: one for each verb that it joins ("pay the bill and pick up the parcel")."""
    plain = _WHEN.sub(" ", text.replace("’", "'")).strip().rstrip(".!?")
    text, who = _unframed(_UNDER_WAY.sub("", plain))
    made = []
    for part in _joined_plans(text):
        tokens = _tokens(part)
        if tokens:
            made.append(_act(tokens, _verb_of_plan(tokens), who))
    return tuple(made)


def deeds(text: str) -> list[Act]:
    """The acts that a text tells as done, clause by clause; what only says "all sorted" goes with the clause before."""
    made: list[Act] = []
    for clause in _CLAUSE.split(_WHEN.sub(" ", _SPARE.sub("", text.replace("’", "'")))):
        for part in re.split(r"\s+and\s+(?=(?:\w+ed|" + "|".join(sorted(_irregular_pasts())) + r")\b)", clause):
            bare = _stripped(_IS.sub(r"\1 is \2", part))
            tokens = _tokens(bare)
            if not tokens:
                continue
            at = _verb_of_deed(tokens)
            if at < 0 and bare != part and tokens[0].lower() in _verbs()[0]:
                at = 0  # "went to see the doctor", "did call"
            made.append(_act(tokens, at, frozenset(), done=True, generic=bool(_GENERIC_SAID.search(bare))))
    return made


@lru_cache(maxsize=1)
def _irregular_pasts() -> frozenset[str]:
    return frozenset(form for verb in table("acts")["irregular"] for form in past(verb))


@lru_cache(maxsize=1)
def _lemmas() -> dict[str, str]:
    return {form: verb for verb in table("acts")["irregular"] for form in past(verb)}


def _unframed(text: str) -> tuple[str, frozenset[str]]:
    who: frozenset[str] = frozenset()
    for _ in range(4):
        hit = _FRAME.match(text[:1].lower() + text[1:])
        if not hit:
            break
        who |= frozenset(_named(_tokens(hit.group("who") or "")))
        text = text[hit.end() :]
    return text, who


def _stripped(text: str) -> str:
    while hit := _LEAD.match(text):
        rest = text[hit.end() :]
        # "Did the laundry" tells with "did" what was done, "did call" does not.
        if hit.group().lower().startswith("did") and next(iter(_tokens(rest)), "").lower() not in _verbs()[0]:
            return text
        text = rest
    return text


def _joined_plans(text: str) -> list[str]:
    """Parts of a plan that begin with a verb of their own."""
    single, phrases, _ = _verbs()
    parts = [""]
    for piece in re.split(r"(\s*(?:,|;|\band\b|\bthen\b|\btoo\b)\s*)", text):
        first = next(iter(_tokens(piece)), "").lower()
        if parts[-1].strip() and first in single.keys() | phrases.keys() and len(_tokens(piece)) > 1:
            parts.append(piece)
        else:
            parts[-1] += piece
    return parts


def _tokens(text: str) -> list[str]:
    return [w.replace("’", "'") for w in _TOKEN.findall(text)]


def _verb_of_plan(tokens: Sequence[str]) -> int:
    """Place of the verb: the first word, or the second of "go and see"; -1 where a plan is named by a noun only."""
    single, phrases, _ = _verbs()
    first = tokens[0].lower()
    if first in {"go", "try", "come"} and len(tokens) > 2 and tokens[1].lower() in {"and", "to"}:
        return 2 if tokens[2].lower() in single else 0
    if first in _BE - {"get"} or first in _DETERMINERS or tokens[0][:1].isupper() and first not in single:
        return -1
    if first in single or first in phrases:
        return 0
    return 0 if len(tokens) > 1 else -1


def _verb_of_deed(tokens: Sequence[str]) -> int:
    """Place of the first past form that no article stands before; -1 where there is none."""
    single, phrases, pasts = _verbs()
    for n, token in enumerate(tokens):
        low = token.lower()
        known = low in pasts or low in _GENERIC or low.endswith("ed") and len(low) > 4
        before = tokens[n - 1].lower() if n else ""
        if known and before not in _DETERMINERS and not before.endswith("'s"):
            return n
    return -1


def _act(tokens: Sequence[str], at: int, who: frozenset[str], *, done: bool = False, generic: bool = False) -> Act:
    single, phrases, _ = _verbs()
    low = [t.lower() for t in tokens]
    verb = low[at] if at >= 0 else ""
    families: set[str] = set()
    used: set[int] = {at} if at >= 0 else set()
    hits = [(rest, family) for rest, family in phrases.get(verb, ()) if _behind(rest, low, at)]
    longest = max((len(rest) for rest, _ in hits), default=0)
    for rest, family in hits:
        families.add(family)
        used |= {n for n in range(at + 1, len(low)) if low[n] in rest} if len(rest) == longest else set()
    if not hits:
        families |= single.get(verb, frozenset())
    if verb in {"get", "got", "have", "had"}:  # "got the boiler fixed"
        later = next((n for n in range(len(low) - 1, at + 1, -1) if _participle(low[n])), -1)
        if later > 0:
            families = set(single.get(low[later], frozenset()))
            verb = low[later]
            generic = generic or low[later] in _GENERIC
            used.add(later)
    generic = generic or verb in _GENERIC
    before = low[: max(at, 0)] if at >= 0 else []
    things, owners, heads, nouns = _things(low[at + 1 :] if at >= 0 else low, used, at + 1 if at >= 0 else 0)
    if not hits:
        weak = not families or verb in {"make", "made", "have", "had", "put", "owe", "owes", "owed"}
        weak = weak or done and bool(families & {"send", "write", "give"})  # "sent a thank-you card"
        absorbed = {n for role, n in nouns if role == "obj" and (weak or families & set(table("acts")["nouns"][n]))}
        families |= {f for n in absorbed for f in table("acts")["nouns"][n]}
        kept = [(role, n) for role, n in nouns if n not in absorbed]  # "book a flight": the noun is what is booked
        things = {role: had | {n for r, n in kept if r == role} for role, had in things.items()}
        heads |= {n for _, n in kept}
    subject = _named([t for t in before if t not in _BE])
    agent: frozenset[str] = frozenset()
    if done and subject:
        if _passive(low, at, bool(things["obj"])):
            things = {**things, "obj": things["obj"] | frozenset(subject)}
            heads |= {subject[-1]}
        else:
            agent = frozenset(subject)
    if not things["obj"] and who:
        things = {**things, "obj": who}
        heads |= who
    elif who:
        things = {**things, "aside": things["aside"] | who}
    unknown = "" if families or generic or not verb else stem(_lemmas().get(verb, verb))
    return Act(frozenset(families), unknown, things, frozenset(heads), owners, agent, generic, tuple(low))


def _behind(rest: Sequence[str], low: Sequence[str], at: int) -> bool:
    place = at
    for word in rest:
        place = next((n for n in range(place + 1, min(len(low), at + 7)) if low[n] == word), -1)
        if place < 0:
            return False
    return True


def _participle(word: str) -> bool:
    single, _, pasts = _verbs()
    return word in pasts and word in single or word in _GENERIC or word.endswith("ed") and len(word) > 5


def _passive(low: Sequence[str], at: int, objects: bool) -> bool:
    """Whether the words before a verb name what it is done with: "library card renewed", "the bill was paid"."""
    if at < 1:
        return False
    if low[at - 1] in _BE or any(w in _BE - {"has", "have", "had", "got", "get"} for w in low[:at]):
        return True
    subject = [w for w in low[:at] if w not in STOPWORDS]
    acting = subject and subject[-1].removesuffix("'s") in wordset("objects", "people") | wordset("objects", "trades")
    single, _, _ = _verbs()
    of_people = single.get(low[at], frozenset()) & {"call", "visit", "tell", "ask", "reply", "text", "meet"}
    return not (acting or objects or (of_people and len(subject) < 2))


def _things(
    low: Sequence[str], used: set[int], offset: int
) -> tuple[dict[str, frozenset[str]], frozenset[str], set[str], list[tuple[str, str]]]:
    """What an act is done with, by role, and who only owns it, and the heads; act nouns with their role apart."""
    found: dict[str, list[str]] = {"obj": [], "for": [], "from": [], "aside": []}
    owners: set[str] = set()
    heads: set[str] = set()
    nouns: list[tuple[str, str]] = []
    role, last = "obj", ""
    for n, word in enumerate(low):
        if n + offset in used:
            continue
        if word in _LATER | _ASIDE | _JOINED | {"for", "from"} or word in _DETERMINERS or word == "and":
            if last:
                heads.add(last)
            last = ""
            if word in _LATER:
                role = "aside"
                found[role].append("")  # nothing behind it is an object again
            elif word != "and" and word not in _DETERMINERS and "" not in found["aside"]:
                role = "obj" if word in _JOINED or not found["obj"] else word if word in found else "aside"
            continue
        bare = singular(word.removesuffix("'s").removesuffix("s'"))
        if bare in table("acts")["nouns"]:
            nouns.append((role, bare))
            continue
        if not _tells(bare, word):
            continue
        found[role].append(bare)
        if word.endswith(("'s", "s'")):
            owners.add(bare)
        else:
            last = bare
    if last:
        heads.add(last)
    return {r: frozenset(w for w in ws if w) for r, ws in found.items()}, frozenset(owners), heads, nouns


def _tells(bare: str, word: str) -> bool:
    light = wordset("objects", "light")
    return not (bare in STOPWORDS or word in STOPWORDS or bare in light or word in light or bare.isdigit())


def _named(tokens: Sequence[str]) -> list[str]:
    bare = ((singular(t.lower().removesuffix("'s")), t.lower()) for t in tokens)
    return [b for b, t in bare if _tells(b, t) and b not in table("acts")["nouns"]]


def words_of(acts: Sequence[Act]) -> Iterator[str]:
    """Every word that some acts are done with."""
    for act in acts:
        yield from act.all
