"""Who is asked to do what, read word by word: the parser takes many an imperative for a noun.

"Could you please stop using", "don't use", "I'd rather you didn't use" and "never use" come out alike: verb "use",
denied.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from memory_pipeline.language.syntax import Sentence, Token
from memory_pipeline.language.vocabulary import table, words

_PLAIN = {"n't": "not", "nt": "not", "ca": "can", "wo": "will", "'d": "would", "'m": "am", "'ll": "will", "'re": "are"}
_JOINTS = frozenset({",", ";", ":", "-", "–", "—", "and", "but", "so", "."})


@dataclass(frozen=True, slots=True)
class Request:
    """One thing that the assistant is asked to do or to leave.

    Attributes:
        verb: what it should do.
        start: place of its first word in the sentence.
        rest: the words behind the verb, up to the next request.
        denied: it should not.
        lasting: it is said to hold always, never or from now on.
        mine: it is the writer who would rather not ("I don't want to talk about …").
        stopped: it does so now, and should stop.
    """

    sentence: Sentence
    start: int
    verb: Token
    rest: tuple[Token, ...]
    denied: bool = False
    lasting: bool = False
    mine: bool = False
    stopped: bool = False

    @property
    def lemma(self) -> str:
        return self.verb.lemma.lower() if self.verb.low not in {"be", "'re"} else "be"

    @property
    def end(self) -> int:
        """The place behind its last word."""
        return self.verb.index + 1 + len(self.rest)

    @property
    def text(self) -> str:
        """The words behind the verb in lower case, between spaces."""
        return f" {' '.join(t.low for t in self.rest)} "


def plain(token: Token) -> str:
    """A word in lower case and in full: "n't" is "not"."""
    low = token.low.replace("’", "'")
    return _PLAIN.get(low, low)


def requests(sentence: Sentence) -> list[Request]:
    """The requests of a sentence, left to right."""
    low = [plain(t) for t in sentence]
    found: list[tuple[int, _Lead]] = []
    for start in _starts(low):
        if found and start <= found[-1][1].verb:
            continue
        lead = _lead(sentence, low, start)
        if lead is not None:
            found.append((start, lead))
    lasting = any(f" {phrase} " in f" {' '.join(low)} " for phrase in table("directives")["lasting"])
    ends = [*(start for start, _ in found[1:]), len(low)] if found else []
    return [
        Request(
            sentence, start, sentence[lead.verb], _behind(sentence, lead.verb + 1, end), lead.denied,
            lasting or lead.lasting, lead.mine, lead.stopped,
        )
        for (start, lead), end in zip(found, ends, strict=True)
    ]  # fmt: skip


def _behind(sentence: Sentence, start: int, end: int) -> tuple[Token, ...]:
    while end > start and sentence[end - 1].low in _JOINTS:
        end -= 1
    return tuple(sentence.tokens[start:end])


@dataclass(slots=True)
class _Lead:
    """What stands before a verb makes of it."""

    verb: int
    asked: bool = False
    pleaded: bool = False
    denied: bool = False
    lasting: bool = False
    mine: bool = False
    stopped: bool = False


def _starts(low: list[str]) -> Iterator[int]:
    yield 0
    for n, word in enumerate(low[:-1]):
        purpose = word == "so" and low[n + 1] in {"you", "that"}  # "so you don't have to ask every time"
        if word in _JOINTS and not purpose:
            yield n + 1


def _lead(sentence: Sentence, low: list[str], start: int) -> _Lead | None:
    lead = _Lead(start)
    while lead.verb < len(low):
        found = _phrase(low, lead.verb)
        if found is None:
            if lead.verb > start and low[lead.verb] in _JOINTS:
                lead.verb += 1
                continue
            break
        effects, length = found
        if "stopping" in effects and not _gerund(sentence, lead.verb + length):
            break
        lead.verb += length
        lead.asked |= bool({"asked", "denied", "stopping"} & effects)
        lead.pleaded |= "pleaded" in effects
        lead.lasting |= "lasting" in effects
        lead.mine |= "mine" in effects
        lead.stopped |= "stopping" in effects
        lead.denied ^= bool({"denied", "stopping"} & effects) and not (lead.denied and "lasting" in effects)
    return lead if lead.verb < len(low) and _asks(sentence, lead, start) else None


def _asks(sentence: Sentence, lead: _Lead, start: int) -> bool:
    """Whether what was read is a request, and the word it led to a verb."""
    verb = sentence[lead.verb]
    if not verb.text[:1].isalpha() or plain(verb) in {"i", "we", "you", "it", "he", "she", "they", "the", "my"}:
        return False
    if lead.mine or lead.asked:
        return lead.denied or not lead.mine
    known = verb.low in _commands()
    if known and lead.lasting and start == 0:
        return True  # "going forward, cite sources", which the parser takes for a noun
    if start > 0 and sentence[start - 1].text != ".":
        joint = plain(sentence[start - 1]) not in {"and", "but"} or lead.pleaded
        return joint and (verb.tag == "VB" or lead.pleaded and known)
    return known and not _subject(sentence, verb) or verb.tag == "VB"


def _subject(sentence: Sentence, verb: Token) -> bool:
    """Whether the word is the subject of a verb behind it: "Reply came late"."""
    inside = verb.dep in {"nsubj", "nsubjpass", "compound", "amod"}
    return inside or sentence.child(verb, "nsubj", "nsubjpass") is not None


def _gerund(sentence: Sentence, index: int) -> bool:
    if index >= len(sentence) or sentence[index].pos == "PRON":  # "avoid anything"
        return False
    return sentence[index].tag == "VBG" or sentence[index].low.endswith("ing")


def _phrase(low: list[str], at: int) -> tuple[frozenset[str], int] | None:
    """What the longest known phrase at a place makes of the verb behind it, and how many words it has."""
    for phrase, effects in _phrases().get(low[at], ()):
        if tuple(low[at : at + len(phrase)]) == phrase and at + len(phrase) < len(low):
            return effects, len(phrase)
    return None


@cache
def _phrases() -> dict[str, list[tuple[tuple[str, ...], frozenset[str]]]]:
    found: dict[tuple[str, ...], set[str]] = {}
    for effect, listed in table("directives")["request"].items():
        for phrase in listed:
            found.setdefault(tuple(phrase.split()), set()).add(effect)
    by_first: dict[str, list[tuple[tuple[str, ...], frozenset[str]]]] = {}
    for phrase in sorted(found, key=len, reverse=True):
        by_first.setdefault(phrase[0], []).append((phrase, frozenset(found[phrase])))
    return by_first


@cache
def _commands() -> frozenset[str]:
    """Verbs that begin a request of the assistant."""
    known = table("directives")
    return words("answer_verb") | frozenset(known["forget"]) | frozenset(known["boundary"]) | frozenset(known["remind"])


__all__ = ["Request", "plain", "requests"]
