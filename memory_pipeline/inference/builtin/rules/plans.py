"""Open loops and goals: what somebody will, must, wants to or may do, and what is in the calendar."""

from __future__ import annotations

import re

from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.inference.builtin.clauses import Clause, with_rest
from memory_pipeline.inference.builtin.lexicon import wordset
from memory_pipeline.inference.builtin.masking import GAP
from memory_pipeline.inference.builtin.modality import Mode
from memory_pipeline.inference.builtin.patterns import FAINT, Fact, Weight
from memory_pipeline.inference.builtin.rules.matter import bare, main_part, matter
from memory_pipeline.inference.builtin.wording import retell, sentence, third

PLANNED = Weight(0.7, 0.65, 0.85)
MEANT = Weight(0.5, 0.45, 0.7)
_AHEAD = frozenset({Mode.FUTURE, Mode.DUTY, Mode.WISH, Mode.ATTEMPT, Mode.POSSIBLE})
# Said to the assistant about the conversation itself more often than of the writer's life.
_TALK = wordset(
    """
    know ask see hear understand say tell think keep let be check try consider look find figure mention share
    talk discuss learn make thank note remember feel seem sound leave take give follow stick start go explore
    use add include avoid ensure incorporate focus improve become have get do create write come continue put
    show want need like love hope wonder wish guess explain clarify confirm describe choose pick decide compare
    implement handle balance optimize optimise address manage
    """
)
_DEICTIC = re.compile(
    r"\b(?:that|those|these|this|it|them|him|her$|her\b(?= on)|your|you|suggestions?|tips?|advice|"
    r"recommendations?|resources?|ideas?|more about|"
    r"best (?:way|approach|practices?)|how to|some (?:ideas|tips|help|advice|recommendations|suggestions|"
    r"information)|sure)\b",
    re.I,
)
_DO = wordset(
    """
    call phone email text message visit meet buy book order pay send submit finish complete pick return renew
    sign register schedule apply cancel fix repair clean pack file deliver drop move attend graduate marry
    travel fly adopt paint plant host celebrate interview prepare train run launch publish release ship sell
    quit retire volunteer donate exercise practice read study invite bring cook bake feed water wash review
    present record plan organize organise print install upgrade switch replace refinance close open join enroll
    enrol build save lose gain invest settle propose
    """
)
_ARRANGED = _DO | wordset(
    """
    go have get take do see come start leave drive spend give host throw stay catch head begin speak talk turn
    be hike camp ski swim climb dance perform play compete race audition
    """
)
_GOAL_VERBS = wordset(
    """
    learn become run lose gain buy build travel visit write move save quit start publish open launch own climb
    finish read improve retire live speak master earn adopt graduate study teach swim hike establish impact
    reduce create pursue
    """
)
_CHAT = wordset("chat talk discuss ask share tell say mention")
_CONCRETE = wordset("go start get take make do have write create give focus")
_APPOINTMENT = (
    r"(?:(?:[\w'-]+ ){0,4}?(?:appointment|appt|meeting|interview|exam|test|flight|deadline|due date|"
    r"presentation|wedding|"
    r"surgery|checkup|check-up|reservation|trip|concert|party|conference|race|marathon|class|session|call|"
    r"dinner|lunch|date|"
    r"game|match|recital|graduation|visit|vacation|holiday|move|ceremony|reunion|workshop|shift|train|"
    r"performance|audition|"
    r"competition|tournament|festival|operation|scan|review|hearing|tour|rehearsal|event|webinar|lesson|"
    r"baby shower|project|"
    r"assignment|essay|paper|report|thesis|rent|bill|taxes|baby|birthday party))"
)
_HAS_APPOINTMENT = re.compile(
    rf"^(?:an? |another |my |our |the |two |some )?(?P<what>{_APPOINTMENT}\b(?: (?:with|at|for|in|about|to|"
    rf"on) .+)?)$",
    re.I,
)
_IS_APPOINTMENT = re.compile(rf"^(?P<what>{_APPOINTMENT}(?: (?:with|at|for|in|about|to) .+?)?)$", re.I)
_BOOKED = re.compile(r"(?:scheduled|due|coming up|set|booked|planned)?(?:(?:^| )(?:for|on|at|in))?(?: .{0,40})?$", re.I)
_UNDATED = re.compile(r"appointment|interview|deadline|surgery|flight|exam", re.I)
_COMING = re.compile(
    r"\b(?:tomorrow|tonight|next|on|by|in (?!the (?:last|past))|coming|before|at|"
    r"this (?:coming|week|weekend|month|summer|fall|autumn|winter|spring|\w+day))\b",
    re.I,
)
_GONE = re.compile(r"\b(?:ago|last|yesterday|past)\b", re.I)
_INSTEAD = re.compile(r",? instead(?: of .*)?$", re.I)
_AWAY = re.compile(r"(?:back |over |out |down |up )*(?:to|for) [A-Z]")


def plans(clause: Clause) -> list[Fact]:
    """What the clause says of the writer's plans: an open loop, a goal, or nothing."""
    if GAP in clause.rest or clause.negated:
        return []
    clause = with_rest(clause, _INSTEAD.sub("", main_part(clause.rest)))
    if clause.mode in {Mode.ONGOING, Mode.PRESENT}:
        return _arranged(clause)
    if clause.mode not in _AHEAD or _says_nothing(clause):
        return []
    if clause.mode is Mode.WISH and not clause.phrases:
        return _goal(clause)
    weight = _weight(clause)
    return [_open(retell(clause), matter(clause), weight)] if weight else []


def _says_nothing(clause: Clause) -> bool:
    if clause.cue in {"keep", "continue"} or re.match(
        r"(?:(?:now|soon|so|better)?$|by\b|with (?:the|that|a)\b)", clause.rest
    ):
        return clause.verb not in _DO or bool(clause.rest)
    if clause.verb in _CHAT or (
        clause.cue in {"decide", "choose", "agree"} and any(_GONE.search(p.text) for p in clause.phrases)
    ):
        return True
    if clause.phrases:
        return bool(_DEICTIC.match(clause.rest))
    words = len(clause.rest.split())
    planned = clause.cue in {"plan", "intend", "decide", "promise"} and words >= 2
    specific = (
        clause.cue in {"going", "have", "need", "think", "consider", "might", "may"}
        and words >= 2
        and clause.verb in _CONCRETE
    )
    vague = clause.verb in _TALK - _GOAL_VERBS and not specific and not planned
    return vague or bool(_DEICTIC.search(clause.rest))


def _goal(clause: Clause) -> list[Fact]:
    if clause.verb not in _GOAL_VERBS or not clause.rest:
        return []
    return [
        Fact(MemoryType.PROFILE_FACT, retell(clause), attribute="goal", value=matter(clause), weight=MEANT, when="")
    ]


def _weight(clause: Clause) -> Weight | None:
    known = clause.verb in _DO | _GOAL_VERBS
    if clause.mode is Mode.POSSIBLE:
        return FAINT if clause.phrases or known else Weight(0.3, 0.3, 0.5)
    if clause.mode is Mode.ATTEMPT:
        return MEANT if known else None
    if clause.cue == "should" or not (clause.phrases or known):
        return MEANT
    return PLANNED


def _arranged(clause: Clause) -> list[Fact]:
    """Appointments, and the present tense with a date to come ("I'm meeting Sam on Friday")."""
    if clause.mode is Mode.PRESENT:
        return _appointment(clause)
    if clause.cue in {"start", "begin", "been", "keep"} or clause.mode is not Mode.ONGOING:
        return []
    if clause.verb in {"plan", "organize", "organise", "arrange"} and re.match(r"(?:an?|my|our|the|to)\b", clause.rest):
        return [_open(retell(clause), bare(clause.rest), PLANNED)]
    coming = all(
        p.relation in {"on", "by"} and _COMING.search(p.text) and not _GONE.search(p.text) for p in clause.phrases
    )
    soon = bool(clause.phrases) and coming and clause.verb in _ARRANGED
    away = clause.verb in {"head", "fly", "travel", "go", "drive", "move", "relocate"} and bool(
        _AWAY.match(clause.rest)
    )
    buying = clause.verb in {"buy", "sell", "adopt", "renovate", "refinance"} and re.match(
        r"(?:an?|our|my|the) ", clause.rest
    )
    if buying and not clause.phrases:
        return [_open(retell(clause), matter(clause), PLANNED)]
    if soon or (away and not clause.phrases):
        return [_open(sentence(f"plans to {clause.verb} {third(clause.rest)}"), matter(clause), PLANNED)]
    return []


def _appointment(clause: Clause) -> list[Fact]:
    if clause.verb == "owe" and clause.phrases:
        return [_open(retell(clause), matter(clause), PLANNED)]
    if clause.verb == "have" and not clause.possessed:
        hit = _HAS_APPOINTMENT.match(clause.rest)
        if hit and (clause.phrases or _UNDATED.search(hit.group("what"))):
            return [_has(hit.group("what"))]
    if clause.possessed and clause.verb in {"be", "start", "leave", "begin"} and clause.phrases:
        hit = _IS_APPOINTMENT.match(clause.subject)
        if hit and _BOOKED.match(clause.rest):
            booked = re.match(r"scheduled|due|coming|set|booked|planned", clause.rest)
            return [_has(hit.group("what") + (f" {clause.rest}" if clause.rest and not booked else ""))]
    return []


def _has(what: str) -> Fact:
    shown = third(what)
    first = shown.split()[0].lower()
    article = "" if first in {"the", "two", "some", "a", "an", "their"} else "an " if first[:1] in "aeiou" else "a "
    return _open(sentence(f"has {article}{shown}"), shown, PLANNED)


def _open(content: str, value: str, weight: Weight) -> Fact:
    return Fact(
        MemoryType.OPEN_LOOP,
        content,
        attribute="plan",
        value=value,
        weight=weight,
        surface=Surface.CONTINUE,
        when="due",
        direction="future",
        told=True,
    )
