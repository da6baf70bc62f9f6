"""Rules for whether something is worth remembering at all, whatever it rests on."""

from __future__ import annotations

import re

from memory_pipeline.domain.gate.gate_input import ENDING, GateInput
from memory_pipeline.domain.gate.texts.language import english
from memory_pipeline.domain.gate.texts.small_talk import SHALLOW
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.policy import GatePolicy
from memory_pipeline.domain.proposal import DERIVED_TYPES, WORK_TYPES, Finding, MemoryType, Proposal
from memory_pipeline.domain.text import content_words, words

_REASON = lazy(
    r"\b(?:because|since|so that|due to|thanks to|why|how|root cause|lesson|caused|causes|causing|leads? to|"
    r"in order to|instead of|rather than|as a result|therefore|strategy)\b",
    re.I,
)
# "The migration is done.", "Fixed.", "All tests pass now.": a state of affairs without a what or a why (KN-7).
_STATUS_ONLY = lazy(
    r"^(?:[\w'’./-]+ ){0,5}?(?:(?:is|are|was|were|has been|have been|got|gets) )?(?:now |all |already |finally |"
    r"just |been )*(?:done|fixed|finished|complete[d]?|merged|deployed|shipped|closed|resolved|released|updated|"
    r"started|works?|working|passes|pass(?:ed|ing)?|ready|live|green|in progress|underway)(?: (?:now|today|yesterday|"
    r"again|already|successfully|as expected|in production|for now))*\W*$",
    re.I,
)
_KEYWORDS = {
    MemoryType.DECISION: lazy(
        r"\b(?:deci[ds]\w*|cho[os]\w*|pick(?:s|ed)?|us(?:e|es|ed|ing)|go(?:es|ing)? with|went with|adopt\w*|"
        r"switch\w*|mov(?:e|es|ed|ing) to|migrat\w*|agreed|settled? on|instead|rather than|prefer\w*|reject\w*|"
        r"keep(?:s|ing)?|kept|drop(?:s|ped|ping)?|replac\w+|will)\b",
        re.I,
    ),
    MemoryType.FINDING: lazy(
        r"\b(?:found|finds?|turns? out|turned out|caus\w+|show(?:s|ed|n)?|measur\w+|because|due to|reveal\w*|"
        r"discover\w*|learn(?:s|ed|t)?|lead(?:s)? to|led to|correlat\w*|slow\w*|fast\w*|fail\w*|leak\w*|block\w*|"
        r"time[sd]? out|grows?|grew|allow(?:s|ed)?|pass(?:es|ed)?|limit\w*|exceed\w*|reach\w*|equals?|only|drop(?:s|"
        r"ped)?|ris(?:e|es|en)|rose|f[ae]ll(?:s|en)?|depends?|need(?:s|ed)?)\b"
        r"|\d of \d|\d ?(?:%|x\b|×|ms\b|s\b|sec|min|[kmgt]i?b\b|percent|times)",
        re.I,
    ),
    MemoryType.CORRECTION: lazy(
        r"\b(?:lessons?|next time|from now on|avoid\w*|root cause|instead|never|always|must|fix(?:es|ed|ing)?|should|"
        r"not|wrong\w*|mistake\w*|correct\w*|actually|turned out|misread|was really)\b",
        re.I,
    ),
    MemoryType.ESTIMATE: lazy(
        r"\b(?:estimat\w+|takes?|took|expect\w*|forecast\w*|about|around|roughly|up to|by|days?|weeks?|months?|"
        r"hours?|minutes?|sprints?|points?|costs?|budget|percent|users|requests)\b|[%€$£]",
        re.I,
    ),
}

_IN_ORDER = Finding("dates", True, None, None, "dates in order")
_OUT_OF_ORDER = Finding("dates", False, None, None, "ends before it begins")
_TO_EXTRACT = Finding("derived", True, None, None, "a type that messages state")
_NOT_TO_EXTRACT = Finding("derived", False, None, None, "only the pipeline makes reflections and patterns")


def length(given: GateInput) -> Finding:
    """Neither too short nor too long (DL-12, KN-5)."""
    size, low, high = len(given.proposal.content.strip()), given.policy.min_length, given.policy.max_length
    if size > high:
        return Finding("length", False, float(size), float(high), f"longer than {high} characters")
    low = low if given.proposal.content.isascii() else min(low, _least(given.proposal.content, low))
    return Finding("length", size >= low, float(size), float(low), f"{size} characters")


def _least(text: str, low: int) -> int:
    """Half the length where each character is a syllable or a word, as in Chinese, Japanese and Korean."""
    wide = sum("\u3040" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7a3" for c in text)
    return (low + 1) // 2 if wide * 2 > len(text) else low


def confidence(given: GateInput) -> Finding:
    """The extractor is sure enough (DL-12)."""
    figure, low = given.proposal.confidence, given.policy.min_confidence
    return Finding("confidence", figure >= low, figure, low, "how sure the extractor is")


def salience(given: GateInput) -> Finding | None:
    """It matters enough (DL-12); a passing state has to matter more (DL-13)."""
    if given.proposal.operation in ENDING:
        return None
    figure = given.proposal.salience
    if given.proposal.type is MemoryType.EPHEMERAL:
        low = given.policy.min_salience_ephemeral
        return Finding("salience", figure > low, figure, low, "passing states must stand out (DL-13)")
    low = given.policy.min_salience
    return Finding("salience", figure >= low, figure, low, "how much it matters")


def surprise(given: GateInput) -> Finding | None:
    """It says something that does not hold of anybody: at least one specific word (KN-34)."""
    if given.proposal.operation in ENDING:
        return None
    figure, low = specific_words(given.proposal), given.policy.min_specific_words
    return Finding("surprise", figure >= low, float(figure), float(low), "words that say something of their own")


def specific_words(proposal: Proposal) -> int:
    """How many different words of the content are neither grammar nor small talk; a name or a number is one."""
    subject = frozenset() if proposal.subject is None else content_words(proposal.subject)
    return len(content_words(proposal.content) - SHALLOW - subject)


def quality(proposal: Proposal, policy: GatePolicy) -> float:
    """Quality of a work memory, 0 to 1 in two digits: length, keywords of a work memory, a reason, a concrete subject.

    Source: KN-5, KN-6, and for the concrete subject the decisions table: content that is about something in particular
    and more than a status report. The keywords are English; in another language the whole of them counts, since there
    is nothing to judge by.
    """
    parts, text = policy.quality, proposal.content.strip()
    count = len(words(text))
    if count < parts.min_words:
        score = 0.0
    else:
        score = parts.length if count <= parts.max_words else parts.length * parts.long_share
    pattern = _KEYWORDS.get(proposal.type)
    if pattern is not None and not _status_report(text) and _telling(proposal, text, parts.telling_words):
        score += parts.keywords
    score += parts.reason * bool(_REASON.search(text))
    score += parts.concrete * concrete(proposal)
    return round(score, 2)


def _telling(proposal: Proposal, text: str, least: int) -> bool:
    """Whether it has a keyword of a work memory, of whichever kind, or words enough that say something of their own."""
    if english(text) is False or any(pattern.search(text) for pattern in _KEYWORDS.values()):
        return True
    return specific_words(proposal) >= least


def _status_report(text: str) -> bool:
    """Whether it says that something is done and no more; the key word in it is then that of its form (KN-7)."""
    return _STATUS_ONLY.match(text) is not None and _REASON.search(text) is None


def concrete(proposal: Proposal) -> bool:
    """Whether the content has a concrete subject and no status-only verbs (decisions table, "missing value")."""
    if _status_report(proposal.content.strip()):
        return False
    return bool(proposal.entities or proposal.value) or specific_words(proposal) > 1


def quality_of_work(given: GateInput) -> Finding | None:
    """A decision, finding, correction or estimate is good enough to learn from (KN-5)."""
    if given.proposal.type not in WORK_TYPES or given.proposal.operation in ENDING:
        return None
    figure, low = quality(given.proposal, given.policy), given.policy.min_quality
    return Finding("quality", figure >= low, figure, low, "length, keywords and structure of a work memory (KN-5)")


def derived(given: GateInput) -> Finding | None:
    """An extractor reads messages: what holds of many memories is for the pipeline to make, out of these (DL-16)."""
    if not given.extracted:
        return None
    wrong = given.proposal.type in DERIVED_TYPES
    return _NOT_TO_EXTRACT if wrong else _TO_EXTRACT


def dates(given: GateInput) -> Finding:
    """What has an end does not end before it begins."""
    p = given.proposal
    wrong = p.valid_from is not None and p.valid_until is not None and p.valid_until < p.valid_from
    return _OUT_OF_ORDER if wrong else _IN_ORDER
