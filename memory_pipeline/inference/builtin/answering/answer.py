"""Answers out of what is remembered: what states the thing asked for is told back, with whose words it is and when."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memory_pipeline.domain.consolidation.slots import attribute
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.inference.builtin.answering.foreign import foreign_answer
from memory_pipeline.inference.builtin.answering.later import later
from memory_pipeline.inference.builtin.answering.nearest import nearest
from memory_pipeline.inference.builtin.answering.retelling import past, retold
from memory_pipeline.inference.builtin.answering.statements import Statement, statements
from memory_pipeline.inference.builtin.answering.stating import Fit, Says, fit, matching, replaced, says
from memory_pipeline.inference.builtin.answering.terms import ended, light, terms
from memory_pipeline.inference.builtin.answering.who_is_who import KnownPeople, about, known_people
from memory_pipeline.inference.replies import AnswerReply
from memory_pipeline.language.questions import Question, Wants, Whose, in_english, read
from memory_pipeline.language.questions.subjects import belonging, canonical
from memory_pipeline.language.questions.tables import any_of

_Item = Mapping[str, Any]
UNKNOWN = "I do not know: nothing that you told me answers this."
HINT = "I do not know for sure."
NEAREST = "What comes nearest:"
SINCE = "Since then:"
BEARING = "I do not know for sure. What bears on it:"
_BEARING = 4  # items that may bear on whether something is good for the user
_LIKE = 0.3  # cosine from which on what restricts the user may be about what is asked for
_MEANT = 0.45  # cosine of a question and a restriction that is about the same kind of thing
_SHARED = 0.5  # of a question's words
_LISTED = 12  # items of a list
_BRIEF = 12  # words: a shorter sentence is told with what follows it
_TOLD = 3  # items where several say it
_EITHER = lazy(r"\bor\b", re.I)
_HEALTH = frozenset({"allergy", "intolerance", "health", "condition", "diet"})
_DENIALS_COUNT = frozenset({"eats", "drinking", "relationship_status", "household"})


def answer(inputs: Mapping[str, Any]) -> AnswerReply:
    """The item or items that answer a question, cited; ``known`` is False where none does (see task ``answer``)."""
    items: Sequence[_Item] = inputs["items"]
    text: str = inputs["question"]
    if not in_english(text):
        return _reply(foreign_answer(text, items), retold)
    question = read(text)
    told = statements(i for i in items if i["layer"] != "narrative" and _speaks(question, i))
    known = known_people(told)
    stated = [s for s in told if not s.asked]
    reply = _ANSWERS.get(question.wants, _asked)(question, stated, known)
    if not reply.known:
        reply = _nearest(question, told, known, reply.text)
    cited = [s for s in stated if s.item["id"] in reply.citations]
    return _with_later(reply, later(question, cited, stated, known) if reply.known else None)


def _with_later(reply: AnswerReply, since: Statement | None) -> AnswerReply:
    """An answer with what was said since, if anything was."""
    if since is None:
        return reply
    more = _reply([since], retold)
    cited = [*reply.citations, *more.citations]
    return AnswerReply(text=f"{reply.text} {SINCE} {more.text}", citations=cited, known=True)


def _nearest(question: Question, told: Sequence[Statement], known: KnownPeople, unknown: str) -> AnswerReply:
    """What comes nearest: an answer where it is near enough, else a hint beside the honest "not known".

    Args:
        unknown: what is said for want of an answer; it may tell what no longer holds, or what bears on the question.
    """
    found, sure = nearest(question, told, known)
    if not found or question.wants in _ANSWERS and question.wants not in {Wants.YES_NO, Wants.ALLOWED}:
        return AnswerReply(text=unknown, citations=[], known=False)
    if unknown != UNKNOWN:
        more = [part for s in found if (part := _told_as_it_is([s])) not in unknown]
        hints = " ".join([unknown, NEAREST, *more]) if more else unknown
        return AnswerReply(text=hints, citations=[], known=False)
    if sure:
        return _reply([replaced(s, told) or s for s in found[:1]], retold)
    near = _once([replaced(s, told) or s for s in found])
    return AnswerReply(text=f"{HINT} {NEAREST} {_told_as_it_is(near)}", citations=[], known=False)


def _told_as_it_is(found: Sequence[Statement]) -> str:
    """Statements one after the other, those that hold no more in the past."""
    return " ".join(_reply([s], retold if s.holds else past).text for s in found)


def _speaks(question: Question, item: _Item) -> bool:
    """Whether an item counts: the assistant's own words do where they are asked for, and nowhere else."""
    of_user = item["layer"] != "episodic" or item.get("role", "user") == "user"
    return of_user is (question.wants is not Wants.SAID)


def _asked(question: Question, told: Sequence[Statement], known: KnownPeople) -> AnswerReply:
    """What fills the attribute asked for, else what says all that the question says and more."""
    if question.named and question.who and not question.relation and not question.who & belonging():
        return _introduced(question, told, known)
    question = _of_the_same_kind(question, told)
    fits = [(f, s) for s in told if (f := fit(question, s, known)) is not Fit.NONE]
    if question.past:
        return _then(question, fits, known)
    holding = [(f, s) for f, s in fits if s.holds and not _gone(question, s)]
    gone = [(f, s) for f, s in fits if not s.holds]
    if gone and question.was:
        return _reply(_best(question, gone), past)
    if holding:
        return _reply([replaced(s, told) or s for s in _best(question, holding)], retold)
    if gone:
        (last,) = _newest([s for _, s in gone])[:1]
        return AnswerReply(text=f"I do not know what holds now. {past(last.item)}", citations=[], known=False)
    return _unknown()


def _of_the_same_kind(question: Question, told: Sequence[Statement]) -> Question:
    """A question for what came before something asks for what filled the same attribute: "before apixaban"."""
    excepted = terms(question.excepted)
    if not excepted or question.fills:
        return question
    after = (s for s in told if s.memory and s.of_user and excepted <= terms(" ".join(str(t.value) for t in s.slots)))
    found = dict.fromkeys(a for s in after for a in s.attributes)
    return replace(question, attributes=tuple(found), left="", kind="") if found else question


def _gone(question: Question, statement: Statement) -> bool:
    """Whether it denies or ends what it names, where that is no answer."""
    if question.negated or statement.attributes & _DENIALS_COUNT:
        return False
    return statement.negated or (statement.over and not terms(question.text) & terms(statement.text) & ended())


def _then(question: Question, fits: Sequence[tuple[Fit, Statement]], known: KnownPeople) -> AnswerReply:
    """What held before, the latest first."""
    excepted = terms(question.excepted) - light("verbs")
    earlier = [(f, s) for f, s in fits if not s.holds or s.negated or _told_as_past(s)]
    fitting = [(f, s) for f, s in earlier if not (excepted & s.terms) or _told_as_past(s)]
    return _reply(_best(question, fitting), past) if fitting else _unknown()


def _told_as_past(statement: Statement) -> bool:
    return bool(any_of("signs", "past").match(statement.text)) or any(
        a.startswith("former_") for a in statement.attributes
    )


def _best(question: Question, fits: Sequence[tuple[Fit, Statement]]) -> list[Statement]:
    """The statements of the best kind: memories before turns, an attribute before words; the newest first."""
    top = max(_rank(question, f, s) for f, s in fits)
    chosen = _newest([s for f, s in fits if _tier(question, f, s, top)])
    if question.all:
        return _once(chosen)[:_LISTED]
    single = any(attribute(a).single for a in chosen[0].attributes) and top[2] is Fit.FILLS
    return _once(chosen)[: 1 if single or question.wants in (Wants.AGE, Wants.NAME) and not question.named else _TOLD]


def _rank(question: Question, found: Fit, statement: Statement) -> tuple[int, bool, Fit, int]:
    verbs = terms(question.said) & light("verbs") if found is Fit.SAYS else frozenset[str]()
    return len(verbs & statement.terms), statement.memory, found, -_place(question, statement)


def _tier(question: Question, found: Fit, statement: Statement, top: tuple[int, bool, Fit, int]) -> bool:
    rank = _rank(question, found, statement)
    return rank[:3] == top[:3] if question.all else rank == top


def _place(question: Question, statement: Statement) -> int:
    """How far behind the best attribute is the one that it fills."""
    if question.wants is Wants.AGE:
        return 0
    for n, wanted in enumerate(question.attributes):
        if matching((wanted,), statement.attributes):
            return n
    return len(question.attributes)


def _newest(found: Sequence[Statement]) -> list[Statement]:
    return sorted(found, key=_moment, reverse=True)


def _moment(statement: Statement) -> tuple[str, str]:
    item = statement.item
    return str(item["observed_at"]), str(item.get("valid_from") or item["observed_at"])


def _once(found: Sequence[Statement]) -> list[Statement]:
    """Without what another one says as well."""
    kept: list[Statement] = []
    for statement in found:
        if not any(s.item["id"] == statement.item["id"] and s.quote == statement.quote for s in kept) and not any(
            statement.terms <= s.terms and statement.text.lower() in s.text.lower() for s in kept
        ):
            kept.append(statement)
    return kept


def _allowed(question: Question, told: Sequence[Statement], known: KnownPeople) -> AnswerReply:
    """Whether something is good for the user: what is told of it, else what of their health and habits bears on it."""
    reply = _yes_or_no(replace(question, wants=Wants.YES_NO, attributes=()), told, known)
    if reply.known:
        return reply
    wanted = terms(question.left or question.text) - light("verbs") - light("adjectives") - {"x"}
    bearing = [s for s in told if s.holds and not s.who & belonging() and _may_bear(question, s, wanted)]
    ranked = sorted(bearing, key=lambda s: (-len(wanted & s.terms), -float(s.item.get("near") or 0.0)))
    if not ranked:
        return _unknown()
    chosen = _once(ranked)[:_BEARING]
    if any(_bears_on(s, wanted) for s in chosen):
        of_health = (s for s in _once(ranked) if s.memory and s.attributes & _HEALTH)
        return _reply(_once([*(s for s in chosen if _bears_on(s, wanted)), *of_health])[:_BEARING], retold)
    return AnswerReply(text=f"{BEARING} {_told_as_it_is(chosen)}", citations=[], known=False)


def _may_bear(question: Question, statement: Statement, wanted: frozenset[str]) -> bool:
    """Whether a statement tells of the user's health and habits, or restricts what the question names."""
    if statement.memory and matching(question.attributes, statement.attributes):
        return True
    restricts = bool(any_of("signs", "restricts").search(statement.text))
    return restricts and (bool(wanted & statement.terms) or float(statement.item.get("near") or 0.0) >= _LIKE)


def _bears_on(statement: Statement, wanted: frozenset[str]) -> bool:
    """Whether a statement names the thing itself, or something so like it that it must be meant."""
    return bool(wanted & statement.terms) or float(statement.item.get("near") or 0.0) >= _MEANT


def _yes_or_no(question: Question, told: Sequence[Statement], known: KnownPeople) -> AnswerReply:
    """Yes or no, as the newest statement that holds says; what has ended is a no of now, and a yes of then."""
    verdicts = [(v, s) for s in told if (v := says(question, s, known)) is not Says.NOTHING]
    if question.past and not question.still:
        gone = [s for v, s in verdicts if v is Says.YES and not s.holds]
        once = gone or [s for v, s in verdicts if v is Says.YES or s.over]
        return _reply(_newest(once)[:1], past, "Yes: ") if once else _unknown()
    holding = [(v, s) for v, s in verdicts if s.holds]
    memories = [(v, s) for v, s in holding if s.memory] or holding
    ended = [s for v, s in verdicts if not s.holds and v is Says.YES]
    if memories and all(v is Says.OTHER for v, _ in memories):
        others = _newest([s for _, s in memories])[:1]
        return _no_longer(ended, others) if ended else _reply(others, retold)
    if memories:
        order = _newest([s for v, s in memories if v is not Says.OTHER])
        verdict = next(v for v, s in memories if s is order[0])
        alike = [s for v, s in memories if v is verdict]
        if verdict is Says.YES:
            head = "" if _EITHER.search(question.declared) else "Yes: "  # "do I rent or own?" asks which
            return _reply(_once(_newest(alike))[: _LISTED if question.all else 1], retold, head)
        return _no_longer(ended, _newest(alike)[:1]) if ended else _reply(_newest(alike)[:1], retold, "No: ")
    return _no_longer(ended, []) if ended else _unknown()


def _no_longer(ended: Sequence[Statement], now: Sequence[Statement]) -> AnswerReply:
    last = _newest(ended)[:1]
    parts = [past(last[0].item), *(retold(s.item) for s in now)]
    cited = [s.item["id"] for s in (*last, *now)]
    return AnswerReply(
        text=f"No, not any more: {_lower(parts[0])} {' '.join(parts[1:])}".strip(), citations=cited, known=True
    )


def _topic(question: Question, told: Sequence[Statement], known: KnownPeople) -> AnswerReply:
    """All that is known of somebody or something."""
    wanted = terms(question.left) - light("nouns") - question.who - {"x"}
    inner = read(f"what is {question.left}".replace("X's", "my").replace("X", "me"))
    fitting = [
        s
        for s in told
        if s.holds
        and (
            (question.whose is Whose.OTHER and about(question, s, known) and wanted <= s.terms)
            or (question.whose is not Whose.OTHER and wanted and wanted <= s.terms | s.who)
            or (question.whose is Whose.USER and s.of_user and matching(inner.attributes, s.attributes))
        )
    ]
    memories = _newest([s for s in fitting if s.memory])
    said = {t for s in memories for t in s.terms}
    more = [s for s in _newest(fitting) if not s.memory and len(s.terms - said) > 1]
    return _reply(_once([*memories, *more])[:_LISTED], retold)


def _introduced(question: Question, told: Sequence[Statement], known: KnownPeople) -> AnswerReply:
    """Who somebody is whom the question calls by name: first what they are to the user."""
    there = [s for s in told if s.holds and question.who & (s.names | s.who)]
    roles = [s for s in there if {canonical(w) for w in s.text.replace(".", "").split()} & belonging()]
    return _reply(_once([*(s for s in roles if s.memory), *roles, *there])[:_TOLD], retold)


def _summary(question: Question, told: Sequence[Statement], known: KnownPeople) -> AnswerReply:
    """What is known of the user, in the order in which it was given."""
    return _reply(_once([s for s in told if s.memory and s.holds])[: 2 * _LISTED], retold)


def _assistant(question: Question, told: Sequence[Statement], known: KnownPeople) -> AnswerReply:
    """What the assistant said: the sentence that shares most words with the question, and at least half."""
    wanted = terms(question.left) - light("verbs") - light("nouns") - {"x"}
    shares = [(len(wanted & s.terms) / len(wanted) if wanted else 1.0, s) for s in told]
    best = max((share for share, _ in shares), default=0.0)
    if best < _SHARED:
        return _unknown()
    return _reply(_newest([s for share, s in shares if share == best])[:1], retold)


def _reply(chosen: Sequence[Statement], tell: Callable[[_Item], str], head: str = "") -> AnswerReply:
    if not chosen:
        return _unknown()
    parts: list[str] = []
    for statement in chosen:
        quoted = {**statement.item, "told": _in_context(statement), "asking": statement.asked}
        said = tell(quoted if statement.quote else statement.item)
        if said not in parts:
            parts.append(said)
    if head:
        parts[0] = _lower(parts[0])
    cited = list(dict.fromkeys(str(s.item["id"]) for s in chosen))
    return AnswerReply(text=head + " ".join(parts), citations=cited, known=True)


def _in_context(statement: Statement) -> str:
    """A short sentence of a turn, with the short ones that go on about it ("My hip mostly. The left one.")."""
    spoken = list(statement.item.get("sentences") or ())
    place = spoken.index(statement.quote) if statement.quote in spoken else len(spoken)
    said = [statement.quote]
    for following in spoken[place + 1 :]:
        if len(" ".join(said).split()) >= _BRIEF or len(following.split()) >= _BRIEF:
            break
        said.append(following)
    return " ".join(said)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:] if text.startswith(("You", "Your")) else text


def _unknown() -> AnswerReply:
    return AnswerReply(text=UNKNOWN, citations=[], known=False)


_ANSWERS: Mapping[Wants, Callable[[Question, Sequence[Statement], KnownPeople], AnswerReply]] = {
    Wants.YES_NO: _yes_or_no,
    Wants.ALLOWED: _allowed,
    Wants.TOPIC: _topic,
    Wants.SUMMARY: _summary,
    Wants.SAID: _assistant,
}
