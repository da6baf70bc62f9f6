"""What in a message is not the user's own prose: code, quotations, pasted text, text that addresses the machinery.

Such stretches are overwritten with ``GAP``, character for character, so that places in the masked text are places in
the message. What is masked is never extracted: a pasted letter's "I live in Rome" is somebody else's (NM-14, KN-33).
"""

from __future__ import annotations

import re

from memory_pipeline.inference.builtin.lexicon import wordset

GAP = "\x00"

_FENCE = re.compile(r"(?:```|~~~).*?(?:(?:```|~~~)|\Z)", re.S)
_INLINE_CODE = re.compile(r"`([^`\n]{1,200})`")
_LINE_CODE = re.compile(r"^(?: {4,}|\t).*$", re.M)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.M)
_TAG = re.compile(r"<(/?[a-z][\w-]*)(?:\s[^<>\n]*)?>", re.I)
_QUOTED = re.compile(
    r"\"(?P<a>[^\"\n]{1,600})\"|[“„«](?P<b>[^“”„«»\n]{1,600})[”“»]"
    r"|(?<![\w'’])['‘](?!(?:cause|til|em|n|s)\b)(?P<c>\S(?:[^\n]{0,400}?\S)?)['’](?!\w)"
)
# A quotation of several lines, which opens one and closes one.
_QUOTED_BLOCK = re.compile(r"^[ \t]*(?:\"[^\"\n]*\n[^\"]{1,6000}\"|“[^“”\n]*\n[^“”]{1,6000}”)[ \t]*$", re.M)
# A short quotation without a first person is a name or a title, and part of the user's own sentence.
_SPOKEN = re.compile(r"(?<![\w-])(?:i|i['’]m|im|my|me|you|your|we|our|user|remember|ignore|is|are|was)(?!\w)", re.I)

_TEXT_NOUN = (
    r"(?:e-?mail|mail|text|message|article|essay|draft|letter|post|tweet|transcript|conversation|chat|log|"
    r"logs|output|error|"
    r"stack ?trace|paragraph|passage|excerpt|quote|story|chapter|poem|song|lyrics|script|review|bio|"
    r"biography|job (?:description|posting|ad)|cover letter|r[ée]sum[ée]|cv|statement|abstract|report|note|"
    r"notes|prompt|code|"
    r"snippet|section|document|contract|speech|testimonial|dialogue|scene|sample|example)"
)
_PASTED = re.compile(
    rf"""
    (?:here(?:['’]?s|\s+is|\s+are)|below\s+(?:is|are)|this\s+is|this\s+was|see|consider|read)\s+
        (?:(?:the|my|a|an|her|his|their|our|your|some|this|what|part\s+of|\w+['’]s)\s+)*
        (?:\w+\s+){{0,3}}?(?:{_TEXT_NOUN}\b|(?:wrote|said|says|sent|posted|texted|replied|told)\b)[^.!?\n]{{0,60}}:
    | (?:he|she|they|\b[A-Z]\w+|(?:my|our)\s+(?:\w+\s+){{1,2}}?)\s*(?:just\s+)?
        (?:wrote|said|says|posted|texted\s+me|replied|sent\s+me\s+this|messaged\s+me)(?:\s+\w+){{0,3}}\s*:
    | (?:summari[sz]e|translate|proof-?read|rewrite|paraphrase|rephrase|edit|improve|correct|review|analy[sz]e|polish|
        shorten|grade|critique|classify|reword|continue|complete|fix|check)\b
        [^.!?\n]{{0,90}}:(?=\s)
    | (?:(?:write|draft|compose|generate)\b[^.!?\n]{{0,120}}|in\s+the\s+style\s+of[^.!?\n]{{0,60}}):[ \t]*(?=\n|["“'])
    | (?:copied|pasted|pasting|quoted|taken|lifted|found)\b[^.!?\n]{{0,60}}:[ \t]*(?=\n|["“'])
    | \b(?:copied|pasted|quoted)\s+from\b[^.!?\n]{{0,60}}:
    | ^[ \t]*(?:fwd?|fw|re)\s*:
    | ^-{{2,}}\s*(?:original|forwarded)\s+message
    | ^on\s[^\n]{{5,80}}\swrote\s*:
    | ^(?:subject|from|to|cc|sent|date)[ \t]*:[^\n]*\n[ \t]*(?:subject|from|to|cc|sent|date|dear|hi|hello)\b
    | ^subject[ \t]*:
    | ^(?:the\s+following|quote|quoted|pasted|transcript|excerpt|begin)\b[^.!?\n]{{0,40}}:
    """,
    re.I | re.M | re.X,
)
_LETTER = re.compile(
    r"^[ \t]*dear\s[^\n]{1,60}[,:]?[ \t]*\n(?=.*?^[ \t]*(?:(?:best|kind|warm)(?:\s+regards|\s+wishes)?|"
    r"regards|sincerely|yours|"
    r"thank you|thanks|love)\b[^\n]{0,30},?[ \t]*$)",
    re.I | re.M | re.S,
)
_ROLE_LINE = re.compile(
    r"^[ \t*#\[(<|-]*(?:system|assistant|user|human|ai|bot|chatgpt|claude|gpt|developer|instructions?|"
    r"memory(?: update| system| note)?|admin(?:istrator)?|note to (?:the )?(?:ai|assistant|memory|system|model))\b"
    r"[ \t*\])>|]*:.*$",
    re.I | re.M,
)
_SPEAKER_LINE = re.compile(
    r"^[ \t]*\[?(?:\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]m)?\]?\s*)?([A-Z][\w.-]{1,20}(?: "
    r"[A-Z]\w+)?)\]?[ \t]*:[ \t].*$",
    re.M,
)
_FORM_FIELD = wordset(
    "name age location job occupation city country birthday hobbies hobby interests pronouns role goal goals height "
    "weight allergies diet language languages ps note update edit question context background fyi reminder todo "
    "decision finding estimate lesson correction tldr summary"
)
_MACHINERY = re.compile(
    r"""
    (?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+|every\s+)*
        (?:previous|prior|above|earlier|preceding|existing|system|safety)\s+(?:\w+\s+)?
        (?:instruction|prompt|rule|message|direction|guideline|context|guardrail|command)s?
    | \b(?:system\s+prompt|jailbreak|developer\s+mode|
        memory\s+(?:system|extractor|module|pipeline|store|bank|database|manager)|long[-\s]?term\s+memory|\[/?INST\]|<\|?\w+\|>|<<SYS>>)
    | \b(?:store|save|record|log|add|write|insert|commit|note|remember)\b[^.!?\n]{0,60}\b(?:in|to|into|as|that)\s+
        (?:your\s+|the\s+|a\s+|long\W?term\s+|permanent\s+)*(?:memory|memories|the\s+user\b|user(?:['’]s)?\s+(?:is|has|prefers?|wants?|likes?|password))
    | \b(?:remember|note|store|record|memori[sz]e)\s+(?:that\s+)?(?:the|this)\s+user(?:['’]s)?\b
    | \bthe\s+user(?:['’]s)?\s+(?:is|has|wants?|prefers?|lives?|works?|likes?|said|agreed|consents?|authori[sz]e[sd]?|
        should|must|password|name|account|secret)\b
    | \bas\s+(?:an?\s+)?(?:ai|assistant|language\s+model)\b[^.!?\n]{0,40}\byou\b
    | \byou\s+(?:are\s+now|must\s+(?:now\s+)?(?:remember|store|save|always\s+obey))\b
    | ^\s*(?:you\s+are\s+an?|act\s+as)\b
    | \b(?:role-?play|from\s+the\s+perspective\s+of|in\s+character)\b
    | \bpretend\s+(?:that\s+|to\s+be|you)
    """,
    re.I | re.M | re.X,
)
_SIGNS = re.compile(r"[`~>\"“„«<:]|(?<![\w'’])['‘]|^(?: {4}|\t)|\bdear\b", re.I | re.M)
_MACHINE_SIGNS = re.compile(
    r"\b(?:ignore|disregard|override|forget|system|memor|jailbreak|developer|inst\b|user|ai\b|assistant|language model|"
    r"you are|you must|pretend|act as|role-?play|perspective|character)|<",
    re.I,
)


def mask(text: str) -> str:
    """The text with everything that is not the user's own prose overwritten; of the same length."""
    if _SIGNS.search(text):
        text = _mask_quoted(text)
    if _MACHINE_SIGNS.search(text):
        for hit in reversed(list(_MACHINERY.finditer(text))):
            start = text.rfind("\n", 0, hit.start()) + 1
            end = text.find("\n", hit.end())
            text = _blank(text, start, len(text) if end < 0 else end)
    return text


def _mask_quoted(text: str) -> str:
    text = _FENCE.sub(_gap, text)
    if ">" in text:
        text = _QUOTED_LINE.sub(_gap, text)
    if ":" in text:
        text = _mask_pasted(text)
    text = _LINE_CODE.sub(_gap, text)
    text = _INLINE_CODE.sub(_code, text)
    if "<" in text:
        text = _TAG.sub(_gap, text)
    letter = _LETTER.search(text)
    if letter:
        text = _blank(text, letter.start(), len(text))
    return _QUOTED.sub(_quotation, _QUOTED_BLOCK.sub(_gap, text))


def _mask_pasted(text: str) -> str:
    text = _ROLE_LINE.sub(_gap, text)
    lines = [m for m in _SPEAKER_LINE.finditer(text) if m.group(1).lower() not in _FORM_FIELD]
    if len(lines) >= 3 and len({m.group(1) for m in lines}) < len(lines):
        for line in lines:
            text = _blank(text, line.start(), line.end())
    pasted = _PASTED.search(text)
    return _blank(text, pasted.end(), len(text)) if pasted else text


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + re.sub(r"[^\n]", GAP, text[start:end]) + text[end:]


def _gap(hit: re.Match[str]) -> str:
    return re.sub(r"[^\n]", GAP, hit.group())


def _code(hit: re.Match[str]) -> str:
    inner = hit.group(1)
    return f" {inner} " if len(inner.split()) <= 3 and not _SPOKEN.search(inner) else _gap(hit)


def _quotation(hit: re.Match[str]) -> str:
    inner = hit.group("a") or hit.group("b") or hit.group("c") or ""
    short = len(inner.split()) <= 8 and not _SPOKEN.search(inner) and inner.rstrip()[-1:] not in {".", "!", "?", ","}
    return hit.group() if short else _gap(hit)
