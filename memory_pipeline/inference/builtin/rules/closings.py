"""What an open loop may be closed by: something done, or something given up."""

from __future__ import annotations

import re

from memory_pipeline.domain.proposal import MemoryType, Operation, Surface
from memory_pipeline.inference.builtin.clauses import Clause, with_rest
from memory_pipeline.inference.builtin.lexicon import wordset
from memory_pipeline.inference.builtin.modality import Mode
from memory_pipeline.inference.builtin.patterns import PLAIN, Fact
from memory_pipeline.inference.builtin.rules.happenings import SMALL
from memory_pipeline.inference.builtin.rules.matter import bare, object_only
from memory_pipeline.inference.builtin.verbs import past
from memory_pipeline.inference.builtin.wording import sentence, third

# Closing by themselves; other past verbs close only with "done", "finally" and the like.
_CHORES = wordset(
    """
    call phone ring email text message finish complete submit send book pay file hand deliver fix cancel pick return
    renew mail post repair schedule reschedule register refill wrap confirm upload deploy merge order apply
    """
)
_DONE = wordset(
    """
    ship buy sign drop print clean pack meet visit see go run write read do take get attend tell reply respond
    talk water feed mow wash bake cook review publish plant paint plan prepare learn
    """
)
_DONE_CUE = re.compile(
    r"(?:^|[\s,.!;–-])(?:done|finally done|checked? (?:it )?off|off (?:my|the) list|all (?:set|sorted|done)|"
    r"sorted|finally)\b|✅|✔",
    re.I,
)
_DROPPED = re.compile(
    r"\b(?:after all|any ?more|decided (?:not to|against)|no longer|changed (?:my|our) minds?|gave up on|"
    r"fell through|called off)\b",
    re.I,
)
_CALLED_OFF = re.compile(
    r"^(?:my|our|the|that) (?P<what>.+?) (?:(?:has been |have been |was |is |got |were )?(?:cancell?ed|"
    r"called off|scrapped|"
    r"postponed indefinitely)|fell through|(?:is|are|was) (?:off|not happening))(?: now| after all)?$",
    re.I,
)
_NOT_DOING = re.compile(
    r"^(?:oh,? |and |also )*(?P<what>(?:the|my|our) [\w' -]{3,40}?)[:,] (?:i am |we are )?not (?:doing|"
    r"going to do) (?:it|that|this|them)\b",
    re.I,
)
_NO_NEED = re.compile(
    r"^(?:so |well |and |but )*(?:there is |there's )?no need to (?P<what>.+?)(?: any ?more| now| after all)?(?:,.*)?$",
    re.I,
)
# Other words for having called somebody.
_ON_THE_PHONE = (
    re.compile(
        r"^(?:i|we) (?:\w+ ){0,2}?(?:spoke|talked|chatted|have spoken|have talked|was|were|got off|just got off)"
        r"(?: (?:on|over|by))?(?: (?:the )?phone)? (?:to|with) (?P<who>(?:my |our )?[\w' -]+?)"
        r"(?: (?:on|over|by) (?:the )?phone)?$",
        re.I,
    ),
    re.compile(
        r"^(?:i|we) (?:\w+ ){0,2}?had (?:an? )?(?:\w+ ){0,3}?(?:phone ?call|call|phone conversation) with "
        r"(?P<who>(?:my |our )?[\w' -]+?)$",
        re.I,
    ),
    re.compile(
        r"^(?P<who>(?:my |our )?[\w' -]+?) and i (?:\w+ ){0,2}?(?:spoke|talked|chatted|were) "
        r"(?:on|over|by) (?:the )?phone$",
        re.I,
    ),
)
_PHONE = re.compile(r"\bphone|\bcall\b", re.I)
_DONE_WITH = re.compile(r"^(?:(?:i am|we are|finally|all|just|i am finally|i am all) )*done with (?P<what>.+)$", re.I)
_FINISHED = re.compile(
    r"^(?P<what>(?:my |the |our )?[\w' -]{3,50}?) (?:is|are) (?:finally |all |now )*"
    r"(?P<how>done|finished|complete|completed|submitted|paid|booked|sorted|sent)$",
    re.I,
)


_ONLY_TRIED = frozenset({"try", "attempt", "start", "begin", "fail", "forget"})
_CANNOT_COME = re.compile(
    r"^(?:i|we) (?:will not|can not|am not going to|are not going to) (?:be able to )?(?:make it to|make|"
    r"attend|come to|go to) (?P<what>(?:the|my|our|your|\w+'s) .+)$",
    re.I,
)


def closings(clause: Clause) -> list[Fact]:
    """The proposal to close an open loop that a clause makes: at most one, its content says whether it was kept."""
    stated = closed_thing(clause.text) or _phoned(clause)
    if stated:
        return stated
    clause = with_rest(clause, object_only(clause.rest) or clause.rest)
    over = clause.mode in {Mode.PAST, Mode.PERFECT} and not clause.negated and bool(clause.rest)
    if over and clause.verb == "cancel":
        return [_close(f"Cancelled {third(clause.rest)}", clause.rest, dropped=True)]
    if clause.negated:
        return _given_up(clause)
    if not over or SMALL.match(clause.rest) or clause.cue in _ONLY_TRIED:
        return []
    if clause.verb in _CHORES or clause.cue == "finish" or (clause.verb in _DONE and _DONE_CUE.search(clause.dated)):
        rest = _DONE_CUE.sub("", clause.rest).strip(" ,.!-–")
        form = past(clause.verb) if clause.form.lower() == clause.verb else clause.form  # "did call"
        said = f"finished {clause.form}" if clause.cue == "finish" else form
        return [_close(f"{said.lower()} {third(rest)}", f"{clause.verb} {rest}", dropped=False)]
    return []


def closed_thing(text: str) -> list[Fact]:
    """The same of sentences with the thing in front: "the trip is cancelled", "my report is finished"."""
    found = _of_a_thing(re.sub(r"^The\b", "the", text))
    return [found] if found else []


def _of_a_thing(text: str) -> Fact | None:
    off = _CALLED_OFF.match(text)
    if off:
        return _close(f"Cancelled the {third(off.group('what'))}", off.group("what"), dropped=True)
    left = _NOT_DOING.match(text)
    if left:
        return _close(f"No longer plans to do {third(left.group('what'))}", left.group("what"), dropped=True)
    needless = _NO_NEED.match(text)
    if needless:
        what = needless.group("what")
        return _close(f"No longer needs to {third(what)}", what, dropped=True)
    over = _DONE_WITH.match(text)
    if over:
        return _close(f"Finished {third(over.group('what'))}", over.group("what"), dropped=False)
    absent = _CANNOT_COME.match(text)
    if absent:
        return _close(f"Cannot go to {third(absent.group('what'))}", absent.group("what"), dropped=True)
    done = _FINISHED.match(text)
    if done:
        how = done.group("how").lower()
        verb = "finished" if how in {"done", "complete", "completed"} else how
        return _close(f"{verb} {third(done.group('what'))}", done.group("what"), dropped=False)
    return None


def _phoned(clause: Clause) -> list[Fact]:
    """ "Finally spoke to my mother on the phone", "had a long call with Sam": they were called."""
    if clause.negated or not _PHONE.search(clause.text):
        return []
    text = f"I {clause.text}" if clause.implied else clause.text
    hit = next((h for pattern in _ON_THE_PHONE if (h := pattern.match(text))), None)
    if hit is None:
        return []
    who = re.sub(r"\s+(?:on|over|by)\b.*$", "", hit.group("who"))
    return [_close(f"called {third(who)}", f"call {who}", dropped=False)]


def _given_up(clause: Clause) -> list[Fact]:
    planned = clause.mode in {Mode.FUTURE, Mode.ONGOING} or clause.cue in {"want", "need", "have", "plan"}
    if planned and (_DROPPED.search(clause.dated) or clause.ceased or clause.cue == "decide"):
        what = _DROPPED.sub("", f"{clause.verb} {clause.rest}").strip(" ,")
        return [_close(f"No longer plans to {third(what)}", what, dropped=True)]
    return []


def _close(content: str, value: str, *, dropped: bool) -> Fact:
    return Fact(
        MemoryType.OPEN_LOOP,
        sentence(f"{content.strip()} ({'dropped' if dropped else 'kept'})"),
        attribute="plan",
        value=bare(value),
        negated=dropped,
        operation=Operation.CLOSE_OPEN_LOOP,
        weight=PLAIN,
        surface=Surface.CONTINUE,
        when="" if dropped else "past",
    )
