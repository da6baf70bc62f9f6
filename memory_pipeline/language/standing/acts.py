"""What somebody does with one sentence said in their own voice: state, ask, request, suppose, report, or nothing.

A sentence that does two things is parted at the comma or conjunction between them: "I'm coeliac, is pesto ok?" states
and asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.standing.tables import folded, row, words

OWN, QUESTION, REQUEST = "own", "question", "request"
HYPOTHETICAL, REPORTED, FILLER = "hypothetical", "reported", "filler"

_IF = lazy(r"\bif\s+[a-z]")
_WERE = lazy(r"\bif (?:i|we) were\b")
_NAMED = lazy(
    r"(?:^|[,;(]\s*|\b(?:and|but|because|so|that|since|when)\s+)\W*"
    r"(?P<who>[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)?) (?P<rest>[a-z].*)",
    re.S,
)
_SPEAKERS = (["i"], ["you"], ["we"], ["u"])
_FILLER_LENGTH = 8
_TOKEN = lazy(r"[^\W_]+(?:’[^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Act:
    """A part of a sentence by its place in the message, what is done with it, and a short reason."""

    start: int
    end: int
    kind: str
    why: str


def acts(text: str, low: str, start: int, end: int, asked: bool, listed: bool) -> list[Act]:
    """The parts of a sentence, neighbours of one kind joined.

    Args:
        text: the message; the sentence stands in [start, end).
        low: the message folded.
        asked: it ends in a question mark.
        listed: it is an item of a list, where no verb is an order.
    """
    sentence = low[start:end]
    if filler(sentence):
        return [Act(start, end, FILLER, "filler")]
    if row("sarcasm").search(low, start, min(len(low), end + 3)) or row("line").search(sentence):
        return [Act(start, end, HYPOTHETICAL, "sarcasm" if row("sarcasm").search(low, start, end + 3) else "line")]
    if listed:
        return [Act(start, end, QUESTION if asked else OWN, "list")]
    asked = asked and not (row("nod").search(sentence) and row("expect").match(sentence))
    told = row("told").match(sentence)
    if told:
        return [
            Act(start, start + told.end(), QUESTION, "asks"),
            *acts(text, low, start + told.end(), end, False, False),
        ]
    parts = list(_parts(low, start, end, asked))
    marks = [bool(_question(low[a:b], asked and n == len(parts) - 1)) for n, (a, b, _) in enumerate(parts)]
    if asked and not any(marks) and (closing := _asked_end(low, *parts[-1][:2])):
        parts[-1:] = [(parts[-1][0], closing[0], parts[-1][2]), (closing[1], end, "so")]
        marks.append(True)
    if asked and not any(marks):
        kind, why = (REQUEST, "order") if _ordered(sentence) and not _lasting(sentence) else (QUESTION, "mark")
        marks = [True] * len(parts)
    else:
        kind, why = QUESTION, "asks"
    unreal = _unreal(sentence, any(marks))
    found: list[Act] = []
    for (a, b, joint), question in zip(parts, marks, strict=True):
        before = found[-1] if found else None
        act = Act(a, b, kind, why) if question else _statement(text, low, a, b, joint, unreal, before)
        if question and _ordered(low[a:b]):
            act = Act(a, b, OWN, "wish") if _lasting(low[a:b]) else Act(a, b, REQUEST, "order")
        if before and before.kind == act.kind and before.why == act.why:
            found[-1] = Act(before.start, b, act.kind, act.why)
        else:
            found.append(act)
    return found


def filler(sentence: str) -> bool:
    """Whether a folded sentence only greets, thanks, agrees or laughs."""
    if len(sentence) > 80:
        return False
    tokens = _TOKEN.findall(sentence)
    if not tokens:
        return True
    small = len(tokens) <= _FILLER_LENGTH and all(t in words("filler") or set(t) <= set("haezm") for t in tokens)
    return small and any(t in words("filler_core") or set(t) <= set("haezm") for t in tokens)


def request(sentence: str) -> bool:
    """Whether a folded sentence asks the assistant to do something now."""
    return (_ordered(sentence) or bool(row("wants_help").search(sentence))) and not _lasting(sentence)


def _parts(low: str, start: int, end: int, asked: bool) -> Iterator[tuple[int, int, str]]:
    """Where something else may begin: behind a joint stands a question, a request or a clause with its subject."""
    place, joint = start, ""
    for hit in row("joint").finditer(low, start, end):
        after = hit.end()
        if after >= end or hit.start() <= place:
            continue
        word = hit.group().strip(" ,(")
        if word == "if":
            after = hit.start() + 1
            if row("whether").search(low, place, hit.end()):
                continue
        rest = low[after : min(end, after + 120)]
        if hit.group().startswith(",") and row("relative").match(rest):
            continue
        begins = word == "if" or any(row(group).match(rest) for group in ("begins_clause", "asking"))
        begins = begins or (hit.group().startswith(",") and _ordered(rest))
        if not begins and asked and row("asking_marked").match(rest):
            begins = not row("noun_after").match(rest) or bool(row("finite").search(low[place : hit.start()]))
        if not begins:
            continue
        yield place, hit.start(), joint
        place, joint = after, word.split()[-1] if word else ","
    yield place, end, joint


def _asked_end(low: str, start: int, end: int) -> tuple[int, int] | None:
    """Where a statement ends and the short question begins that it leads to: "I'm vegan, so laddu?"."""
    closing = row("asked_end").search(low, start, end)
    if not closing or not row("states").match(low[start : closing.start()]):
        return None
    at = closing.start(closing.lastgroup or 0)
    return None if row("tag").match(low[at:end]) else (closing.start(), at)


def _question(part: str, asked: bool) -> bool:
    lead = row("lead").match(part)
    rest = part[lead.end() :] if lead else part
    return bool(row("asking").match(rest)) or (asked and bool(row("asking_marked").match(rest)))


def _ordered(part: str) -> bool:
    return bool(row("order").match(part))


def _lasting(part: str) -> bool:
    return bool(row("lasting").search(part))


def _unreal(sentence: str, question: bool) -> bool:
    """Whether a condition supposes what is not so; "if I eat nuts I swell up" tells what is."""
    if not _IF.search(sentence) or row("wished_of_you").search(sentence):
        return False
    if row("whether").search(sentence) and len(_IF.findall(sentence)) == 1:
        return False
    if row("unreal_if").search(sentence):
        return question or bool(row("would").search(sentence)) or bool(_WERE.search(sentence))
    return bool(row("would").search(sentence) or row("will").search(sentence)) or (
        question and sentence.lstrip().startswith("if")
    )


def _statement(text: str, low: str, a: int, b: int, joint: str, unreal: bool, before: Act | None) -> Act:
    part = low[a:b]
    if before and before.kind == REPORTED and not (joint in {"but", "so"} and row("begins_clause").match(part)):
        return Act(a, b, REPORTED, before.why)
    going_on = before is not None and before.kind == HYPOTHETICAL and joint in {"and", "or"}
    turned = joint == "but" and not row("would").search(part) and not _IF.search(part)
    if unreal and not turned and (_IF.search(part) or row("would").search(part) or going_on):
        return Act(a, b, HYPOTHETICAL, "if")
    if row("wish").search(part) and not row("wished_of_you").search(part):
        return Act(a, b, HYPOTHETICAL, "wish")
    if row("unsure").search(part):
        return Act(a, b, QUESTION, "unsure")
    who = _reporter(text[a:b], part)
    if who and not row("event").search(part):
        return Act(a, b, OWN, "expert") if row("an_expert").search(who) else Act(a, b, REPORTED, "said")
    if request(part):
        return Act(a, b, REQUEST, "order")
    if before and before.kind == REQUEST and (joint == "if" or (joint in {"and", "or"} and before.kind == REQUEST)):
        return Act(a, b, REQUEST, before.why)
    if before and before.kind == QUESTION and joint in {"and", "or", "if"}:
        return Act(a, b, QUESTION, before.why)
    return Act(a, b, OWN, "told")


def _reporter(part: str, low: str) -> str:
    hit = row("report").search(low)
    if hit and hit.group("who").split()[-1:] not in _SPEAKERS:
        return hit.group("who")
    source = row("according").search(low)
    if source:
        return source.group("who") or source.group()
    named = _NAMED.search(part)
    if (
        named
        and "n’t" not in folded(named.group("who"))
        and folded(named.group("who")) not in words("no_name")
        and row("says").match(low, named.start("rest"))
    ):
        return named.group("who").lower()
    return ""
