"""A choice among what the assistant put up: "tea or coffee?" – "coffee"; "the first one then"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_pipeline.language.answers.closed import about, replaced, sentence_of, standing
from memory_pipeline.language.answers.first_person import told
from memory_pipeline.language.answers.questions import Clause, statement

_ORDER = {"first": 0, "former": 0, "1": 0, "a": 0, "second": 1, "latter": 1, "2": 1, "b": 1, "other": 1, "third": 2,
          "3": 2, "c": 2, "last": -1}  # fmt: skip


def pick(phrase: str, options: Sequence[str]) -> str:
    """The option that "the first one", "the latter" or "option 2" picks; "" where there are too few."""
    hit = re.search(r"first|second|third|last|former|latter|other|\b[1-3abc]$", phrase.lower())
    if hit is None or len(options) < 2:
        return ""
    at = _ORDER[hit.group()]
    if hit.group() in ("former", "latter", "other") and (len(options) != 2 or hit.group() == "other"):
        return ""
    return options[at] if at < len(options) else ""


def chosen(parts: Sequence[Clause], value: str, options: Sequence[str], question: str) -> str:
    """The choice among what the assistant put up: "tea or coffee?" – "coffee"."""
    given = {w for w in re.findall(r"[\w'-]+", value.lower()) if w not in ("the", "a", "an", "my")}
    little = {"the", "a", "an", "my", "you", "do", "or"}
    hits = [o for o in options if given & (set(re.findall(r"[\w'-]+", o.lower())) - little)]
    if len(hits) != 1 or len(value.split()) > 6:
        return ""
    clause = parts[-1] if parts else None
    if clause is not None and clause.asking:
        if not clause.of_user:
            return ""
        whole = set(re.findall(r"\w+", hits[0].lower())) <= set(re.findall(r"\w+", value.lower()))
        option = value if whole else hits[0]
        verb = clause.verb.low if clause.verb is not None and clause.verb.pos == "VERB" else "choose"
        return sentence_of(f"I {verb} {option}")
    if clause is not None and about(clause):
        return _one_of(clause, given, value)
    if (
        clause is not None
        and [t.low for t in clause.subject] == ["i"]
        and clause.auxiliary in ("shall", "should")
        and standing(clause.rest)
    ):
        order = _one_of(clause, given, value)
        return sentence_of(re.sub(r"^You (?:shall|should) |\.$", "", order))
    if clause is None and len(question.split()) <= 8:
        return sentence_of(f"I prefer {value}")
    return ""


def _one_of(clause: Clause, given: set[str], value: str) -> str:
    """The clause with one of what it joins by "or"."""
    sentence = clause.sentence
    joint = next((t for t in clause.rest if t.low == "or"), None)
    if joint is None:
        return ""
    first = sentence.head(joint)
    others = [t for t in sentence.children(first, "conj")]
    for option in [first, *others]:
        joined = [t.index for t in sentence.children(option) if t.dep in ("conj", "cc", "punct")]
        own = sentence.subtree(option, joined)
        if given & {t.low for t in own}:
            dropped = {t.index for t in sentence.subtree(first)} - {t.index for t in own}
            if option is not first and first.pos in ("VERB", "AUX"):
                return ""
            if {t.low for t in own} < set(re.findall(r"[\w'-]+", value.lower())):
                return sentence_of(statement(clause, negated=False, rest=replaced(clause, first, value)))
            kept = [t for t in clause.rest if t.index not in dropped]
            return sentence_of(statement(clause, negated=False, rest=told(sentence, kept)))
    return ""
