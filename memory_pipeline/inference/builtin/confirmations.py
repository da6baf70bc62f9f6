"""Short answers to the assistant's questions, made into the statements they amount to (RX-17, RX-23).

"Do you live in Lisbon?" – "Yes." becomes "I live in Lisbon"; the quote stays the user's own word.
"""

from __future__ import annotations

import re

_YES = re.compile(
    r"^\W*(?:oh |well |hmm )?(?:yes|yeah|yep|yup|correct|exactly|right|that(?:'|’)?s (?:right|correct|true|it|"
    r"me)|you(?:'|’)?re right|sure do|i do|i am|i have|"
    r"indeed|absolutely|definitely|of course|true|affirmative|you got it|sure)\b(?!,? (?:because|right|but|"
    r"and i|i(?:'|’| )(?!(?:do|am|have|did|can|was|will)\W*$))|.{60,})",
    re.I,
)
_NO = re.compile(
    r"^\W*(?:no|nope|nah|not (?:really|anymore|any more|yet)|i don(?:'|’)?t|i(?:'|’)?m not|never|negative)\b(?!.{60,})",
    re.I,
)
_SO_FAR = re.compile(r"(?: (?:yet|already|so far|by now))+$", re.I)
_LAST_QUESTION = re.compile(r"([^.!?\n]*)\?[^?\w]*$")
_OFFER = re.compile(
    r"\b(?:want|like|need|help|me\b|know|think|mind|question|interested|ready|sure|looking|mean|curious|okay|"
    r"ok|any|agree|understand|see|tried|considered|thought|heard|"
    r"familiar|feel|share|tell|notice|plan|or)\b",
    re.I,
)
_STATEMENTS = (
    (
        re.compile(r"^(?:so |and |then |also )*do you (?:still |currently |also )?(?P<rest>.+)$", re.I),
        "I {rest}",
        "I do not {rest}",
    ),
    (
        re.compile(r"^(?:so |and |then |also )*are you (?:still |currently |also )?(?P<rest>.+)$", re.I),
        "I am {rest}",
        "I am not {rest}",
    ),
    (
        re.compile(r"^(?:so |and |then |also )*have you (?:ever |already )?(?P<rest>.+)$", re.I),
        "I have {rest}",
        "I have not {rest}",
    ),
    (
        re.compile(r"^(?:so |and |then |also )*did you (?:ever |already |finally )?(?P<rest>.+)$", re.I),
        "I did {rest}",
        "I did not {rest}",
    ),
    (
        re.compile(r"^(?:so |and |then |also )*can you (?P<rest>speak|play|drive|swim|cook .+)$", re.I),
        "I can {rest}",
        "I can not {rest}",
    ),
    (
        re.compile(
            r"^(?:so |and |then |also )*(?:is|are) your (?P<rest>[\w ']+?) (?P<more>(?:in|at|a|an|the|called|named|on|"
            r"allergic|from)\b.+|[A-Z0-9].*|\w+)$"
        ),
        "my {rest} is {more}",
        "my {rest} is not {more}",
    ),
    (
        re.compile(
            r"^(?:so |wait,? |just to confirm,? |to confirm,? |am i right that )*you (?:(?:are|'re|"
            r"’re) )(?P<rest>.+?)(?:, (?:right|correct|yes))?$",
            re.I,
        ),
        "I am {rest}",
        "I am not {rest}",
    ),
    (
        re.compile(
            r"^(?:so |wait,? |just to confirm,? |to confirm,? |am i right that )*you (?P<rest>.+?)(?:, (?:right|"
            r"correct|yes|don't you))?$",
            re.I,
        ),
        "I {rest}",
        "I do not {rest}",
    ),
)
_OPEN = (
    (
        re.compile(r"\bwhere (?:do you (?:currently )?(?:live|reside)|are you (?:based|located|living))\b", re.I),
        "I live in {answer}",
    ),
    (re.compile(r"\bwhere are you (?:originally )?from\b", re.I), "I am from {answer}"),
    (re.compile(r"\bwhat(?:'|’)?s? (?:is )?your (?:full |first )?name\b", re.I), "my name is {answer}"),
    (
        re.compile(
            r"\b(?:what (?:should|can|may) i call you|what would you like (?:me )?to (?:be called|call you))\b", re.I
        ),
        "call me {answer}",
    ),
    (re.compile(r"\bhow old are you\b|\bwhat(?:'|’)?s? (?:is )?your age\b", re.I), "I am {answer} years old"),
    (re.compile(r"\bwhere do you work\b|\bwho do you work for\b|\bwhich company do you\b", re.I), "I work at {answer}"),
    (
        re.compile(
            r"\bwhat do you do (?:for (?:a living|work))|\bwhat(?:'|’)?s? (?:is )?your (?:job|occupation|profession)\b",
            re.I,
        ),
        "I work as a {answer}",
    ),
    (re.compile(r"\bwhen(?:'|’)?s? (?:is )?your birthday\b|\bwhen were you born\b", re.I), "my birthday is {answer}"),
    (re.compile(r"\bwhat(?:'|’)?s? (?:is |are )?your (?P<thing>favou?rite [\w ]+?)$", re.I), "my {thing} is {answer}"),
    (
        re.compile(
            r"\bwhat (?:are you|foods are you) allergic to\b|\b(?:any|have) (?:food )?allergies\b|"
            r"\ballergic to anything\b",
            re.I,
        ),
        "I am allergic to {answer}",
    ),
    (re.compile(r"\b(?:what|which) languages? do you speak\b", re.I), "I speak {answer}"),
    (
        re.compile(
            r"\bwhat(?:'|’)?s? (?:is )?(?:your|the) (?P<thing>(?:dog|cat|pet|wife|husband|partner|son|daughter|sister|"
            r"brother|girlfriend|boyfriend)(?:'s|’s)? ?(?:name|called)?)$",
            re.I,
        ),
        "my {thing} is {answer}",
    ),
)
_SHORT = re.compile(
    r"^\W*(?:it(?:'|’)?s |in |at |as |an? |the |just |i(?:'|’)?m |"
    r"my name is )?(?P<answer>[^.!?\n]{1,50}?)[.!]?\s*$",
    re.I,
)
_NO_ANSWER = re.compile(
    r"^(?:yes|no|yeah|nope|maybe|none|nothing|not sure|i\b|why|what|thanks|sure|idk|no idea|never|depends|private|"
    r"pass|skip|hello|hi|ok|okay|both|all)\b",
    re.I,
)


def confirmed(question: str, answer: str) -> str | None:
    """The first-person statement that an answer makes of the assistant's last message, or None."""
    asked = _LAST_QUESTION.search(question.strip())
    if not asked:
        return None
    words = asked.group(1).strip().replace("’", "'")
    yes, no = bool(_YES.match(answer)), bool(_NO.match(answer))
    if yes or no:
        return _closed(words, yes)
    for pattern, statement in _OPEN:
        hit = pattern.search(words)
        short = _SHORT.match(answer.strip())
        if hit and short and not _NO_ANSWER.match(short.group("answer")) and len(short.group("answer").split()) <= 6:
            return statement.format(answer=short.group("answer").strip(), **hit.groupdict())
    return None


def _closed(question: str, yes: bool) -> str | None:
    clause = re.split(r"[,;:–—]\s+(?=(?:do|are|have|can|is|so|you)\b)", question)[-1].strip()
    for pattern, affirmed, denied in _STATEMENTS:
        hit = pattern.match(_SO_FAR.sub("", clause))
        if hit:
            if _OFFER.search(hit.group("rest")):
                return None
            groups = {k: _first_person(v) for k, v in hit.groupdict().items() if v}
            return (affirmed if yes else denied).format(**groups)
    return None


def _first_person(text: str) -> str:
    return re.sub(r"\byour\b", "my", re.sub(r"\byou\b", "me", text, flags=re.I), flags=re.I)
