"""Main clauses that only a comma or a conjunction joins, taken apart."""

from __future__ import annotations

import re

from memory_pipeline.domain.patterns import lazy

# Subjects, and the beginnings of requests.
_SUBJECT = (
    "I|we|he|she|they|it|that's|it's|he's|she's|they're|we're|there's|"
    "please|pls|don't|never|always|forget|delete|erase|call me"
)
_SPLICE = lazy(
    r"(?:\s*[;–—]\s+|\s+-{1,2}\s+|,\s+)(?:(?:and|but|so|plus|also|though|then|yet|or)\s+(?:also\s+)?)?"
    rf"(?=(?:{_SUBJECT})\b(?!\s+(?:and|or|too|all)\b))",
    re.I,
)
_AND_I = lazy(r"\s+(?:and|but|so|plus|while|because)\s+(?=(?:i|we|i'm|we're|i've|we've|my \w+|our \w+)\s)", re.I)
# "Rang Margaret, extractor is mine": a noun with its verb right behind it.
_NOUN_IS = lazy(
    r",\s+(?:and\s+)?(?=(?:(?:the|my|our|his|her|their) )?(?!(?:who|which|that|there|what|where|when|how|all|both)\b)"
    r"[a-z]{3,} (?:is|are|was|were|isn't|aren't|wasn't) )",
)
# "Millport's off, Rory has chickenpox": a name with its verb right behind it.
_NAME_HAS = lazy(r",\s+(?:and\s+|but\s+)?(?=[A-Z][a-z]+ (?:has|is|was|had|got|will|wants|needs) )")
_BECAUSE = lazy(r"\bbecause\b", re.I)
_PUNCTUATED = lazy(r"[,;–—-]|\s+[-–—]")
# What begins like this needs the clause that follows.
_DEPENDENT = lazy(
    r"^(?:(?:and|but|so|oh)\s+)*(?:if|when|since|because|as|while|after|before|until|once|although|though|unless|whenever|"
    r"whether|given|for|in|on|at|with|to|by|despite|during)\b",
    re.I,
)
# "Last week, I …" is one clause; "Software engineer, I work …" is two.
_TIMELESS = lazy(
    r"(?!(?:last|this|next|yesterday|today|every|each|one|two|these|\w+day|lately|recently|then|later)\b)", re.I
)
_SAYING = lazy(r"(?:i|we|he|she|they|it|that)(?:'\w+)? (?:\w+n't |\w+ )?\w+", re.I)
_FINITE = lazy(
    r"\b(?:am|is|are|was|were|'m|'s|'re|'ve|have|has|had|do|does|did|can|can't|will|won't|'ll|'d|would|should|must|need|"
    r"want|like|love|hate|live|work|use|go|got|get|take|took|moved|eat|drink|play|prefer|don't|call|keep|never|make|"
    r"\w+ed|\w{2,}n't)\b",
    re.I,
)
_NEAR = 60


def has_finite_verb(text: str) -> bool:
    """Whether a text has a word that looks like a verb with a subject."""
    return bool(_FINITE.search(text))


def spliced(text: str) -> list[str]:
    """Main clauses that only a comma or a conjunction joins, each by itself."""
    found, start = [], 0
    cuts = sorted(
        (m for cut in (_SPLICE, _AND_I, _NOUN_IS, _NAME_HAS) for m in cut.finditer(text)), key=lambda m: m.start()
    )
    for cut in cuts:
        left, right = text[start : cut.start()], text[cut.end() :]
        if cut.start() >= start and _parts(left, cut.group(), right):
            found.append(left)
            start = cut.end()
    return [*found, text[start:]]


def _parts(left: str, joint: str, right: str) -> bool:
    """Whether what stands before and behind a comma or a conjunction are sentences of their own."""
    if _DEPENDENT.match(left) or _BECAUSE.search(joint):
        return False
    if not has_finite_verb(left) and not _verbless_statement(left, joint, right):
        return False
    return bool(_PUNCTUATED.match(joint)) or has_finite_verb(right[:_NEAR])


def _verbless_statement(left: str, joint: str, right: str) -> bool:
    return joint.lstrip().startswith(",") and bool(_TIMELESS.match(left)) and bool(_SAYING.match(right))
