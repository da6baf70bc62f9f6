"""Short answers to a follow-up on an open loop: "Have you called your mom?" – "Done!" is "I did call my mom".

What is done stands in the assistant's words, that it is done in the user's; without both there is no statement.
"""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_SENTENCES_BACK = 4
_ANSWER = 80  # characters of a sentence that only answers
_LEAD = r"^\W*(?:(?:yes|yeah|yep|yup|oh|sure|ok(?:ay)?|just|well|hi|hey|thanks|thank you|good news)\b[,!.: ]*)*"
_DONE = re.compile(
    _LEAD
    + r"(?:(?:it(?:'s| is| has been)|that(?:'s| is| has been)|all|i(?:'m| am)|i(?: have|'ve)|already|finally|just|"
    r"we(?:'ve| have)|got it) )*(?:done|did (?:it|that|so)|i did|we did|finished|taken care of|sorted(?: out)?|handled|"
    r"completed|checked off|✅|✔)(?!\w)",
    re.I,
)
_YES = re.compile(r"^\W*(?:yes|yeah|yep|yup|indeed|of course|i (?:did|have)|we (?:did|have))\b", re.I)
_UNSURE = re.compile(
    r"\b(?:not|no|never|but|except|half|almost|nearly|partly|most|some|tomorrow|later|soon|will|tonight|tried|trying|"
    r"still|if|when|once|until|want|need|should|going to|plan)\b|n't\b|'ll\b",
    re.I,
)
_END = r"(?:\s+(?:yet|already|so far|in the end|by now|today|at last))*\s*(?:,[^,]*)?[.!?]*$"
# What the assistant says that the user did, wanted or was to do: a verb phrase.
_ACT = re.compile(
    r"\b(?:did you (?:(?:ever|already|finally|also) )?(?:(?:manage|remember|get around|get round|get|find (?:the )?time"
    r"|get (?:a|the) chance|have (?:a|the) chance|have time|end up) to )?|"
    r"(?:have|had) you (?:managed|had (?:a|the) chance|had (?:the )?time|gotten around|got(?:ten)? round|"
    r"remembered|found (?:the )?time) to |"
    r"you (?:(?:still|also) )?(?:wanted|want|planned|plan|needed|need|had|have|meant|promised|intended|were going|"
    r"were planning|are going|asked me to remind you|said you (?:wanted|needed|had|were going)) to |"
    r"you (?:said|told me) you(?: would|'d) |"
    r"(?:do not|don't) forget to |remember to |reminder(?: to|:) |(?:it is|it's) time to |remind(?:ing)? you to )"
    r"(?P<act>(?!(?:do|manage|finish|get|make) (?:it|that|so)\b)[a-z][^.!?,;]*?)" + _END,
    re.I,
)
_PERFECT = re.compile(
    r"\bhave you (?:(?:already|finally|ever) )?"
    r"(?P<act>(?!(?:done|finished|managed|made|had|been)\b(?: (?:it|that|so))?\W*$)"
    r"[a-z]+(?:ed|t|n|d|ne|ng|ght|de) [^.!?,;]+?)" + _END,
    re.I,
)
# … or a thing: "How is the tax return going?"
_THING = re.compile(
    r"\b(?:(?:how about|what about|any (?:news|progress|update|luck) (?:on|about|with)) "
    r"(?:your|the) (?P<thing>[\w' -]+?)|(?:how(?:'s| is| are| did)|is|are|was) (?:your|the) (?P<state>[\w' -]+?) "
    r"(?:going|coming along|come along|go|done|finished|ready|sorted|complete))" + _END,
    re.I,
)
_ASKS_WHETHER = re.compile(
    r"\b(?:did you|have you|has (?:it|that) been|is (?:it|that|everything|all)|all done|done|how did (?:it|that) go)\b",
    re.I,
)


def done(before: str, answer: str) -> str | None:
    """The first-person statement that an answer to the assistant's last message makes of what it names, or None.

    Args:
        before: the assistant's message; its last sentences count, and they must name one thing only.
        answer: the user's; its first sentence counts.
    """
    first = _SENTENCE.search(answer.strip().replace("’", "'"))
    said = first.group() if first else answer.strip()
    sentences = [s.strip() for s in _SENTENCE.findall(before.replace("’", "'")) if s.strip()][-_SENTENCES_BACK:]
    if not sentences or len(said) > _ANSWER or _UNSURE.search(said):
        return None
    if not _DONE.match(said):
        asked = next((s for s in reversed(sentences) if "?" in s), "")
        if not _YES.match(said) or not _ASKS_WHETHER.search(asked):
            return None
    named = list(dict.fromkeys(s for sentence in sentences if (s := _named(sentence))))
    return named[0] if len(named) == 1 else None


def _named(sentence: str) -> str | None:
    """What a sentence of the assistant names, as if the user had said that it is done."""
    for pattern, statement in ((_PERFECT, "I have {}"), (_ACT, "I did {}"), (_THING, "my {} is done")):
        hit = pattern.search(sentence)
        if hit:
            words = next(group for group in hit.groups() if group)
            return statement.format(_first_person(words.strip()))
    return None


def _first_person(text: str) -> str:
    return re.sub(r"\byour\b", "my", re.sub(r"\byou\b", "me", text, flags=re.I), flags=re.I)
