"""Words that carry no statement: openings, hedges, asides at either end of a clause."""

from __future__ import annotations

import re
from collections.abc import Container

from memory_pipeline.inference.builtin.lexicon import wordset

FILLER = re.compile(
    r"(?:(?P<hedge>i (?:think|guess|believe|suppose|reckon|assume)(?: that)?(?= (?:i|we|my|our|it|he|she|"
    r"that)\b)|i would say(?: that)?|maybe|perhaps|probably|possibly|"
    r"apparently|presumably|i am pretty sure(?: that)?|not sure but|if i remember correctly|i might be wrong but)"
    r"|(?P<correct>actually|correction|small correction|sorry|i mean|to correct myself|to be precise|wait)"
    r"|(?P<urge>(?:please |just |always |and |also |you should |you can |can you |could you |"
    r"for the future,? |i want you to )*"
    r"(?:remember|note|keep in mind|bear in mind|know|do not forget|make a note|take note|be aware|write down|"
    r"for future reference|for the record|for your information|fyi|note to self)"
    r"(?: that)?(?=[,: ]+(?:i|my|we|our|the|[A-Z]\w+ (?:is|was|has|lives))\b))"
    r"|(?:i (?:just |also )?(?:wanted|want|would like) to (?:tell you|let you know|share|mention|say|add|"
    r"point out)(?: with you)?(?: that)?(?= (?:i|we|my)\b))"
    r"|i (?:should|have to|must|forgot to|need to|can|will) (?:also )?(?:mention|admit|say|confess|"
    r"tell you)(?: that)?|let me (?:also )?(?:mention|say|add|share)(?: that)?|"
    r"as (?:i|you) (?:mentioned|said|know|told you)(?: (?:before|earlier|already))?|did i (?:tell|"
    r"mention)(?: you)?(?: that)?|you know(?: what)?|you see|guess what|"
    r"it (?:turns|turned) out(?: that)?(?= (?:i|my|we)\b)|turns out(?: that)?(?= (?:i|my|we)\b)|the (?:thing|"
    r"truth|fact|good news|bad news|news) is(?: that)?|"
    r"i (?:just )?(?:realized|realised|remembered|noticed|found out|learned|heard)(?: that)?(?= (?:i am|"
    r"i have|my|we are)\b)|"
    r"i am (?:so |very |really |just |super |pretty )*(?:happy|glad|proud|excited|thrilled|sad|sorry|pleased|"
    r"afraid) (?:to (?:say|announce|share|report|tell you)|that|because)(?: that)?(?= (?:i|we|my|our)\b)|"
    r"oh|well|so|also|and|but|plus|anyway|ok|okay|hey|hi|hello|yes|yeah|yep|yup|"
    r"no(?! need\b)(?!\s+(?:more\s+)?(?:emojis?|emoticons?|bullets?|lists?|tables?|jargon|slang|markdown|jokes|"
    r"links|headings|hashtags|disclaimers|caveats|exclamation)\b)|nope|nah|sure|right|thanks|"
    r"thank you|btw|by the way|just so you know|"
    r"for (?:context|reference|background|what it is worth)|to be (?:honest|fair|clear|exact)|honestly|tbh|"
    r"in fact|unfortunately|luckily|fortunately|sadly|hmm+|um+|uh+|ah+|aw+|wow|haha+|lol|"
    r"look|listen|speaking of (?:which|that|\w+)|now|then|fun fact|good news|bad news|update|ps|p\.s\.|"
    r"first of all|first|firstly|second|secondly|finally|lately|recently|these days|nowadays|currently|"
    r"right now|at the moment|today's news|on another note|on a side note|side note|other than that|besides|"
    r"thankfully|personally|basically|generally|normally|overall|of course|"
    r"good morning|good evening|hi there|hello there|hey there|dude|man|bro|ugh|omg|yay|specifically|because|"
    r"since|although|though|whereas|"
    r"in general|obviously|clearly|surprisingly|interestingly|sometimes|(?:every|each) (?:morning|day|week|"
    r"night|evening|weekend|year|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|on weekends|"
    r"at home|at work)"
    r"(?:\s*[,:!.…-]+\s*|\s+|$)",
    re.I,
)
_TRAILER = re.compile(
    r"[\s,]+(?:lol|haha+|btw|by the way|tbh|though|too|as well|i think|i guess|actually|honestly|you know|"
    r"unfortunately|sadly|please|thanks|thank you|"
    r"to be honest|of course|for sure|obviously|again|if that (?:helps|matters)|just so you know|fyi|okay|ok|"
    r"right|anyways?|or something|and stuff|etc\.?|and so on)[\s.!,…]*$",
    re.I,
)
ANYMORE = re.compile(r"\b(?:any ?more|any longer)\b", re.I)
_TAG = re.compile(
    r",? (?:do|is|am|are|was|were|should|would|could|have|has|can|will|did|does) not (?:I|you|we|it|they|he|she)$", re.I
)
_LAST_WORDS = wordset(
    """
    lol haha hahaha btw way tbh though too well think guess actually honestly know unfortunately sadly please
    thanks you honest course sure obviously again helps matters so fyi okay ok right anyway anyways something
    stuff etc on i we it they he she
    """
)
ADVERBIAL = re.compile(
    r"^(?:for|on|at|in|during|with|as|over|after|since|to|because of|thanks to|due to|despite|besides|about|"
    r"regarding|while) [^,]{2,70}, (?=(?:i|we|my|our)\b)",
    re.I,
)
# "Since the pregnancy I …", "Weird, I …": what stands before the subject and is no clause.
_LEAD = re.compile(
    r"(?:since|after|before|during|because of|due to|thanks to) (?:the|my|our|this|that) [\w'-]+(?: [\w'-]+)?,? "
    r"(?=(?:i|we|my|our)\b)",
    re.I,
)
_ASIDE = re.compile(
    r"(?!(?:i|we|he|she|they|you|it|my|our|if|when|unless|while|as|like|unlike|according|people)\b)"
    r"(?-i:[A-Z])?[a-z][^,.!?]{1,40}, "
    r"(?=(?:i|we|my|our|since|after|before|during)\b)",
    re.I,
)
SOFTENER = re.compile(
    r"(?<=\b(?:am|is|do) )(?:pretty much|kind of|sort of|more or less|basically|a bit of|something of)\b ?", re.I
)


def untrailed(text: str) -> str:
    """The clause without what only trails behind it: "lol", "by the way", "isn't it"."""
    last = text.rpartition(" ")[2].lower().strip(",")
    return _TAG.sub("", _TRAILER.sub("", text)) if last in _LAST_WORDS else text


def unled(text: str, verbs: Container[str]) -> str:
    """The clause without an opening that holds none of the ``verbs``: "good news from the scale, I weigh …"."""
    aside = _ASIDE.match(text)
    if aside and not any(word in verbs for word in aside.group().lower().strip(", ").split()):
        text = text[aside.end() :]
    lead = _LEAD.match(text)
    return text[lead.end() :] if lead else text
