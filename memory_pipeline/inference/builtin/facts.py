"""From a rule that fits to the fact it states: wording, negation, former states, third parties."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_pipeline.domain.proposal import MemoryType, Operation, Surface
from memory_pipeline.inference.builtin.clauses import Clause
from memory_pipeline.inference.builtin.lexicon import wordset
from memory_pipeline.inference.builtin.modality import Mode
from memory_pipeline.inference.builtin.patterns import PASSING, Fact, Hit, Rule
from memory_pipeline.inference.builtin.rules.matter import of_the_moment
from memory_pipeline.inference.builtin.verbs import gerund, third_person
from memory_pipeline.inference.builtin.wording import deny, formerly, third, told_of

_RATHER = re.compile(r",? (?:not|rather than|instead of) ", re.I)
# Denying one of these ends what was remembered; denying another ("does not speak French") is a fact of its own.
_CHANGED_STATES = wordset("residence employer occupation current_field team relationship_status partner diet")
# Given up for good: "used to smoke" denies what "smokes" said.
_GIVEN_UP = wordset("smoking drinking diet eats")
_CALLED = wordset("pet family friend partner")
_OWN_ARTICLE = wordset("a an the their")


def facts_of(hits: Iterator[Hit], clause: Clause, subject: str, name: str) -> Iterator[Fact]:
    """The facts that rules state of a subject, one for each value, the first rule's word on each attribute.

    Args:
        subject, name: the slot's subject and how the clause calls it ("mother", "mom"); ("user", "") for the writer.
    """
    taken: set[str | None] = set()
    for hit in hits:
        for value in hit.values:
            fact = _fact(hit, value, clause, subject, name)
            if fact.attribute not in taken or len(hit.values) > 1:
                yield fact
                taken.add(fact.attribute)


def _fact(hit: Hit, value: str | None, clause: Clause, subject: str, name: str) -> Fact:
    rule, groups = hit.rule, hit.groups
    if value and "{" in value:
        value = value.format_map(_Words(gerund=gerund(clause.verb), relation=groups.get("relation", ""), date="{date}"))
    content = _worded(hit, value, clause)
    attribute, content, negated, operation = _standing(rule, clause, _attribute(rule, groups), content)
    kind, weight = rule.type, rule.weight
    if of_the_moment(clause) and kind is MemoryType.PREFERENCE and rule.operation is Operation.ADD:
        kind, weight = MemoryType.EPHEMERAL, PASSING
    if subject != "user":
        content = _of_another(third(name), content, owned=rule.content.startswith("{Poss}"))
    if groups.get("name") and rule.fixed is None and attribute in _CALLED:
        value = groups["name"]
    return Fact(
        kind,
        content,
        subject,
        attribute,
        value,
        negated,
        operation,
        weight,
        Surface.ADAPT if kind is MemoryType.EPHEMERAL else Surface.SPEAK,
        rule.when,
        rule.direction,
        rule.told,
        tuple(n for n in re.split(r",? (?:and|&) |, ", groups.get("name", "")) if n),
    )


def _worded(hit: Hit, value: str | None, clause: Clause) -> str:
    """The rule's wording with its values and groups in it."""
    groups = hit.groups
    shown = third(value) if value else ""
    thing = groups.get("thing") or groups.get("noun") or ""
    article = third(groups.get("article", "").strip())
    words = _Words({k: third(v) for k, v in groups.items()})
    words.update(
        value=shown,
        a_value=_with_article(shown),
        the_value=f"{article} {shown}" if article and value == hit.values[0] else shown,
        article=article + " " if article else "",
        thing=thing.lower(),
        noun=thing.lower(),
        Noun=thing[:1].upper() + thing[1:],
        Verb=third_person(clause.verb).capitalize(),
        Progressive=f"Is {gerund(clause.verb)}",
        Poss="F",
        called=f" called {groups['name']}" if groups.get("name") else "",
        date="{date}",
    )
    return hit.rule.content.format_map(words)


def _attribute(rule: Rule, groups: dict[str, str]) -> str | None:
    if not rule.attribute:
        return None
    thing = groups.get("thing") or groups.get("noun") or ""
    words = _Words({k: _slot(v) for k, v in groups.items()})
    words.update(thing=_slot(thing), noun=_slot(thing))
    return rule.attribute.format_map(words)


def _standing(
    rule: Rule, clause: Clause, attribute: str | None, content: str
) -> tuple[str | None, str, bool, Operation]:
    """Attribute, wording, negation and operation after the clause's negation, tense and corrections."""
    operation = rule.operation
    negated = operation is Operation.CONTRADICT
    past = clause.mode in {Mode.PAST, Mode.FORMER} and Mode.FORMER in rule.modes and rule.when == "valid"
    if rule.ends:
        return attribute, deny(content, ceased=True), True, Operation.CONTRADICT
    if clause.negated:
        attribute, content, negated = _denied(attribute, content, clause, negated)
        ended = clause.ceased or clause.corrects or attribute in _CHANGED_STATES
        return attribute, content, negated, Operation.CONTRADICT if ended else operation
    if past and not negated:
        if attribute in _GIVEN_UP:
            return attribute, formerly(content), True, Operation.CONTRADICT
        return f"former_{attribute}" if attribute else None, formerly(content), False, operation
    corrected = clause.corrects or (_RATHER.search(clause.rest) and attribute in _CHANGED_STATES)
    if corrected and operation is Operation.ADD:
        operation = Operation.UPDATE
    return attribute, content, negated, operation


def _denied(attribute: str | None, content: str, clause: Clause, negated: bool) -> tuple[str | None, str, bool]:
    if attribute == "likes" and not clause.ceased:
        return "dislikes", deny(content, ceased=False), False
    if attribute == "dislikes" and clause.mode is Mode.ABLE:
        return "dislikes", content.replace("Can stand", "Cannot stand"), False
    if clause.mode is Mode.ABLE:
        return attribute, content.replace("Can ", "Cannot ", 1), True
    return attribute, deny(content, ceased=clause.ceased), not negated


def _of_another(name: str, content: str, *, owned: bool) -> str:
    """ "Lives in Oslo." of "brother" → "Brother lives in Oslo."; "Favorite colour is …" → "Brother's favorite …"."""
    if not owned:
        return told_of(name, content)
    return f"{name[:1].upper()}{name[1:]}'s {content[0].lower()}{content[1:]}"


class _Words(dict[str, str]):
    """Words for a template; a missing one is empty."""

    def __missing__(self, key: str) -> str:
        return ""


def _slot(text: str) -> str:
    return "_".join(text.lower().split())


def _with_article(value: str) -> str:
    """ "nurse" → "a nurse"; plurals, figures and values with an article of their own stay."""
    if not value or value[0].isdigit() or value.split()[0].lower() in _OWN_ARTICLE:
        return value
    if value.endswith("s") and " " not in value:
        return value
    vowel = value[0].lower() in "aeiou" or value.split()[0].upper() in {"MBA", "HR", "MA"}
    return f"{'an' if vowel else 'a'} {value}"
