"""Short answers joined to the assistant's question, as sentences that the user thereby states.

"You live in Osaka, right?" – "yep" states "I live in Osaka."; "Where are you based?" – "Lyon" states "I am based in
Lyon.". What the assistant says and the user does not clearly confirm states nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.answers.closed import agreed, corrected
from memory_pipeline.language.answers.first_person import told
from memory_pipeline.language.answers.options import chosen, pick
from memory_pipeline.language.answers.phrases import plain, table, words
from memory_pipeline.language.answers.prompts import REACH, Prompt, choices, prompts
from memory_pipeline.language.answers.questions import Clause, clauses
from memory_pipeline.language.answers.replies import Opening, Stance, Value, named, opened, value
from memory_pipeline.language.answers.values import filled
from memory_pipeline.language.syntax import Parser, Sentence

_PICKS = lazy(
    r"[\W_]*(?:(?:ok|okay|yes|yeah|so|then|let's|i'll|we'll|definitely|go|going|went|take|took|taking|with|for|have|pick)[\s,]+)*"
    r"(?P<pick>(?:the )?(?:first|second|third|last|former|latter) (?:one|option)|"
    r"the (?:first|second|third|last|former|latter)(?=\s*(?:$|[.,!;\n]|then\b|please\b))|(?:option|number) [1-3abc])\b",
    re.I,
)


_REPLY_REACH = 400  # characters of a reply among which an answer stands
_ECHOED = lazy(r"\b(?:i|we|he|she|they) \w+\W*$", re.I)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reply states by answering.

    Attributes:
        text: a sentence in the first person: "I live in Osaka."
        start, end: the part of the reply on which it rests, in characters.
        negated: whether it says that something is not so.
    """

    text: str
    start: int
    end: int
    negated: bool


def answered(asked: str, reply: str, parser: Parser) -> list[Answer]:
    """What the user's reply states about the user, or people and things around them, by answering the assistant.

    Args:
        asked: the assistant's message before it; its end counts.
        reply: the user's turn; what it says by itself, without the question, is left to others.

    Returns:
        Sentences in the order of the reply; none where the reply refuses, hedges, or answers nothing.
    """
    asked, reply = asked[-REACH:], reply[:_REPLY_REACH]
    picked = _PICKS.match(plain(reply))
    if picked and (of_options := _picked(asked, reply, picked)):
        return of_options
    found = prompts(asked)
    if not found:
        return []
    parts = named(reply)
    begun = None if parts else opened(reply)
    given = value(reply) if not parts and begun is None else None
    if not parts and given is None and (begun is None or begun.stance is Stance.NOTHING):
        return []
    read = _read([p for p in found if p.text], given, parser)
    if parts:
        return [a for part in parts for a in _of_named(part.named, part.yes, part.start, part.end, read.clauses)]
    if begun is not None:
        return _of_stance(begun, reply, found, read, parser)
    assert given is not None  # one of the three is there
    return _of_value(given, found[0], read, asked)


def remainder(asked: str, reply: str, parser: Parser) -> str:
    """The reply without the parts on which the answers rest; their characters become spaces, so that places hold."""
    text = list(reply)
    for answer in answered(asked, reply, parser):
        text[answer.start : answer.end] = " " * (answer.end - answer.start)
    return "".join(text)


@dataclass(frozen=True, slots=True)
class _Analysis:
    clauses: list[tuple[Prompt, list[Clause]]]
    value: list[Sentence]


def _read(found: list[Prompt], given: Value | None, parser: Parser) -> _Analysis:
    texts = [p.text for p in found] + ([given.text] if given else [])
    parsed = parser.parse(texts) if texts else []
    of = [(p, [c for s in sentences for c in clauses(s)]) for p, sentences in zip(found, parsed, strict=False)]
    return _Analysis(of, parsed[-1] if given else [])


def _of_named(phrase: str, yes: bool, start: int, end: int, read: list[tuple[Prompt, list[Clause]]]) -> list[Answer]:
    for prompt, parts in read:
        for clause in parts:
            if tokens := clause.named_by(phrase):
                text = agreed(clause, yes=yes, guess=not prompt.question, named=tokens)
                return [Answer(text, start, end, not yes)] if text else []
    return []


def _of_stance(begun: Opening, reply: str, found: list[Prompt], read: _Analysis, parser: Parser) -> list[Answer]:
    start, end = begun.start, begun.end
    acts = [p for p in found if p.act]
    if (
        acts
        and (begun.stance is Stance.DONE or (begun.stance is Stance.YES and _again(read)))
        and (_again(read) or not _closed(read))
    ):
        return _acted(acts, begun, parser)
    if not read.clauses:
        return []
    prompt, parts = read.clauses[0]
    if begun.words in ("none", "no", "nobody") and parts and [t.low for t in parts[-1].asking[:2]] == ["how", "many"]:
        text = filled(parts[-1], "no", [])
        return [Answer(text, start, end, True)] if text else []
    if not parts or (not prompt.question and begun.stance not in (Stance.YES, Stance.NO)):
        return []
    yes = not begun.denies
    rest = value(reply, end) if not re.match(r"[^\n]*\?", reply[end:]) else None
    rest = rest if rest and re.fullmatch(r"[\s,;:.!–—-]*(?:[\w']+ )?", reply[end : rest.start]) else None
    if rest is not None:
        sentences = parser.parse([rest.text])[0]
        if text := corrected(parts[-1], rest.text, sentences, yes=yes):
            more = Answer(text + ".", rest.start, rest.end, False)
            return [*_plain(prompt, parts, begun, start, end), more] if not yes else [more]
    if not prompt.question and not prompt.marked and begun.words in words("replies", "light"):
        return []  # "You live in Lisbon." – "yes": nobody asked
    if yes and any(c.negative for c in parts) and (parts[0].inverted or _ECHOED.search(reply[start:end])):
        return []  # "You're not vegan, are you?" – "yes I am"
    return _plain(prompt, parts, begun, start, end)


def _again(read: _Analysis) -> bool:
    """Whether the question asks once more for what the sentence before it names: "Did you manage?"."""
    parts = read.clauses[0][1] if read.clauses else []
    return len(parts) == 1 and told(parts[0].sentence, parts[0].rest).lower() in words("questions", "again")


def _closed(read: _Analysis) -> bool:
    return bool(read.clauses) and any(c.inverted and not c.asking for c in read.clauses[0][1])


def _plain(prompt: Prompt, parts: list[Clause], begun: Opening, start: int, end: int) -> list[Answer]:
    """Yes or no to the last question; a no to a guess of several parts leaves open which is wrong."""
    yes = not begun.denies
    if not yes and len(parts) > 1:
        return []
    texts = [agreed(c, yes=yes, guess=not prompt.question, said=begun.words, done=begun.stance is Stance.DONE,
                    willing=begun.stance is Stance.WILLING) for c in parts]  # fmt: skip
    return [Answer(t, start, end, (not yes) or c.negative) for t, c in zip(texts, parts, strict=True) if t]


def _acted(acts: list[Prompt], begun: Opening, parser: Parser) -> list[Answer]:
    if len(acts) != 1:
        return []
    sentence = parser.parse([f"Did you {acts[0].act}?"])[0]
    parts = [c for s in sentence for c in clauses(s)]
    text = agreed(parts[0], yes=True, guess=False, done=True) if len(parts) == 1 else ""
    return [Answer(text, begun.start, begun.end, False)] if text else []


def _of_value(given: Value, prompt: Prompt, read: _Analysis, asked: str) -> list[Answer]:
    if not prompt.question:
        return []
    parts = read.clauses[0][1] if read.clauses else []
    if re.search(r"\bor\b", prompt.text):
        text = chosen(parts, given.text, choices(asked, prompt.text), prompt.text)
    elif parts and parts[0].asking and parts[0].asking[0].low == "which" and (options := choices(asked, prompt.text)):
        text = chosen(parts, given.text, options, prompt.text)
    else:
        one = len(parts) == 1 or (parts and parts[-1].asking)
        text = filled(parts[-1], given.text, read.value) if one else ""
    return [Answer(text, given.start, given.end, False)] if text else []


def _picked(asked: str, reply: str, picked: re.Match[str]) -> list[Answer]:
    """ "The first one then. Ordered it." after a message that puts several things up for choice."""
    last = (re.findall(r"[^.!?\n]*\?", plain(asked)) or [""])[-1]
    option = pick(picked.group("pick"), choices(asked, last))
    if not option:
        return []
    verbs = "|".join(table("replies")["acquired"])
    act = lazy(rf"[^\n]{{0,25}}?\b({verbs})\b(?: (?:it|that|one|that one))?(?=[\s.,!]|$)", re.I)
    got = act.match(plain(reply), picked.end())
    end = got.end() if got else picked.end("pick")
    start = picked.start("pick")
    option = option[0].lower() + option[1:] if option.lower().startswith(("a ", "an ")) else option
    option = "the " + option[4:] if option.lower().startswith("the ") else option
    return [Answer(f"I {got.group(1).lower() if got else 'choose'} {option}.", start, end, False)]
