"""How the assistant is to speak: names, languages, length, tone, and standing orders (DL-3)."""

from __future__ import annotations

import re

from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.inference.builtin.lexicon import LANGUAGES, NOT_NAMES
from memory_pipeline.inference.builtin.patterns import CORE, Fact, Weight
from memory_pipeline.inference.builtin.values import noun
from memory_pipeline.inference.builtin.wording import sentence, third

POLITE = (
    r"^(?:(?:please|pls|kindly|just|and|also|so|ok(?:ay)?|hey|by the way|oh|well|again|actually|from now on|"
    r"going forward|in (?:the )?future|can you|could you|would you|"
    r"will you|i (?:would )?(?:really )?(?:want|need|like|prefer)(?: for)? you to|i would (?:appreciate|"
    r"love) it if you|i would like it if you|you can|you should|you may|feel free to|"
    r"make sure (?:to|you)|try to|remember to|i need you to|if possible|if you can|let us|"
    r"when (?:you )?(?:answering|replying|responding|talking|writing)(?: to)?(?: me)?|whenever (?:i|"
    r"you) .{3,40}?|"
    r"when (?:i|you) .{3,40}?),?\s+)*"
)
_LASTING = re.compile(
    r"\b(?:always|never|from now on|going forward|in (?:the )?future|every time|whenever|any ?more|stop|"
    r"by default|all your|in general|each time)\b|\bwhen (?:i|you)\b",
    re.I,
)
_LANGUAGE = "|".join(sorted(LANGUAGES, key=len, reverse=True))
_ANSWERS = (
    r"(?:answers?|repl(?:y|ies)|responses?|messages?|explanations?|everything|things|it|texts?|summaries|emails|"
    r"feedback|criticism|critique|advice)"
)
_CALL_ME = re.compile(
    POLITE
    + r"(?:call|address|refer to) me (?:as |by )?(?P<value>(?!back|later|when|if|at|on|tomorrow|tonight|an?\b|crazy|"
    r"old)[\w'’. -]{2,30}?)(?: (?:from now on|instead|please|okay|ok|for short))?(?:,.*)?$",
    re.I,
)
_REPLY_IN = re.compile(
    POLITE
    + rf"(?:always |only )?(?:repl(?:y|ies)|respond|answer|write|speak|talk|communicate|use|switch)(?: to me| back|"
    rf" with me)?(?: always| only)? (?:in |to )?(?P<value>{_LANGUAGE}|(?:british|american|simple|"
    rf"plain) english)(?: (?:only|please|from now on|always|going forward))*$",
    re.I,
)
_SHORT = re.compile(
    POLITE + rf"(?:always )?(?:keep|make|give me|write|i (?:like|prefer|want)|use|prefer) (?:your |the |all |"
    rf"my )*(?:{_ANSWERS} )?(?:as )?(?P<value>(?:very |super |nice and |more |really |short and )*(?:short|"
    rf"brief|concise|detailed|long|longer|shorter|simple|to the point|direct|blunt|honest|gentle|succinct|"
    rf"sweet|thorough|in-depth|"
    rf"casual|formal|friendly|professional|informal|bullet points?|one paragraph|"
    rf"under \d+ words))(?: (?:{_ANSWERS}|as possible))*(?: (?:please|from now on|always))*$",
    re.I,
)
_BE = re.compile(
    POLITE
    + r"(?:always )?be (?:a (?:bit|little) )?(?P<value>(?:more |less |very |brutally |completely |as )*(?:direct|"
    r"honest|blunt|concise|brief|casual|formal|informal|friendly|polite|patient|critical|strict|encouraging|"
    r"playful|funny|sarcastic|specific|straightforward|gentle|verbose|precise|professional|"
    r"enthusiastic)(?: (?:and|but) (?:\w+))?)(?: (?:with me|as possible|when .+|in your .+|please|"
    r"from now on))*$",
    re.I,
)
_LENGTH = re.compile(
    r"short|brief|concise|detailed|long|succinct|thorough|in-depth|to the point|verbose|paragraph|words|simple", re.I
)
_MANNER = (
    r"(?:emojis?|emoticons?|bullet points?|bullets|lists|markdown|tables|jargon|slang|exclamation (?:marks|"
    r"points)|headings|headers|bold|code comments|type hints|metric|imperial|celsius|fahrenheit|"
    r"metric units|imperial units|the metric system|24-hour|kilometers|passive voice|technical terms|acronyms|"
    r"filler|metaphors|analogies|examples|humou?r|jokes|sarcasm|"
    r"(?:my|first) names?|formal language|informal language|oxford commas?|em dashes|hashtags|citations|"
    r"sources|links|version numbers|units|quantified .+|step-by-step .+|disclaimers|caveats|apologi[sz]\w+|"
    r"sugar-?coat\w*|lecture me|lecturing me|patroni[sz]\w+ ?(?:me)?|flatter\w* ?(?:me)?|"
    r"repeat(?:ing)? (?:yourself|my question|the question).*|ask(?:ing)? follow-up questions|"
    r"follow-up questions|rhetorical questions)"
)
_USE = re.compile(
    POLITE + rf"(?P<denied>do not |don't |never |stop |avoid |no |no more |without |skip |leave out |"
    rf"refrain from )?(?P<always>always )?(?P<value>(?:(?:use|using|include|including|add|adding|give me|"
    rf"giving me|write|writing|format|formatting|provide|"
    rf"put|putting|start with|end with)\s+)?(?:any |so many |too many |the |more |with |in |as )*{_MANNER}.*)$",
    re.I,
)
_DONE_TO_ME = re.compile(r"(?:sugar|lectur|patroni|flatter|repeat|ask|apolog)", re.I)
_STOP = re.compile(
    POLITE + r"(?:stop|quit|no more) (?P<value>(?:correcting|explaining|apologi[sz]ing|summari[sz]ing|repeating|giving|"
    r"adding|asking|translating|suggesting|calling|"
    r"telling|being|writing|starting|ending|saying|praising|complimenting|quoting|offering|recommending)\b.*)$",
    re.I,
)
_ALWAYS = re.compile(
    POLITE + r"(?P<denied>never |do not ever |don't ever )?(?:always )?(?P<value>(?:use|reply|respond|answer|write|"
    r"speak|talk|explain|give|keep|be|format|address|include|start|end|"
    r"summari[sz]e|ask|show|tell|send|add|put|provide|cite|mention|check|remind|list|suggest|assume|translate|"
    r"double-check|recommend|offer)\b.+)$",
    re.I,
)
_PROTOCOL = MemoryType.PROTOCOL
_FIRM = Weight(0.85, 0.85, 0.9)


def manners(text: str) -> list[Fact]:
    """The standing order on how to speak that a clause gives, if it gives one."""
    hit = _CALL_ME.match(text)
    if hit:
        value = hit.group("value").strip()
        first = value.split()[0]
        if first.lower() not in NOT_NAMES and len(value.split()) <= 3:
            value = value if not value.islower() else value.title()
            return [
                Fact(
                    _PROTOCOL,
                    f"Wants to be called {value}.",
                    attribute="preferred_name",
                    value=value,
                    weight=CORE,
                    surface=Surface.ADAPT,
                )
            ]
    hit = _REPLY_IN.match(text)
    if hit:
        value = hit.group("value").title()
        return [_rule(f"wants replies in {value}", "preferred_answer_language", value)]
    hit = _SHORT.match(text)
    if hit and re.search(
        r"\b(?:answers?|repl|responses?|messages?|explanations?|everything|it|feedback|criticism|critique)\b",
        text,
        re.I,
    ):
        value = hit.group("value").lower()
        return [_rule(f"prefers {value} answers", "answer_style" if _LENGTH.search(value) else "preferred_tone", value)]
    hit = _BE.match(text)
    if hit:
        value = hit.group("value").lower()
        return [
            _rule(
                f"wants the assistant to be {value}",
                "answer_style" if _LENGTH.search(value) else "preferred_tone",
                value,
            )
        ]
    return _manner(text)


def _manner(text: str) -> list[Fact]:
    hit = _USE.match(text)
    if hit and (
        hit.group("denied") or hit.group("always") or _LASTING.search(text) or re.match(r"(?:please )?use ", text, re.I)
    ):
        value = re.sub(
            r"^(?:use|using|include|including|add|adding)\s+(?:any |so many |too many |the )*",
            "",
            hit.group("value").strip(),
            flags=re.I,
        )
        value = noun(third(value), words=14) or third(value)
        denied = bool(hit.group("denied"))
        wants = "does not want" if denied else "wants"
        used = re.match(_MANNER, value, re.I) and not _DONE_TO_ME.match(value)
        return [_rule(f"{wants} the assistant to {'use ' if used else ''}{value}", "protocol", value, negated=denied)]
    hit = _STOP.match(text)
    if hit:
        value = third(hit.group("value"))
        return [_rule(f"does not want the assistant {value}", "protocol", value, negated=True)]
    hit = _ALWAYS.match(text)
    if (
        hit
        and re.match(r".*?\b(?:always|never)\b", text[: hit.start("value")] + " ", re.I)
        or (hit and re.search(r"\b(?:from now on|going forward|in (?:the )?future|whenever|every time)\b", text, re.I))
    ):
        assert hit is not None  # both branches matched
        value = re.sub(
            r",? (?:from now on|going forward|in (?:the )?future|always|please)\b",
            "",
            third(hit.group("value")),
            flags=re.I,
        )
        denied = bool(hit.group("denied"))
        if len(value.split()) > 25:
            return []
        return [
            _rule(
                f"{'never wants' if denied else 'always wants'} the assistant to {value}",
                "protocol",
                value,
                negated=denied,
            )
        ]
    return []


def _rule(content: str, attribute: str, value: str, *, negated: bool = False) -> Fact:
    return Fact(
        _PROTOCOL,
        sentence(content),
        attribute=attribute,
        value=value,
        negated=negated,
        weight=_FIRM,
        surface=Surface.ADAPT,
    )
