"""What kind of utterance a clause is: only a statement says something about the world."""

from __future__ import annotations

import re
from enum import StrEnum


class Kind(StrEnum):
    """What somebody does with a clause."""

    STATEMENT = "statement"
    QUESTION = "question"
    REQUEST = "request"
    HYPOTHETICAL = "hypothetical"
    REPORTED = "reported"
    SARCASM = "sarcasm"


ASKING = (
    r"(?:so\s+)?(?:can|could|would|will|do|does|did|are|is|should|have|has)\s+(?:you|i|we|it|there|they|"
    r"anyone|this|that|he|she|"
    r"these|those|my|the|any)\b|(?:what|how|which|who|whom|whose|where|why|when)(?:['’]s|['’]re)?\s+(?!i\b)"
    r"(?:is|are|was|do|does|did|can|could|should|would|will|to|about|much|many|long|far|often|else|kind|type|"
    r"sort|'s|\w+\s+(?:is|are|do|can|should|would))\b|"
    r"any\s+(?:\w+\s+){0,3}?(?:ideas?|tips?|advice|suggestions?|recommendations?|thoughts|chance|recs?)\b|"
    r"what\s+about\b|how\s+come\b|is\s+it\b|would\s+it\b|i\s+(?:was\s+)?wonder(?:ing|ed)?\b|am\s+i\b|right\?|"
    r"is(?:n['’]t)\s+it\b|"
    r"don['’]t\s+you\b|maybe\s+someone\b"
)
QUESTION_START = re.compile(rf"(?:(?:and|but|so|also|ok(?:ay)?|hey|hi|hmm+|well|then|or)[,!]?\s+)*(?:{ASKING})", re.I)
_HYPOTHETICAL = re.compile(
    r"(?:(?:and|but|so|then|even|also|only|well|ok(?:ay)?|hmm+|like)[,]?\s+)*(?:if|unless|whether|what\s+if|"
    r"suppose|supposing|imagine|"
    r"let(?:['’]s|\s+us)\s+(?:say|pretend|imagine|assume)|pretend|assuming|assume|say\s+i\b|hypothetically|"
    r"in\s+(?:a|an|some)\s+(?:dream|"
    r"parallel|alternate|other)|would\s+i\b|were\s+i\b|had\s+i\b|should\s+i\b|wish\b|in\s+case|"
    r"provided\s+that|as\s+if|as\s+though|"
    r"when(?:ever)?\s|before\s|until\s|once\s+(?:i|we|my)|after\s+(?:i|we)\b|the\s+day\s+i|"
    r"it\s+feels\s+(?:like|as)|for\s+example\b|e\.g)",
    re.I,
)
_UNREAL = re.compile(
    r"\b(?:i|we)\s+(?:really\s+|just\s+|sometimes\s+|often\s+)*(?:wish|doubt|dreamed|dreamt|pretend(?:ed)?|"
    r"imagine[d]?|hope|fantasi[sz]ed?|"
    r"used\s+to\s+think|wonder(?:ed)?|thought)\s+(?:that\s+|about\s+)?(?:i|we|my|being|having|if|what|how|it|"
    r"he|she|they)\b|"
    r"\b(?:not\s+(?:sure|certain)|no\s+idea|unsure|don['’]?t\s+(?:know|think|believe|feel|suppose)|"
    r"do\s+not\s+(?:know|think|believe))\s+"
    r"(?:about\s+)?(?:if|whether|that|how|what|i|we|my|which|who|where|when)\b|\bas\s+(?:if|though)\s+(?:i|we)\b|"
    r"\bmy\s+character\b|\b(?:in|of)\s+(?:my|the)\s+(?:dream|nightmare|story|novel|game|book|film|movie|"
    r"script)\s*,|\bhypothetical",
    re.I,
)
_CONDITIONAL = re.compile(
    r"(?<!sure)(?<!know)(?<!wondering)(?<!see)(?<!certain)(?<!ask)(?<!decide)(?<!not)"
    r"(?<!even)(?<!wonder)(?<!check)(?<!curious)(?<!unsure)\s(?:if|unless|assuming|provided)\s+(?:i|we|my|you|he|she|they|it|the|there|"
    r"that)\b",
    re.I,
)
_SUPPOSING = ("if ", "unless", "assuming", "provided", "suppose", "imagine", "hypothetical")
_SUPPOSED = re.compile(r"\W*(?:if|suppose|imagine|what if|hypothetically)\b", re.I)
_SARCASM = re.compile(
    r"\boh,?\s+(?:yes,?\s+)?(?:how\s+)?i\s+(?:just\s+|so\s+|really\s+)?(?:love|adore|enjoy)|\bi\s+just\s+(?-i:LOVE)\b|"
    r"\byeah[,]?\s+right\b|\b(?:sure|right|yeah|oh\s+great|great|yes|of\s+course)[,.…]*\s+(?:because|cause|"
    r"cuz|like|as\s+if)\s+(?:i|we|my|that|who)\b|"
    r"(?<!\w)/s\b|\bas\s+if\s*[!.]|\bnot!\s*$|\bjust\s+what\s+i\s+(?:needed|wanted)\b|\bsaid\s+no\s+one\b|"
    r"\b(?:just\s+)?(?:kidding|joking)\b|"
    r"\bj/?k\b|🙄|\boh\s+(?:sure|joy|yay)\b|\bbecause\s+(?:that\s+)?(?:always|totally)\s+works\b|"
    r"\bobviously\s+i['’]?m\s+(?:a|an|the)\s+"
    r"(?:millionaire|billionaire|robot|king|queen|genius)",
    re.I,
)
_SAY = (
    r"(?:said|says|say|saying|thinks?|thought|claims?|claimed|told|tells|believes?|insists?|insisted|asked|asks|"
    r"reckons?|wrote|joked|figures?|"
    r"assumes?|assumed|keeps?\s+(?:saying|telling|asking)|complains?|complained|suggest(?:s|ed)|mentioned|"
    r"swears?|heard)"
)
_SAYING = re.compile(rf"\b{_SAY}\b|\baccording", re.I)
_REPORTED = re.compile(
    rf"(?:^|[\s,])(?:he|she|they|you|people|everyone|everybody|someone|somebody|nobody|no\s+one|some|others|"
    rf"most\s+people|"
    rf"(?:my|our|the|his|her|their|a|some)\s+(?:[\w'’-]+\s+){{1,3}}?|(?-i:[A-Z][\w'’-]+\s))\s*(?:always\s+|"
    rf"just\s+|also\s+|once\s+|recently\s+|"
    rf"often\s+|jokingly\s+|never\s+|even\s+|still\s+)*{_SAY}\b|\baccording\s+to\s+(?!me\b|(?:the|my|a)\s+(?:\w+\s+)?(?:test|scale|watch|app|report|results?|calendar|plan)\b)",
    re.I,
)
_REQUEST = re.compile(
    r"(?:(?:please|pls|kindly|now|then|also|and|so|ok(?:ay)?|hey|hi|just|next|first|can\s+you|could\s+you|"
    r"would\s+you|will\s+you)[,!]?\s+)*"
    r"(?:write|draft|give|show|explain|list|translate|summari[sz]e|generate|create|make\s+(?:me|it|a|an|the|"
    r"this|up)|compose|describe|provide|"
    r"help\s+me|suggest|recommend|find\s+me|rewrite|compare|convert|calculate|solve|design|outline|prepare|"
    r"pretend|act|play\s+the\s+role|continue|"
    r"elaborate|expand|brainstorm|proofread|edit|fix\s+(?:this|the|my)|check\s+(?:this|the|my)|tell\s+me|"
    r"teach\s+me|ask\s+me|"
    r"walk\s+me|guide\s+me|let\s+me\s+know|add\s+(?:a|an|the|some|more)|imagine|consider|note\s+that\s+you|"
    r"use\s+(?:the|this|these|a)\b)\b",
    re.I,
)
_HELP = re.compile(r"\b(?:want|need|like|love|prefer|look|could|appreciat|after|interest|seek|ask)", re.I)
_WANTS_HELP = re.compile(
    r"\b(?:i|we)(?:['’]d|\s+would)?\s*(?:really\s+|just\s+|also\s+)*(?:want|need|like|love|"
    r"prefer)\s+(?:for\s+)?(?:you|chatgpt|the\s+assistant)\s+to\b(?!\s+(?:call|always|never|stop|be|"
    r"keep|remember|forget|reply|answer|respond|use|speak|talk|avoid))|"
    r"\b(?:i|we)(?:['’]d|\s+would)?\s*(?:am|was|were|['’]m|are|['’]re)?\s*(?:really\s+|just\s+|also\s+|"
    r"hoping\s+(?:that\s+)?|thinking\s+)*(?:need|want|like|love|looking\s+for|could\s+use|appreciate|after|"
    r"interested\s+in|seeking|ask(?:ing)?\s+for)\s+(?:to\s+(?:know|ask|hear|see|understand|get|have|share|"
    r"talk|discuss|chat|tell|say)\s+)?(?:about\s+)?(?:your|you|some|a|an|any|the|more|"
    r"specific|additional|further|few)?\s*(?:\w+\s+){0,4}?(?:help|advice|ideas?|suggestions?|recommendations?|"
    r"tips?|guidance|assistance|information|info|insights?|"
    r"examples?|explanations?|clarification|thoughts|feedback|opinions?|recipes?|resources?|steps?|"
    r"instructions?|summary|list)\b",
    re.I,
)


# "Don't bring it up unless I do" prohibits; the exception supposes nothing.
_PROHIBITED = re.compile(
    r"\W*(?:(?:please|and|so|also|just)\s+)*(?:do\s+not|don['’]t|never|stop|avoid)\b[^.!?;]*\sunless\s+i\b", re.I
)


def whole_kind(sentence: str) -> Kind | None:
    """The kind of a sentence that is of one kind as a whole."""
    if _SARCASM.search(sentence):
        return Kind.SARCASM
    low = sentence.lower()
    if "unless" in low and _PROHIBITED.match(sentence):
        return None
    if any(word in low for word in _SUPPOSING) and (_CONDITIONAL.search(sentence) or _SUPPOSED.match(sentence)):
        return Kind.HYPOTHETICAL
    return None


def clause_kind(clause: str, lead: str, before: Kind, question: bool, n: int) -> Kind:
    """The kind of a clause.

    Args:
        lead: the conjunction before it.
        before: the kind of the clause before it.
        question: it is asked.
        n: its place in the sentence.
    """
    if question:
        return Kind.QUESTION
    if lead in {
        "if",
        "unless",
        "whether",
        "in case",
        "assuming",
        "provided",
        "before",
        "until",
        "when",
        "whenever",
        "once",
        "after",
    }:
        return Kind.HYPOTHETICAL
    if _HYPOTHETICAL.match(clause) or _UNREAL.search(clause):
        return Kind.HYPOTHETICAL
    if (_SAYING.search(clause) and _REPORTED.search(clause)) or (
        before is Kind.REPORTED and n and lead in {"and", "", "because", "as", "so", "or"}
    ):
        return Kind.REPORTED
    if _REQUEST.match(clause) or (_HELP.search(clause) and _WANTS_HELP.search(clause)):
        return Kind.REQUEST
    return Kind.STATEMENT
