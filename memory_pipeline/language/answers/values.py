"""Values given in reply to "what", "where", "how many", "any", "which": put where the question left a place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.answers.closed import about, replaced, sentence_of
from memory_pipeline.language.answers.first_person import told
from memory_pipeline.language.answers.phrases import table, words
from memory_pipeline.language.answers.questions import Clause, statement, subject_told, unresolved
from memory_pipeline.language.syntax import Sentence

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*"
_DAY = lazy(
    rf"^(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH} \d{{1,2}}|the \d{{1,2}}(?:st|nd|rd|th)|"
    r"(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?s?\b|\d{1,2}[./]\d)",
    re.I,
)
_TIME = lazy(r"^(?:\d{1,2}(?::\d\d)?(?: ?(?:am|pm|o'clock))?|noon|midnight)\b(?! \w*(?:day|week|month|year))", re.I)
_SPAN = lazy(
    rf"^(?:{_MONTH}|(?:19|20)\d\d|spring|summer|autumn|winter|(?:an?|one|two|three|\d+) (?:day|week|month|year)s?)\b",
    re.I,
)
_UNITS = (
    r"a|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen|"
    r"(?:twen|thir|for|fif|six|seven|eigh|nine)ty[a-z-]*"
)
_NUMBER = lazy(
    rf"^(?:about |around |roughly |maybe )?(?:\d[\d.,]*|{_UNITS}|zero|a dozen|a couple|no)(?:ish|k|\+)?"
    r"(?:(?: maybe| or|,? and|-| to)? ?\d+)?$",
    re.I,
)
_AMOUNT = lazy(rf"\d|\b(?:{_UNITS}|an|couple|few|dozen|half|hundred)\b", re.I)
_PLACES = ("GPE", "LOC", "FAC")


def filled(clause: Clause, value: str, parsed: Sequence[Sentence]) -> str:
    """The statement that a value makes of the clause asked; "" where it makes none."""
    if _is_clause(parsed) or unresolved(clause.rest):
        return ""
    if not clause.asking:
        return _any(clause, value, parsed)
    asks = clause.asking[0].low
    if asks in ("in", "at", "for", "with") and len(clause.asking) > 1:
        asks = clause.asking[1].low
    if asks == "why" or asks == "whose" or _called(clause):
        return sentence_of(_called(clause).format(value)) if asks in ("what", "how") and _called(clause) else ""
    if not clause.subject:
        return _as_subject(clause, value, parsed)
    if not about(clause) and not (asks == "who" and _of_someone(value)):
        return ""
    if _idle(clause, asks):
        return ""
    if (
        asks in ("what", "who")
        and not clause.rest
        and not _of_time(clause)
        and clause.auxiliary in ("is", "are", "was")
    ):
        return _identified(clause, asks, value)
    if not clause.rest and asks not in ("where", "when", "how") and not _of_time(clause):
        return ""
    return sentence_of(_placed(clause, asks, value, parsed))


def _is_clause(parsed: Sequence[Sentence]) -> bool:
    """Whether the words given are a sentence of their own, or an order."""
    finite = [(s, t) for s in parsed for t in s if t.tag in ("VBZ", "VBP", "VBD", "MD") and t.pos in ("VERB", "AUX")]
    if any(s.child(t, "nsubj", "nsubjpass", "aux") for s, t in finite):
        return True
    return any(s[0].dep == "ROOT" and s[0].tag == "VB" and s.child(s[0], "dobj", "dative") for s in parsed)


def _called(clause: Clause) -> str:
    """The wish in "What should I call you?": a form with a place for the value."""
    low = [t.low for t in clause.rest]
    if _one(clause, "i") and clause.auxiliary in ("should", "shall", "can", "may"):
        if low[:2] in (["call", "you"], ["address", "you"]):
            return "Call me {}"
        if clause.asking[0].low in ("what", "which") and len(clause.asking) > 1 and low and low[-1] in ("in", "with"):
            return told(clause.sentence, clause.rest).capitalize() + " {}"
    if clause.of_user and ("call" in low or "called" in low) and low[:1] in (["like"], ["want"], ["prefer"]):
        return "Call me {}"
    return ""


def _one(clause: Clause, word: str) -> bool:
    return len(clause.subject) == 1 and clause.subject[0].low == word


def _idle(clause: Clause, asks: str) -> bool:
    """Questions for an opinion or for what to do now, and small talk about things of the conversation."""
    verb = clause.verb
    if {t.lemma.lower() for t in clause.subject} & words("questions", "opinion_things"):
        return True
    if asks == "what" and len(clause.asking) == 1 and clause.of_user and verb is not None:
        low = [t.low for t in clause.rest]
        working = low[0] == "do" and (len(low) == 1 or "living" in low or "work" in low)
        return verb.low in words("questions", "opinion_verbs") and not working
    if asks != "how" or len(clause.asking) > 1:
        return False
    return verb is None or verb.low in words("questions", "opinion_verbs")


def _of_someone(value: str) -> bool:
    return bool(re.match(r"(?:my|our|an? (?:friend|colleague|neighbou?r))\b", value, re.I))


def _identified(clause: Clause, asks: str, value: str) -> str:
    who = subject_told(clause)
    person = asks == "who" and clause.subject[0].low not in ("your", "the")
    if person and not _of_someone(value):
        return ""
    if asks == "what" and clause.subject[0].tag != "PRP$" and not re.search(r"\b(?:my|me)\b", who):
        return ""
    if clause.subject[-1].low in ("job", "profession", "occupation") and len(clause.subject) == 2:
        return sentence_of(f"I work as {_with_article(value)}")
    return sentence_of(f"{who} {clause.auxiliary} {value}")


def _as_subject(clause: Clause, value: str, parsed: Sequence[Sentence]) -> str:
    """ "What matters most to you?": the value is the subject."""
    if not {t.low for t in clause.rest} & {"you", "your"} or clause.asking[0].low not in ("what", "who"):
        return ""
    rest = told(clause.sentence, clause.rest)
    return sentence_of(" ".join(p for p in (value, clause.auxiliary, rest) if p))


def _placed(clause: Clause, asks: str, value: str, parsed: Sequence[Sentence]) -> str:
    first = value.split()[0].lower()
    prepared = first in words("grammar", "prepositions")
    asking = [t.low for t in clause.asking]
    if asks == "where":
        if (open_ := _stranded(clause)) is not None:
            before, after = clause.rest[: open_ + 1], clause.rest[open_ + 1 :]
            told_ = (told(clause.sentence, before), value, told(clause.sentence, after))
            return statement(clause, negated=False, rest=" ".join(p for p in told_ if p))
        return f"{statement(clause, negated=False)} {value if prepared else _place(clause, value, parsed)}"
    if clause.asking[0].pos == "ADP":
        return f"{statement(clause, negated=False)} {value if prepared else f'{asking[0]} {value}'}"
    if asks == "when" or _of_time(clause):
        return f"{statement(clause, negated=False)} {value if prepared else _dated(value)}"
    if asks == "how":
        return _measured(clause, asking[1:], value)
    if asks in ("what", "which", "who"):
        return _object(clause, asking, value)
    return ""


def _of_time(clause: Clause) -> bool:
    return [t.low for t in clause.asking[1:2]] in (["time"], ["day"], ["month"], ["year"], ["date"])


def _stranded(clause: Clause) -> int | None:
    """Place of a preposition without an object: "where are you from"."""
    for n, token in enumerate(clause.rest):
        if token.pos == "ADP" and all(t.pos == "ADV" for t in clause.sentence.children(token, "pobj", "pcomp")):
            return n
    return None


def _place(clause: Clause, value: str, parsed: Sequence[Sentence]) -> str:
    low = {t.low for t in clause.rest}
    place = any(t.kind in _PLACES for s in parsed for t in s)
    if value.lower() in ("home", "abroad", "here", "overseas", "upstairs"):
        return value
    if low & words("questions", "motion"):
        return f"to {value}"
    return f"{'at' if low & words('questions', 'places_at') and not place else 'in'} {value}"


def _dated(value: str) -> str:
    if _DAY.match(value):
        return f"on {value}"
    if _SPAN.match(value):
        return f"in {value}"
    return f"at {value}" if _TIME.match(value) else value


def _measured(clause: Clause, asking: list[str], value: str) -> str:
    said = statement(clause, negated=False)
    if not asking:
        prepared = value.split()[0].lower() in ("by", "on", "with", "in", "via")
        taken = clause.verb is not None and clause.verb.low in ("take", "like", "prefer", "drink")
        return f"{said} {value}" if prepared or (taken and len(value.split()) <= 3) else ""
    kind = asking[0]
    if kind == "old":
        return _aged(said, value)
    if kind in ("tall", "heavy", "big", "high"):
        return f"{said} {value} {kind}" if re.match(r"\W*\d", value) else ""
    if kind == "long":
        since = value.split()[0].lower() in ("since", "for", "about", "until")
        return f"{said} {value if since or not clause.rest else 'for ' + value}"
    if kind in ("often", "far", "frequently"):
        return f"{said} {value}"
    if kind not in ("many", "much"):
        return ""
    if value != "no" and not _has_number(value):
        return ""
    thing = told(clause.sentence, clause.asking[2:])
    value = value.partition(",")[0] if _NUMBER.match(value.partition(",")[0]) else value
    bare = bool(thing) and bool(_NUMBER.match(value))
    if kind == "much" and thing:
        return _after_verb(clause, f"{value} of {thing}") if not bare else ""
    return _after_verb(clause, f"{value} {thing}" if bare else value)


def _aged(said: str, value: str) -> str:
    if not _has_number(value):
        return ""
    unit = "" if re.search(r"year|month|week|day|\d ?[ym]o?\b", value) else " years"
    return f"{said} {value}{unit}{'' if 'old' in value else ' old'}"


def _has_number(value: str) -> bool:
    return bool(_AMOUNT.search(value))


def _object(clause: Clause, asking: list[str], value: str) -> str:
    low = [t.low for t in clause.rest]
    if low and low[0] == "do" and (len(low) == 1 or "living" in low or "work" in low):
        being = {"do": "are", "does": "is", "did": "was"}.get(clause.auxiliary, "is")
        return f"{subject_told(clause)} {'am' if clause.of_user else being} {_with_article(value)}"
    if not clause.rest:
        return ""
    thing = asking[1] if len(asking) > 1 else ""
    named = f"{thing} {value}" if thing in words("questions", "numbered") and thing not in value.lower() else value
    if clause.rest[-1].pos == "ADP" or clause.rest[-1].low == "called":
        return f"{statement(clause, negated=False)} {named}"
    if clause.verb is None or (clause.verb.pos not in ("VERB", "AUX") and not clause.auxiliary):
        return ""
    return _after_verb(clause, named)


def _with_article(value: str) -> str:
    if re.match(r"(?:an?|the|my)\b", value, re.I):
        return value
    return f"{'an' if value[:1].lower() in 'aeiou' else 'a'} {value}"


def _after_verb(clause: Clause, words_: str) -> str:
    """The value as object of the last verb, before its adverbials."""
    verbs = [n for n, t in enumerate(clause.rest) if t.pos in ("VERB", "AUX")] or [0]
    at = verbs[-1] + 1
    before, after = told(clause.sentence, clause.rest[:at]), told(clause.sentence, clause.rest[at:])
    return statement(clause, negated=False, rest=" ".join(p for p in (before, words_, after) if p))


def _any(clause: Clause, value: str, parsed: Sequence[Sentence]) -> str:
    """ "Are you allergic to anything?" – "nuts": the value takes the place of "anything" or "any pets"."""
    if not about(clause) or not clause.rest or any(t.tag in ("VBZ", "VBP", "VBD", "MD") for s in parsed for t in s):
        return ""
    sentence = clause.sentence
    slot = next((t for t in clause.rest if re.fullmatch(r"any(?:thing|one|body|where)", t.low)), None)
    if slot is not None:
        return sentence_of(statement(clause, negated=False, rest=replaced(clause, slot, value)))
    for token in clause.rest:
        if token.dep == "pobj" and any(t.low == "any" for t in sentence.children(token)):
            return sentence_of(statement(clause, negated=False, rest=replaced(clause, token, value)))
    if state := _state(clause, value):
        return state
    numbers = [t for t in clause.rest if t.pos == "NUM"]
    if len(numbers) == 1 and _NUMBER.match(value) and not clause.inverted:
        before = told(sentence, [t for t in clause.rest if t.index < numbers[0].index])
        after = told(sentence, [t for t in clause.rest if t.index > numbers[0].index])
        return sentence_of(statement(clause, negated=False, rest=f"{before} {value} {after}"))
    kinds = table("any_of")
    thing = next((t for t in clause.rest if t.low in kinds and clause.of_user), None)
    if thing is None or clause.verb is None or clause.verb.lemma not in ("have", "get"):
        verb = clause.verb
        counted = clause.of_user and verb is not None and verb.lemma == "have" and _NUMBER.match(value)
        thing = sentence.child(verb, "dobj") if counted and verb is not None else None
        if thing is None and verb is not None and verb.lemma in words("questions", "taking_values") and clause.of_user:
            taken = sentence.child(verb, "dobj")
            if taken is not None and any(t.low == "any" for t in sentence.children(taken)):
                return sentence_of(statement(clause, negated=False, rest=replaced(clause, taken, value)))
        return sentence_of(f"I have {value} {thing.text}") if thing is not None and thing.tag == "NNS" else ""
    if _NUMBER.match(value):
        return sentence_of(f"I have {value} {thing.text}")
    return sentence_of(str(kinds[thing.low]).format(value).rstrip("."))


def _state(clause: Clause, value: str) -> str:
    """ "Are you married?" – "divorced": another state of the same kind, or the same again."""
    asked = {t.low for t in clause.rest}
    given = set(re.findall(r"[\w-]+", value.lower()))
    if not clause.of_user or clause.auxiliary != "are" or len(given) > 4 or "not" in given:
        return ""
    kinds = table("questions")["states"]
    return sentence_of(f"I am {value}") if any(asked & set(k) and given & set(k) for k in kinds) else ""
