"""Wordings that close a topic or open it again, whatever their verb: "let the crash rest", "Jonas is dead to me",
"it's fine to mention the wedding again"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.reading.topic_wordings import sore
from memory_pipeline.inference.builtin.directives.requests import plain
from memory_pipeline.inference.builtin.directives.wording import trimmed, until
from memory_pipeline.language.grammar.people import People
from memory_pipeline.language.syntax import Sentence, Token, written
from memory_pipeline.language.vocabulary import classes, table, words

_LIST = lazy(r"\{(\w+)\}")
_TOPIC = "TOPIC"
_THINGS = frozenset({"it", "that", "this"})
_LONGEST = 9  # words of a topic


def closed(sentence: Sentence, people: People) -> Iterator[list[Token]]:
    """The topics that the wording of a sentence closes."""
    for topic in (*_named(sentence, "closed", "headed"), *_named(sentence, "closed", "says")):
        if not _of_answers(topic):
            yield topic
    for topic in _named(sentence, "closed", "sore"):
        told = len(topic) == 1 and topic[0].low in _THINGS and bool(people.happened)
        if not _of_answers(topic) and (told or sore(trimmed(written(topic))) or _somebody(topic, people)):
            yield topic


def opened(sentence: Sentence) -> Iterator[list[Token]]:
    """The topics that a sentence opens again."""
    for topic in _named(sentence, "opened", "says"):
        while topic and topic[-1].low in table("boundaries")["lists"]["anew"]:
            topic.pop()
        yield topic


def _named(sentence: Sentence, group: str, name: str) -> Iterator[list[Token]]:
    low = [plain(t) for t in sentence]
    places = [0]
    for word in low:
        places.append(places[-1] + len(word) + 1)
    text = " ".join(low).rstrip(" .!?")
    for wording in _wordings(group, name):
        said = wording.search(text)
        if said is None or said.start("topic") not in places:
            continue
        first, end = places.index(said.start("topic")), said.end("topic")
        last = next((n for n, place in enumerate(places) if place > end), len(low))
        found = until([t for t in sentence.tokens[first:last] if t.text not in ".!?"])
        if found and len(found) <= _LONGEST:
            yield found


def _of_answers(topic: list[Token]) -> bool:
    """Whether what is not wanted is a way of answering: "no more lists"."""
    return any(t.lemma.lower() in words("answer_word") for t in topic)


def _somebody(topic: list[Token], people: People) -> bool:
    """Whether a topic is somebody of whom has been spoken, or looks like a name and like nothing else."""
    names = [t for t in topic if t.pos == "PROPN"]
    known = {name for one in people.known for name in one.name.split()}
    alone = bool(names) and len(names) == len(topic)
    return alone and (all(t.text in known for t in names) or not any(t.low in _used() for t in names))


@cache
def _used() -> frozenset[str]:
    """Names of what is used rather than met: "no more Python"."""
    return frozenset(table("directives")["languages"]) | words("answer_word") | frozenset(classes("category", "words"))


@cache
def _wordings(group: str, name: str) -> tuple[re.Pattern[str], ...]:
    known = table("boundaries")
    lists = {key: f"(?:{'|'.join(found)})" for key, found in known["lists"].items()}
    starts = (re.sub(r"^\^", "{start}", line) for line in known[group][name])
    full = (_in_full(line, lists) for line in starts)
    # What the name of a topic ends a wording with goes up to the next mark, else up to what follows in the wording.
    most = (line.replace(_TOPIC, rf"(?P<topic>[^,;.!?]+{'' if line.endswith(_TOPIC) else '?'})") for line in full)
    return tuple(lazy(rf"{line}(?!\w)") for line in most)


def _in_full(line: str, lists: Mapping[str, str]) -> str:
    """A wording with its lists written out; a list may name others."""
    while (written_out := _LIST.sub(lambda ref: lists[ref.group(1)], line)) != line:
        line = written_out
    return line


__all__ = ["closed", "opened"]
