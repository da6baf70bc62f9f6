"""Agents and teams at work: decisions, findings, corrections, estimates (KN-18).

Their words are kept: what makes such a note worth keeping is its "because", its "root cause", its lesson (KN-7).
"""

from __future__ import annotations

import re
from dataclasses import replace

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.inference.builtin.directives import sentence_of
from memory_pipeline.inference.builtin.facts.fact import Fact, Weight

_CUE = lazy(
    r"\b(?:lessons?|takeaway|mistake|gotcha|pitfall|root cause|next time|in (?:the )?future|from now on|avoid|"
    r"never|do not|should|decided|agreed|chose|opted|"
    r"settled|going with|went with|decision|go with|standardi[sz]\w*|migrating|adopt|let us use|turns|turned|"
    r"found|discovered|figured|learn\w*|noticed|observed|"
    r"measured|confirmed|verified|established|cause|culprit|bottleneck|caused|due to|because|findings?|"
    r"paid off|worth it|right call|backfired|worked out|worked well|success|"
    r"took|leak|fail|crash|slow|hang|revised|estimated?s?|expect|reckon|guess|take|need|require|cost|of work|"
    r"of effort)\b",
    re.I,
)
_LEAD = lazy(
    r"^(?:(?:so|ok|okay|and|but|well|also|i will go with:?|we will go with:?|update|fyi|btw|by the way|note|"
    r"actually|hey|in the end|finally|yes|yeah)\b[,:]?\s+)+",
    re.I,
)
_DECIDED = lazy(r"decided|agreed|chose|opted", re.I)
_ABOUT_PEOPLE = lazy(r"(?:i|my|we|he|she|they)\b", re.I)
_GOING = lazy(r"^(?:are|am) ", re.I)
_SHORTEST = 15  # characters of a note
_WEIGHT = Weight(0.75, 0.7, 0.85)
_CORRECTION = lazy(
    r"^(?:the )?(?:key |main |important |big )?(?:lessons?(?: learn(?:ed|t))?|takeaway|mistake|note to self|"
    r"gotcha|pitfall)(?: (?:here|from (?:this|that|it)|for (?:me|us|next time)))?(?: is| was|"
    r":)?[\s:,-]+(?:that |to )?(?P<a>.{8,})$"
    r"|^(?P<b>(?:the )?root cause (?:was|is|turned out to be)\b.*\b(?:fix(?:ed)?|avoid|solution|solved|"
    r"resolved|next time|lesson|so we)\b.*)$"
    r"|^(?P<c>(?:next time|in (?:the )?future|from now on),? (?:we|i) (?:should|must|need to|will|have to|"
    r"ought to)\b.{6,})$"
    r"|^(?P<f>next time .{0,40}?\b(?:i|we) .{6,})$"
    r"|^(?P<d>(?:avoid|never|do not) (?:using|use|running|run|deploy(?:ing)?|merg(?:e|ing)|mix(?:ing)?|"
    r"call(?:ing)? the|rely(?:ing)? on|trust(?:ing)?|commit(?:ting)?|hardcod(?:e|ing)|shar(?:e|ing) state|"
    r"mutat(?:e|ing))\b.*\b(?:because|since|otherwise|or (?:it|you|we|the))\b.+)$"
    r"|^(?P<e>(?:we|the team) (?:should not|should) have (?:\w+).{6,})$",
    re.I,
)
_DECISION = lazy(
    r"^(?:(?:so|ok|okay|in the end|after (?:some|much|a lot of) .{3,30}?|"
    r"for (?:the )?[\w -]{3,30}?),? )*(?P<who>we|the team|i|our team)(?: have| all| both| finally| just|"
    r" eventually| ultimately)* (?P<what>(?:decided|agreed|chose|opted|settled|voted|concluded|picked|"
    r"selected|elected|resolved)\b.{6,}|"
    r"(?:are|am) going (?:to go )?with .{3,}|went with .{3,}|will go with .{3,}|are (?:standardi[sz]ing|"
    r"migrating|moving|switching) .{4,})$"
    r"|^(?:the )?decision(?: is| was)?:? (?:to |that )?(?P<made>.{8,})$|^let us (?:go with|use|"
    r"standardi[sz]e on|adopt) (?P<lets>(?!that|this|those|these|it\b|the (?:first|second|last)|option|"
    r"your).{3,})$|^(?P<going>going with .{3,})$",
    re.I,
)
_TECH = lazy(
    r"\b(?:because|over|instead of|rather than|since|due to|use|using|adopt|migrat\w+|deploy\w*|ship\w*|"
    r"drop support|replace|library|framework|database|api|service|"
    r"vendor|bugs?|caused|race|quer(?:y|ies)|index|cache|tests?|server|cluster|schema|architecture|release|"
    r"sprint|backend|frontend|pipeline|repo|branch|feature)\b",
    re.I,
)
_FINDING = lazy(
    r"^(?:so |and |it )?(?:turns|turned) out,?(?: that)? (?P<turned>(?=(?:the|our|a|an|all|most|every|there|"
    r"this|(?-i:[A-Z]\w+)) )(?!the same|a bit|a lot).{10,})$"
    r"|^(?:we|i|our team|the team)(?: have| just| also| finally| recently)* (?:found|discovered|figured|"
    r"learned|learnt|noticed|observed|measured|confirmed|verified|established)(?: out that| out| that|"
    r"(?= the (?:bug|issue|problem|root|bottleneck|cause|culprit)))(?: that)? (?P<found>(?!it\b|a\b|an\b|"
    r"some\b|the (?:perfect|best|right)\b|my\b|this (?:recipe|book)|out\b|your).{10,})$"
    r"|^(?P<cause>(?:the )?(?:root cause|underlying (?:cause|issue|problem)|real (?:issue|problem|cause)|"
    r"culprit|bottleneck)(?: of .{2,60}?| for .{2,60}?| behind .{2,60}?)? (?:was|is|turned out to be|"
    r"seems to be)\b.{5,})$"
    r"|^(?P<because>(?:i think )?(?:the )?(?:[\w.-]+ ){0,2}(?:bug|issue|problem|error|crash|failure|spike|"
    r"drop|increase|flakiness|outage|regression|leak|slowdown|latency|timeout)s?(?: .{2,50}?)? (?:was|were|is|"
    r"are|turned out to be) (?:caused by|due to|because|a result of|happening because|triggered by)\b.{5,})$"
    r"|^(?:(?:so|and|here is|here are|the|a|my|our|key|main|first|second|third|another|next|"
    r"last) )*findings?(?: (?:number )?\w+)?"
    r"(?: (?:then|on \w+|about \w+))?(?: is| was|,|:)+ (?:that )?(?P<said>.{10,})$",
    re.I,
)
_AMOUNT = (
    r"(?:(?:about|around|roughly|approximately|~|≈|at least|up to|maybe|probably|another|less than|under|over|"
    r"more than) ?)*(?:\d+(?:\.\d+)?(?: ?(?:-|–|to|or) ?\d+(?:\.\d+)?)?|an?|one|two|three|four|five|six|"
    r"a couple(?: of)?|a few|half an?) ?(?:story )?(?:points?|hours?|hrs?|days?|weeks?|months?|sprints?|minutes?|"
    r"mins?|person-days|man-days|quarters?|years?)"
)
_ESTIMATE = lazy(
    rf"^(?:(?:my|our|the|rough|current|initial|revised|new|updated|latest|first|original) )*estimates?"
    rf"(?: (?:for|of|on) (?P<task>.{{3,60}}?))?(?: is| was|:)+ (?P<a>{_AMOUNT}.*)$"
    rf"|^(?:i|we)(?: would)? (?:estimate|expect|reckon|guess|figure)(?:d)?(?: that)? (?P<b>.{{3,80}}?{_AMOUNT}\b.*)$"
    rf"|^(?P<c>(?!i\b|we\b|you\b).{{2,80}}? (?:should|will|would|could|might|is going to|is expected to|"
    rf"is estimated to) (?:probably |only |likely )*(?:take|need|require|cost)(?: us| me)? {_AMOUNT}\b.*)$"
    rf"|^(?P<d>.{{3,60}}? (?:is|are) (?:estimated at|about|roughly|around|~) ?{_AMOUNT} (?:of work|of effort|"
    rf"to (?:build|fix|implement|finish|complete)).*)$"
    rf"|^(?P<e>(?:should|will) (?:probably |only )?take {_AMOUNT}\b.*)$",
    re.I,
)
_TOOK = lazy(rf"^(?:the |our )?.{{3,50}}? took (?:us )?(?:only |about |nearly |almost |over )?{_AMOUNT}\b.*$", re.I)
_BECAUSE = lazy(
    r"^(?:the |our |a |all )?[\w .'/-]{3,60}? (?:leaks?|leaked|fails?|failed|crash(?:es|ed)?|hangs?|hung|times? out|"
    r"timed out|(?:is|are|was|were) (?:slow|flaky|down|broken)|breaks?|broke|stalls?|stalled|blocks?|blocked|loses?|"
    r"lost)\b.*\b(?:because|due to|since|as|when|after)\b.{6,}$",
    re.I,
)
_OUTCOME = lazy(
    r"^(?P<what>(?:the |our |that |this )?(?:decision|switch|move|migration|change|choice|bet|rewrite)\b.{0,60}?"
    r"|(?:switching|moving|migrating|going with|choosing|using|adopting) .{3,60}?) (?:has |have |really |already )*"
    r"(?:(?P<good>paid off|(?:was|is) (?:the right|a good|a great) (?:call|choice|decision|move)|"
    r"worked (?:out )?(?:really |very )?well|worked out|was worth it|turned out (?:really |very )?well|was a success)"
    r"|(?P<bad>backfired|was a mistake|did not (?:work out|pay off)|turned out badly|"
    r"(?:was|is) (?:the wrong|a bad) (?:call|choice|decision|move)))\b.*$",
    re.I,
)


def may_be_work(text: str) -> bool:
    """A cheap look for the words that such notes have."""
    return bool(_CUE.search(text))


def work_notes(text: str) -> list[Fact]:
    """The decision, finding, correction or estimate that a sentence states, in its own words; one at most."""
    text = _LEAD.sub("", text).rstrip(" .!")
    if len(text) < _SHORTEST:
        return []
    for read in (_outcome, _report, _correction, _estimate, _decision, _finding):
        note = read(text)
        if note is not None:
            return [note]
    return []


def _outcome(text: str) -> Fact | None:
    """ "The move to Rust paid off"."""
    hit = _OUTCOME.match(text)
    if hit is None:
        return None
    found = _note(MemoryType.FINDING, f"Found that {text[:1].lower()}{text[1:]}")
    return replace(found, attribute="outcome", value="positive" if hit.group("good") else "negative")


def _report(text: str) -> Fact | None:
    """ "The import took six hours", "The build fails because the cache is stale"."""
    because = _BECAUSE.match(text) and not _ABOUT_PEOPLE.match(text)
    return _note(MemoryType.FINDING, text) if because or _TOOK.match(text) else None


def _correction(text: str) -> Fact | None:
    hit = _CORRECTION.match(text)
    if hit is None:
        return None
    lesson = hit.group("a")
    return _note(MemoryType.CORRECTION, f"Lesson: {lesson}" if lesson else hit.group())


def _estimate(text: str) -> Fact | None:
    hit = _ESTIMATE.match(text)
    if hit is None:
        return None
    task, figure = hit.group("task"), hit.group("a")
    of_task = f" for {task}" if task else ""
    return _note(MemoryType.ESTIMATE, f"Estimate{of_task}: {figure}" if figure else f"Estimate: {hit.group()}")


def _decision(text: str) -> Fact | None:
    hit = _DECISION.match(text)
    if hit is None or (hit.group("who") or "").lower() == "i":
        return None
    if not (_TECH.search(text) or hit.group("made") or hit.group("lets")):
        return None
    what = next(g for k, g in hit.groupdict().items() if g and k != "who")
    told = what if _DECIDED.match(what) else f"Decided: {_GOING.sub('', what)}"
    return _note(MemoryType.DECISION, told)


def _finding(text: str) -> Fact | None:
    hit = _FINDING.match(text)
    if hit is None or re.match(r"i\b", text, re.I) and not (_TECH.search(text) or re.search(r"\d", text)):
        return None
    what = next(g for g in hit.groupdict().values() if g)
    return _note(MemoryType.FINDING, f"Found that {what}" if hit.lastgroup in {"turned", "found"} else what)


def _note(kind: MemoryType, text: str) -> Fact:
    return Fact(kind, sentence_of(text), subject="", weight=_WEIGHT, when="", dated="none")
