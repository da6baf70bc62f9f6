"""What in an assistant's message a short reply can answer: its questions, its guesses, what it puts up for choice."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.answers.phrases import alternatives, closing, opening, plain, table, words

REACH = 600  # characters of the message that count, from its end
_SENTENCES_BACK = 4
_AFTER_QUESTION = 2  # sentences that may follow the question
_SENTENCE = lazy(r"(?:[^.!?\n]|[.](?=\w)|(?<=\b[A-Z])[.]|(?<=\bDr)[.]|(?<=\bM[rs])[.]|(?<=\bMrs)[.])+[.!?]*")
_ASKING = (
    r"(?:do|does|did|are|is|was|were|have|has|had|can|could|shall|should|would|will|any|may)(?:n't)? \w+|"
    r"(?:what|where|who|when|how|which)(?:'s| )"
)
_BEFORE = lazy(rf"^.*?[,;:–—-]\s+(?={_ASKING})", re.I)
_GUESS = lazy(r"(?:you|your|so you)\b", re.I)
_LOOP = lazy(
    r"^(?:\W*(?:hi|hey|hello|good morning|just|ok|so|and|also|reminder|quick reminder|friendly reminder|"
    r"(?:do not|don't) forget)\W+)*"
    r"(?:you (?:still |also )?(?:wanted|want|planned|plan|needed|need|had|have|meant|promised|"
    r"intended|were going|were planning|are going|asked me to remind you|said you (?:wanted|needed|had|were going)) to|"
    r"(?:do not|don't) forget to|remember to|(?:(?:it is|it's) )?time to|remind(?:ing)? you to|"
    r"reminder:(?: to)?(?!\s+(?:you|your|the|an?|my|our|it|its|there|this|that|these|those|we|i)\b))\s+"
    r"(?P<act>[a-z].+?)[.!?\s]*$",
    re.I,
)
_LEADING_NAME = lazy(
    r"(?:^|[,;:.!?]\s+|\b(?:while|whereas|but|and|or)\s+)((?:[Tt]he |[Aa]n? )?[A-Z0-9][\w'+-]*(?: [A-Z0-9][\w'+-]*)*)"
)
_ITEM = lazy(r"^\s*(?:\d{1,2}[.)]|[-*•]|[a-dA-D][.)])\s+\**(.+?)\**(?:\s+[-–—(]|:|,|\.\s|$)", re.M)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A sentence of the assistant's that a reply can answer, without what leads up to it.

    Attributes:
        question: whether it asks; else it guesses.
        marked: whether a guess says that it is one: "it sounds like …", "so you …".
        act: what the user was reminded to do; the sentence is no guess then.
    """

    text: str
    question: bool
    act: str = ""
    marked: bool = False


def prompts(asked: str) -> list[Prompt]:
    """Questions, guesses and reminders at the end of a message, the last first; none in a quiz."""
    text = plain(asked)[-REACH:]
    low = text.lower()
    if any(game in low for game in table("questions")["games"]):
        return []
    sentences = [s.strip() for s in _SENTENCE.findall(text) if re.search(r"\w", s)][-_SENTENCES_BACK:]
    found: list[Prompt] = []
    for back, sentence in enumerate(reversed(sentences)):
        asks = "?" in sentence
        loop = _LOOP.match(sentence)
        if loop and not asks:
            found.append(Prompt("", False, loop.group("act")))
        elif asks:
            if found or back <= _AFTER_QUESTION:
                found.append(Prompt(_bare(sentence), True))
        elif back <= 1 and not any(p.question for p in found):
            bare = _bare(sentence)
            if _GUESS.match(bare):
                found.append(Prompt(bare, False, marked=_marked(sentence)))
    found.sort(key=lambda p: not p.question)
    return found


def _marked(sentence: str) -> bool:
    text = sentence.strip()
    while not opening("questions", "guesses").match(text):
        if not (hit := opening("questions", "leads").match(text)):
            return bool(re.search(r"\byou(?:r \w+)? must\b|^so\b", sentence, re.I))
        text = text[hit.end() :]
    return True


def _bare(sentence: str) -> str:
    """A sentence without what leads up to the question or guess and what only asks for agreement; fragments filled."""
    text = sentence.strip()
    while (hit := opening("questions", "leads").match(text) or opening("questions", "guesses").match(text)) and len(
        text
    ) - hit.end() > 2:
        text = text[hit.end() :].lstrip(" ,:–—-")
    while (hit := closing("questions", "tags").search(text)) and re.match(r"\s*[,;–—-]", hit.group()):
        text = text[: hit.start()]
    if before := _BEFORE.match(text):
        text = text[before.end() :]
    while (hit := closing("questions", "tails").search(text)) and len(text[: hit.start()].split()) > 1:
        text = text[: hit.start()]
    reaching = r"\b(?:did|have|had) you (?:(?:finally|already|ever) )?" + alternatives(table("questions")["reaching"])
    reaching += r"(?! (?:it|that|this)\b)"
    text = re.sub(reaching, "did you", text, count=1, flags=re.I)
    first = re.match(r"[a-z]+", text.lower())
    lead = table("questions")["openings"].get(first.group()) if first else None
    if lead and "?" in sentence and not re.match(r"have (?!any\b|an?\b|kids\b|pets\b)", text, re.I):
        text = f"{lead} {text[0].lower()}{text[1:]}"
    text = text.strip(" ,")
    return (text[:1].upper() + text[1:]).rstrip(".!?") + ("?" if "?" in sentence else ".")


def choices(asked: str, question: str) -> list[str]:
    """What a message puts up for choice: "A or B" of its question, its items, or what its clauses are about."""
    text = plain(asked)[-REACH:]
    if re.search(r"\bor\b", question):
        asked_last = re.split(r"[,:]\s+(?=[^,:]*\bor\b)", question.rstrip("?. "))[-1]
        named = [o.strip() for o in re.split(r"\s*,?\s+or\s+|,\s+", asked_last) if o.strip()]
        if len(named) > 1 and all(len(o.split()) <= 6 for o in named):
            return named
    if len(items := [i.strip() for i in _ITEM.findall(text)]) > 1:
        return items
    for sentence in reversed(_SENTENCE.findall(text)):
        if "?" not in sentence or len(sentence) > 12:
            names = [n for n in _LEADING_NAME.findall(sentence.strip()) if n.lower() not in words("questions", "leads")]
            if len(names) > 1:
                return names
    return []
