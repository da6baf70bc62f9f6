"""What of a message is in the user's own voice: without code, without what they paste, quote or act out.

For quotations alone, where leaving a sentence out costs nothing and another's sentence would be a false statement.
"""

from __future__ import annotations

import re

from memory_pipeline.domain.patterns import lazy

_CODE = lazy(r"```.*?(?:```|\Z)", re.S)
_QUOTED = lazy(r"[\"“„«](?P<inner>[^\"”“»]*)(?:[\"”»]|\Z)", re.S)
_WHOLE = 4  # words from which what stands between quotation marks is somebody's text, not a name or a term
_HANDED_ON = lazy(
    r"\b(?:past(?:e|ed|ing)|copied|copy|forward(?:ed|ing)?|translat\w+|proofread\w*|summari[sz]e|boil (?:this|it) down|"
    r"quot(?:e|ed|ing)|transcript|article|interview|lyrics|caption|role ?play|pretend|imagine|in character|"
    r"(?:he|she|they|mom|mum|dad|boss|landlord|client|customer)(?:'s| has)? (?:wrote|writes|said|says|texted|replied|"
    r"answered|emailed|sent))\b",
    re.I,
)
_OPENS_TEXT = lazy(r"[:：]\s*$")


def own_text(content: str) -> str:
    """The message without what is, or may be, another's words; paragraphs stay apart."""
    plain = _CODE.sub("\n\n", content)
    plain = _QUOTED.sub(lambda m: m.group() if len(m["inner"].split()) < _WHOLE else "\n\n", plain)
    kept: list[str] = []
    lines = plain.split("\n")
    several = len([line for line in lines if line.strip()]) > 1
    for line in lines:
        if line.lstrip().startswith((">", "|", "#", "$", "    ")):
            continue
        kept.append(line)
        if _OPENS_TEXT.search(line) or (several and _HANDED_ON.search(line)):
            break  # what follows is what was announced
    return "\n".join(line for line in kept if not _OPENS_TEXT.search(line))
