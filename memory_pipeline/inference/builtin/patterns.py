"""The shape of the rule tables, and how a table is applied to a clause.

A rule is a line: which verbs, what must follow, and what is then stated: type, slot, wording, weights. Rules are tried
in the order of the table; the first that fits speaks for the clause, unless it leaves room for others (``more``).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from memory_pipeline.domain.proposal import MemoryType, Operation, Surface
from memory_pipeline.inference.builtin import values
from memory_pipeline.inference.builtin.categories import category
from memory_pipeline.inference.builtin.clauses import Clause
from memory_pipeline.inference.builtin.days import Direction
from memory_pipeline.inference.builtin.lexicon import occupation
from memory_pipeline.inference.builtin.modality import Mode


@dataclass(frozen=True, slots=True)
class Weight:
    """How much a statement matters (NM-35, DL-9), before hedges are taken into account."""

    salience: float
    importance: float
    confidence: float


CORE = Weight(0.9, 0.95, 0.95)  # name, birthday, health, family
FIRM = Weight(0.8, 0.8, 0.9)  # home, work, protocols
PLAIN = Weight(0.65, 0.6, 0.85)  # tastes, tools, hobbies
LIGHT = Weight(0.5, 0.45, 0.8)  # happenings, habits
FAINT = Weight(0.4, 0.35, 0.65)  # considered, generic
PASSING = Weight(0.4, 0.3, 0.75)  # moods of the day

NOW = frozenset({Mode.PRESENT, Mode.ONGOING, Mode.PERFECT})
THEN = frozenset({Mode.PAST, Mode.PERFECT})
STATE = NOW | {Mode.PAST, Mode.FORMER}
ANY = NOW | THEN


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a clause states, before it is dated and tied to its message.

    Attributes:
        when: which field its dates go to: ``valid`` (it holds from then), ``happened``, ``due``, ``past`` (when it
            happened, from dates that can lie in the past only), or "".
        direction: where its open dates lie, ``past`` or ``future``.
        told: its content wants the dates spelt out.
    """

    type: MemoryType
    content: str
    subject: str = "user"
    attribute: str | None = None
    value: str | None = None
    negated: bool = False
    operation: Operation = Operation.ADD
    weight: Weight = PLAIN
    surface: Surface = Surface.SPEAK
    when: str = "valid"
    direction: Direction = "past"
    told: bool = False
    names: tuple[str, ...] = ()


_CAPITALS = re.compile(r"(?<!-i:)\[A-Z(?!a)[^\]]*\]")


@dataclass(frozen=True, slots=True)
class Rule:
    """A line of a table.

    Attributes:
        verbs: lemmas it starts from, separated by spaces.
        pattern: what must follow the verb; the group ``value`` is the slot's value, other groups may be used in
        content: wording of the affirmative, "Lives in {value}.".
            ``content`` and ``attribute``; a group ``job`` must name an occupation.
        attribute: slot attribute; ``{category}`` is the value's category and makes the rule fail where there is none.
        value: how the value is cut: ``place``, ``name``, ``noun``, ``phrase``, ``organisation``, ``activity``.
        fixed: the value where the pattern has none.
        many: a list states one fact for each member.
        modes: modes it holds for; in a past one a state is told as a former one.
        denied: it may be negated; a denied one states the slot with ``negated``.
        user_only: it does not speak of third parties.
        test: further condition on the value.
        when, told, direction: see :class:`Fact`.
        ends: the clause says that it is over ("gave up meat"): told as denied.
        more: later rules may speak as well.
    """

    verbs: str
    pattern: str
    content: str
    attribute: str | None
    type: MemoryType = MemoryType.PROFILE_FACT
    weight: Weight = PLAIN
    value: str = "noun"
    fixed: str | None = None
    many: bool = False
    modes: frozenset[Mode] = NOW
    denied: bool = True
    user_only: bool = False
    test: Callable[[str], bool] | None = None
    ends: bool = False
    more: bool = False
    operation: Operation = Operation.ADD
    surface: Surface = Surface.SPEAK
    when: str = "valid"
    told: bool = False
    direction: Direction = "past"
    regex: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Patterns ignore case, but a class of capitals means capitals.
        pattern = _CAPITALS.sub(r"(?-i:\g<0>)", self.pattern)
        object.__setattr__(self, "regex", re.compile(pattern, re.I))


@dataclass(frozen=True, slots=True)
class Hit:
    """A rule that fits, with the values it found and the groups for its wording."""

    rule: Rule
    values: list[str | None]
    groups: dict[str, str]


_ARTICLE = re.compile(r"(?:an?|the|my|our|some)\s+(?!(?:an?|the|my)\b)", re.I)
_CUTS: dict[str, Callable[[str], str | None]] = {
    "place": values.place,
    "name": values.name,
    "noun": values.noun,
    "phrase": values.phrase,
    "organisation": values.organisation,
    "activity": values.activity,
}


class Table:
    """Rules by verb, in order."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._by_verb: dict[str, list[Rule]] = defaultdict(list)
        for rule in rules:
            for verb in rule.verbs.split():
                self._by_verb[verb].append(rule)

    def hits(self, clause: Clause, *, own: bool) -> Iterator[Hit]:
        """The rules that speak for a clause; ``own`` when it tells of the writer."""
        for rule in self._by_verb.get(clause.verb, ()):
            if clause.mode not in rule.modes or (rule.user_only and not own) or (clause.negated and not rule.denied):
                continue
            match = rule.regex.match(clause.rest)
            found = _hit(rule, match) if match else None
            if found is None:
                continue
            yield found
            if not rule.more:
                return


def _hit(rule: Rule, match: re.Match[str]) -> Hit | None:
    groups = {k: v.strip(" ,.") for k, v in match.groupdict().items() if v}
    raw = groups.get("value")
    if raw is None:
        return Hit(rule, [rule.fixed], groups) if rule.fixed is not None else None
    cut = _CUTS[rule.value](raw)
    if cut is None or (rule.test and not rule.test(cut)):
        return None
    if groups.get("job") and not occupation(groups["job"]):
        return None
    found = values.items(cut) if rule.many else [cut]
    article = _ARTICLE.match(raw)
    groups.setdefault("article", article.group() if article else "")
    if rule.attribute and "{category}" in rule.attribute:
        kind = category(cut)
        if kind is None:
            return None
        groups["category"] = kind
    return Hit(rule, list(found), groups)
