"""Which plans a deed fulfils, in whatever words: "Rang the practice" settles "Has to call the dentist".

The act must be of a family that settles the plan's, what it is done with must be met and not be contradicted (a water
bill is no electricity bill), and the user, or nobody who is named, must have done it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from memory_pipeline.domain.consolidation.deeds import Act, deeds, plans
from memory_pipeline.domain.consolidation.ending_verbs import verb_endings
from memory_pipeline.domain.consolidation.naming import lines, of_kind, same_thing
from memory_pipeline.domain.inflection import stem
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import table, wordset
from memory_pipeline.domain.text import figures, normalise, singular

_UNDONE = lazy(
    r"\b(?:not yet|yet to|never got|still (?:haven't|have not|has not|hasn't|need|needs|has to|have to|must|owe|owes)|"
    r"(?:haven't|hasn't|didn't|did not|have not|has not|couldn't|could not|wasn't able|was not able|isn't|is not|"
    r"aren't|wasn't|was not|cannot|can't|won't|will not|don't|doesn't|does not)|forgot(?:ten)? to|almost|nearly|"
    r"half of|some of|most of|part of|except|apart from|all but|tried to|trying|attempted|failed to|going to|"
    r"(?:i|we|they|he|she)(?:'ll| will)|will|should|must|tomorrow|plans? to|wants? to|needs? to|has to|have to|"
    r"wish|supposed to|if|unless|should have|would have|used to|asked (?:\w+ ){1,3}to|remind)\b",
    re.I,
)
_IN_VAIN = lazy(
    r"\b(?:nobody|no one|no-one) (?:picked|answered|was|is|there|home|came)|\bno (?:answer|reply|response|luck|joy)\b|"
    r"\bvoice ?mail\b|\bline (?:was|is) (?:busy|dead)|\bwithout success|\bin vain\b|\bto no avail\b|"
    r"\b(?:did not|didn't|does not|doesn't|would not|wouldn't|never) (?:pick|answer|respond|reply|show|call back|work|"
    r"go through)|\b(?:engaged|busy) (?:tone|signal)|\bwas(?: already)? (?:closed|shut|sold out)",
    re.I,
)
_HAS_NOW = lazy(
    r"^(?P<who>(?:(?:the|my|their|his|her) )?[^,.;]{1,40}?) (?:has|have|got|received|now has|finally has) "
    r"(?P<what>(?:(?:his|her|their|its|the|all (?:the|of)|my) )?[^,.;]+)",
    re.I,
)
_WAS = lazy(r"^(?P<what>[^,.;]{2,60}?) (?:was|were|went) (?:\w+ ){0,3}?(?P<how>\w+)\b", re.I)
_WAS_AT = lazy(r"^(?:the user |i |we )?(?:was|were|(?:has |have )?been) (?:over )?(?:at|to) (?P<where>[^,.;]+)", re.I)
_CAME = wordset("objects", "came")
_CAME_BY = lazy(
    r"^(?:(?:the|my|our) )?(?P<who>[^,.;]{3,40}?) (?:ha(?:s|ve) been|came|has come|turned up|was here|visited)\b",
    re.I,
)
_CALLERS = wordset("objects", "callers")
# Done with what the words before it named: "watered them", "found one".
_POINTED = lazy(r"^(?:has |had |have )?\w+ (?:\w+ )?(?P<what>it|them|this|that|one|those|both)\b", re.I)
_INDEFINITE = frozenset({"a", "an", "some", "another", "one"})
_VAGUE = frozenset({"do", "buy", "collect", "find", "send", "give", "visit", "see", "call", "meet", "tell", "review"})
_MONEY = lazy(r"\b(?:money|cash|euros?|dollars?|pounds?|\d+ ?(?:€|\$|£)|[€$£] ?\d+)\b", re.I)
_OFF = frozenset({"plan", "pursuit"})
_ABOUT = frozenset({"pay", "call", "text", "send", "write", "reply", "tell", "ask", "return", "cancel", "thank"})
_SUMMONED = frozenset({"call", "book", "ask", "contact", "reply", "meet", "visit", "text", "invite", "fix"})


def fulfilled(said: str, loops: Sequence[str], *, dropped: bool = False, agent: str | None = None) -> list[int]:
    """Places of the plans that a told deed fulfils: one plan, or several that mean the same; none where it is not
    clear which.

    Args:
        said: the deed in one sentence: "Paid the water bill."
        loops: what was planned, each in one sentence: "Has to pay the electricity bill."
        dropped: it is told that the plan was given up, so that any act about the same thing will do.
        agent: who did it, where that is known not to be the user.
    """
    scored = [(fit(said, loop, dropped=dropped, agent=agent), n) for n, loop in enumerate(loops)]
    best = max((score for score, _ in scored), default=0.0)
    if best <= 0.0:
        return []
    chosen = [n for score, n in scored if score == best]
    meant = {_meaning(loops[n]) for n in chosen}
    return chosen if len(meant) == 1 else []


@lru_cache(maxsize=65536)
def fit(said: str, loop: str, *, dropped: bool = False, agent: str | None = None) -> float:
    """How well a deed fits a plan; 0 where it does not fulfil it, more for each word that both name."""
    if not dropped and (_UNDONE.search(_plain(said)) or _IN_VAIN.search(_plain(said))):
        return 0.0
    told = _deeds_of(said, agent)
    wanted = plans(loop)
    if not told or not wanted or _other_amount(said, loop):
        return 0.0
    scores = [max(_fits(deed, plan, dropped=dropped) for deed in told) for plan in wanted]
    return sum(scores) if all(scores) else 0.0


def dropped_by(said: str, loops: Sequence[str]) -> list[int]:
    """Places of the plans that a statement tells to be off by its verb: "Scratched from the race", "Ditched the trip".

    What is only to be paid, asked or sent about a thing is not off with it.
    """
    if not any(told.kinds & _OFF for told in verb_endings(normalise(said))):
        return []
    doing = [n for n, loop in enumerate(loops) if not all(plan.families & _ABOUT for plan in plans(loop))]
    return [doing[n] for n in fulfilled(said, [loops[n] for n in doing], dropped=True)]


def same_plan(said: str, loop: str) -> bool:
    """Whether both set out to do one thing with one thing: "Still has to call mom", "Needs to ring their mother on
    Friday"; what the first names must all be in the second."""
    new, old = plans(_plain(said)), plans(_plain(loop))
    if len(new) != 1 or len(old) != 1 or _other_amount(said, loop):
        return False
    (act,), (known,) = new, old
    alike = bool(act.families & known.families) or bool(act.verb) and act.verb == known.verb
    return alike and bool(act.core) and all(_met(word, known.all) for word in act.all)


def by_others(said: str, loop: str, agent: str) -> bool:
    """Whether what somebody else did settles the user's plan: the plumber came who was to be called, Greta has the
    money that she was owed."""
    return fit(said, loop, agent=agent) > 0.0


def _plain(text: str) -> str:
    return text.replace("’", "'")


@lru_cache(maxsize=16384)
def _deeds_of(said: str, agent: str | None) -> tuple[Act, ...]:
    """What was done, with what others got or did where that settles a plan."""
    text = _plain(said)
    told = [_with_agent(deed, agent) for deed in deeds(text)]
    told = [deed for deed in told if not deed.agent or _trade_came(deed) or _rang_back(deed)]
    return (*told, *_called_in(text), *_received(text), *_seen(text), *_been(text))


def _with_agent(deed: Act, agent: str | None) -> Act:
    if agent is None or deed.agent:
        return deed
    words = frozenset(singular(w) for w in agent.lower().split())
    return Act(deed.families, deed.verb, deed.things, deed.heads, deed.owners, words, deed.generic, deed.tokens)


def _trade_came(deed: Act) -> bool:
    called = deed.agent & wordset("objects", "trades") or len(deed.agent) > 1 and deed.agent & _CALLERS
    return bool(called) and bool(_CAME & frozenset(deed.tokens))


def _called_in(text: str) -> list[Act]:
    """ "The boiler man has been": who was to be called came."""
    hit = _CAME_BY.match(text)
    who = frozenset().union(*(a.all for a in plans("call " + hit["who"]))) if hit else frozenset[str]()
    if len(who) < 2 or not who & _CALLERS:
        return []
    nothing: dict[str, frozenset[str]] = {role: frozenset() for role in ("obj", "for", "from", "aside")}
    return [Act(frozenset({"visit"}), "", nothing, frozenset(), frozenset(), who, False, ())]


def _rang_back(deed: Act) -> bool:
    """ "The landlord called back": who was to be called has been spoken to."""
    return "back" in deed.tokens and bool(deed.families & {"reply", "call", "text"})


def _received(text: str) -> list[Act]:
    """ "Greta has her money" tells that she was paid, "Wes got his drill back" that it was returned."""
    hit = _HAS_NOW.match(text)
    if not hit or re.match(r"(?:the )?user\b|i\b|we\b", hit.group("who"), re.I):
        return []
    who, what = (frozenset().union(*(a.all for a in plans("give " + hit.group(g)))) for g in ("who", "what"))
    families = frozenset({"pay"}) if _MONEY.search(hit.group("what")) else frozenset({"return", "give", "send"})
    things = {"obj": who | what - {"money", "cash"}, "for": frozenset(), "from": frozenset(), "aside": frozenset()}
    return [Act(families, "", things, who | what, frozenset(), frozenset(), False, ())] if who else []


def _seen(text: str) -> list[Act]:
    """ "The Prado was amazing" tells that one has been there."""
    hit = _WAS.match(text)
    if not hit or hit.group("how").lower() not in wordset("objects", "impressions"):
        return []
    what = frozenset().union(*(a.all for a in plans("see " + hit.group("what"))))
    if not what or what & wordset("objects", "people"):
        return []
    things = {"obj": what, "for": frozenset[str](), "from": frozenset[str](), "aside": frozenset[str]()}
    families = frozenset({"visit", "watch", "read", "meet"})
    return [Act(families, "", things, what, frozenset(), frozenset(), False, ())]


def _been(text: str) -> list[Act]:
    """ "Was at grandma's" tells of a visit."""
    hit = _WAS_AT.match(text)
    if not hit:
        return []
    what = frozenset().union(*(a.all for a in plans("see " + hit.group("where"))))
    things = {"obj": what, "for": frozenset[str](), "from": frozenset[str](), "aside": frozenset[str]()}
    return [Act(frozenset({"visit"}), "", things, what, frozenset(), frozenset(), False, ())] if what else []


def _other_amount(said: str, loop: str) -> bool:
    """Whether both name sums of money, and other ones."""
    if not (_MONEY.search(said) and _MONEY.search(loop)):
        return False
    a, b = figures(said), figures(loop)
    return bool(a and b) and not a & b


def _fits(deed: Act, plan: Act, *, dropped: bool) -> float:
    if deed.agent:
        acting = deed.agent & wordset("objects", "trades") if not _rang_back(deed) else deed.agent
        if len(deed.agent) > 1 and deed.agent & _CALLERS:  # "the boiler man"
            acting = deed.agent - _CALLERS if all(_met(w, plan.core) for w in deed.agent) else frozenset()
        summoned = plan.families & _SUMMONED and any(same_thing(a, w) for a in acting for w in plan.core)
        return 1.0 if summoned else 0.0
    exact = _act_fits(deed, plan)
    if not (dropped or exact):
        return 0.0
    shared = _shared(deed, plan)
    if not shared:
        same = deed.families & plan.families if not deed.generic else frozenset[str]()
        if same and not plan.core and not deed.core:
            return 0.5
        pointed = _POINTED.match(" ".join(deed.tokens)) if same else None
        if pointed is None:
            return 0.0
        # "Hired one" is one of the kind that was wanted; "sent it" may be anything.
        of_a_kind = pointed["what"] == "one" and bool(_INDEFINITE & frozenset(plan.tokens))
        return 0.25 if of_a_kind or not deed.core and not same <= _VAGUE else 0.0
    if not dropped and (_other_things(deed, plan) or _part_only(deed, plan)):
        return 0.0
    missing = sum(not _met(w, deed.all) for w in plan.core)
    return len(shared) + 0.25 * exact - 0.1 * missing


def _act_fits(deed: Act, plan: Act) -> float:
    """2 for the same kind of act, 1 where one settles the other or any may be meant, 0 for another act."""
    if deed.families & plan.families or (deed.verb and deed.verb[:4] == plan.verb[:4]):
        return 2.0
    if deed.generic:
        whereabouts = bool(deed.tokens) and deed.tokens[-1] in wordset("objects", "places")
        return 0.0 if whereabouts and plan.families & wordset("objects", "social") else 1.0
    settled = {f for family in deed.families for f in table("acts")["settles"].get(family, ())}
    if settled & plan.families:
        return 1.0
    # A plan that is only named, "tax return by May", is done by whatever is told of it that is no mere talk of it.
    named_only = plan.families <= {"do"} and not plan.verb
    return 1.0 if named_only and not deed.families <= {"call", "text", "ask", "tell", "book", "cancel", "move"} else 0.0


def _shared(deed: Act, plan: Act) -> set[str]:
    """The plan's own words that a deed names, leaving out those that only say in one of them whose a thing is."""
    # What is only talked about counts where nothing else is named: "spoke to Tom about mom" is no word with her.
    told = deed.core if _extra(deed, plan, "obj") else deed.all
    found = {w for w in plan.core if _met(w, told)}
    strong = set()
    for word in found:
        addressed = bool(plan.heads & wordset("objects", "messages"))  # who sent it is who is answered
        owned = not addressed and _met(word, deed.owners) != (word in plan.owners)
        modifies = (
            not _met(word, deed.heads)
            and word in plan.heads
            and _extra(deed, plan, "obj")
            and not (_met_any(deed.heads, plan.core))
        )
        if not owned and not modifies:
            strong.add(word)
    return found if strong else set()


def _part_only(deed: Act, plan: Act) -> bool:
    """Whether a plan joins several things, and not all of them are named."""
    return "and" in plan.tokens and any(w in plan.core and not _met(w, deed.all) for w in plan.heads)


def _other_things(deed: Act, plan: Act) -> bool:
    """Whether each names something, in the same role, of which the other knows nothing."""
    for role in ("obj", "for", "from"):
        told = plan.things[role] - wordset("objects", "wild")
        if told & wordset("objects", "messages") and plan.families & wordset("objects", "social"):
            told = frozenset(w for w in told if w in plan.owners)
        missing = any(not _met(w, deed.all) for w in told)
        if _extra(deed, plan, role) and missing:
            return True
    return False


def _extra(deed: Act, plan: Act, role: str) -> bool:
    return any(not _met(w, plan.all) for w in deed.things[role])


def _met(word: str, words: frozenset[str]) -> bool:
    return any(same_thing(word, other) or of_kind(word, other) or of_kind(other, word) for other in words)


def _met_any(words: frozenset[str], others: frozenset[str]) -> bool:
    return any(_met(w, others) for w in words)


@lru_cache(maxsize=4096)
def _meaning(loop: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(str(sorted(lines(w))) if lines(w) else stem(w) for w in plan.core) for plan in plans(loop))
