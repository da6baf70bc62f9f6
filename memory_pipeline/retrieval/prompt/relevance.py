"""What has to do with a request, in the order of its worth: memories first, then what turns say beyond them.

A turn is quoted by its sentences, and only by those that its speaker states. A sentence that a memory tells gives way
to the memory: shown as the memory where that holds, and not at all where it no longer does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from memory_pipeline.domain.ledger.memory import Status
from memory_pipeline.domain.policy import ContextPolicy
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.language.requests import reaction_words
from memory_pipeline.retrieval.prompt.needs import EATEN
from memory_pipeline.retrieval.prompt.requests import Request
from memory_pipeline.retrieval.prompt.turns import (
    ASKED,
    SPOKEN,
    STATED,
    Sentence,
    elliptical,
    meaning,
    question,
    quotable,
    quote,
    sentences,
)
from memory_pipeline.retrieval.scores.candidates import hazards
from memory_pipeline.retrieval.scores.hits import Hit
from memory_pipeline.retrieval.scores.keywords import stems

_HOLDING = frozenset({Status.ACTIVE, Status.STALE})


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a request may be answered from.

    Attributes:
        ranked: hits of all layers, best first, with signals; a memory and the turns it rests on stand side by side.
        needed: memories that the request's kinds need, the foremost first.
        also: what else is known of the user and comes nearest to a request that all of it may bear on.
        turns: the user's turns that say something which these kinds need, with the stems that say it.
        hazards: the user's turns that say what could hurt somebody, where that may matter.
        citing: by message key, all memories that rest on a turn, whatever their state.
        holding: by id, the memories that hold, as far as they may be said: those that rest on the turns, and those
            in the place of what no longer holds.
    """

    ranked: Sequence[Hit] = ()
    needed: Sequence[Hit] = ()
    also: Sequence[Hit] = ()
    turns: Sequence[tuple[Hit, frozenset[str]]] = ()
    hazards: Sequence[Hit] = ()
    citing: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    holding: Mapping[str, Hit] = field(default_factory=dict)

    def now(self, memory: Mapping[str, Any]) -> Hit | None:
        """What holds in the place of a memory that no longer does."""
        return self.holding.get(memory["superseded_by"] or "")


@dataclass(frozen=True, slots=True)
class Line:
    """Something to be said in the block.

    Attributes:
        said: of a turn, the sentences that are quoted; empty for everything else.
        more: of a turn, the other sentences that could be, where there is room.
        now: of a memory that no longer holds, what holds in its place; else empty.
        silent: it is not what the request is about, and only for silent use.
    """

    hit: Hit
    said: Sequence[Sentence] = ()
    more: Sequence[Sentence] = ()
    now: str = ""
    silent: bool = False


def lines(request: Request, evidence: Evidence, policy: ContextPolicy) -> list[Line]:
    """What has to do with a request, the most important first.

    What nobody asks for is left out: a greeting needs nothing, the assistant's own words only who asks for them.
    """
    if request.greeting:
        return []
    request = request.without(_speakers(evidence))
    found: list[Line] = []
    summaries = quotes = 0
    for hit in _needed_first(request, evidence, policy):
        if hit.layer == "episodic":
            given = list(_of_turn(hit, request, evidence, policy))
            quotes += sum(bool(line.said) for line in given)
            found += [line for line in given if not line.said or quotes <= policy.quotes]
        elif "grain" not in hit.row:
            now = evidence.now(hit.row) if hit.row["status"] not in _HOLDING else None
            found.append(Line(hit, now=now.row["content"] if now else ""))
        elif summaries < policy.summaries:
            summaries += 1
            found.append(Line(hit))
    for hit in evidence.hazards:
        found += _hurting(hit, request, evidence, policy)
    for hit, words in evidence.turns:
        found += _of_turn(hit, replace(request, terms=words, fact=False), evidence, policy)
    found += [Line(hit, silent=True) for hit in evidence.also]
    return _once(found)


def _needed_first(request: Request, evidence: Evidence, policy: ContextPolicy) -> Iterator[Hit]:
    """What answers; before it, where the request is for advice, what its kind needs, and else behind it."""
    if not request.fact:
        yield from evidence.needed
    best = max((hit.score for hit in evidence.ranked), default=0.0)
    least = policy.share_of_best * best
    yield from (h for h in evidence.ranked if h.score >= least and _answers(h, request, policy, best))
    if request.fact:
        yield from evidence.needed


def _speakers(evidence: Evidence) -> frozenset[str]:
    """Stems of the names of those who speak: they stand in every other turn, and tell nothing about any of them."""
    names = {hit.row["speaker"] for hit in evidence.ranked if hit.layer == "episodic"}
    return frozenset().union(*(meaning(name) for name in names if name))


def _answers(hit: Hit, request: Request, policy: ContextPolicy, best: float) -> bool:
    """Whether a hit has to do with the request.

    Args:
        best: the best hit's score.
    """
    strength = max(hit.signals[name].value for name in ("similarity", "keyword", "entity_match"))
    shares = bool(request.terms & meaning(hit.row["content"]))
    if strength < policy.relevant and not shares:
        return False
    if hit.layer == "narrative":
        return request.theme or hit.signals["in_period"].value == 1
    if hit.layer == "episodic" or not request.fact:
        if hit.layer == "episodic" and request.fact and (_replies(hit, request) or hit.score >= policy.foremost * best):
            return True
        close = policy.close if hit.layer == "episodic" and not request.wish else policy.near
        return shares or hit.signals["similarity"].value >= close
    return True


def _of_turn(hit: Hit, request: Request, evidence: Evidence, policy: ContextPolicy) -> Iterator[Line]:
    """What a turn states, where it says more than the memories that rest on it; else these memories.

    For what no longer holds stands what holds now.
    """
    told_by = [m for m in evidence.citing.get(hit.row["message_key"], ()) if not _faded(m)]
    near = "similarity" in hit.signals and hit.signals["similarity"].value >= policy.near
    said: list[Sentence] = []
    told: list[Sentence] = []
    for sentence in _speakable(hit, request):
        telling = [m for m in told_by if tells(m, sentence, policy)]
        asked = bool(request.terms & sentence.stems)
        if any(m["status"] not in _HOLDING for m in telling):
            yield from (Line(now) for m in telling if asked and (now := evidence.now(m)))
            continue
        said.append(sentence)
        if telling and not _says_more(sentence, telling, request):
            told.append(sentence)
            if not request.fact:
                there = (evidence.holding.get(m["memory_id"]) for m in telling if asked or near)
                yield from (Line(h) for h in there if h is not None)
    if len(told) == len(said) or not request.fact:
        said = [s for s in said if s not in told]
    if request.fact and told and not said:
        there = (evidence.holding.get(m["memory_id"]) for m in told_by for s in told if tells(m, s, policy))
        yield from (Line(h) for h in there if h is not None)
    best = max((h.score for h in evidence.ranked), default=0.0)
    ahead = request.fact and hit.score >= policy.foremost * best > 0
    chosen = _chosen(said, hit, request, policy, ahead=ahead)
    if chosen:
        yield Line(hit, chosen, [s for s in said if s not in chosen] if request.fact else ())


def _hurting(hit: Hit, request: Request, evidence: Evidence, policy: ContextPolicy) -> Iterator[Line]:
    """What a turn says that could hurt somebody, as far as no memory says the whole of it.

    Of "no bananas, my mouth goes itchy" a memory may say no more than that their mouth does.
    """
    told_by, said = evidence.citing.get(hit.row["message_key"], ()), []
    for sentence in quotable(hit.row):
        if hazards().isdisjoint(sentence.stems) or not _tells_of_harm(sentence, request):
            continue
        telling = [m for m in told_by if tells(m, sentence, policy)]
        over = any(m["status"] not in _HOLDING for m in telling)
        told = any(m["attribute"] in EATEN for m in telling)
        left = sentence.stems.difference(*(meaning(m["content"]) for m in telling))
        if not over and not told and len(left) > (1 - policy.hazard_told) * len(sentence.stems):
            said.append(sentence)
    if said:
        yield Line(hit, said)


def _tells_of_harm(sentence: Sentence, request: Request) -> bool:
    """Whether a sentence states what could hurt its speaker, or asks with it; of others where one serves them."""
    if sentence.standing in STATED:
        return request.others_vital or sentence.tells_of_self
    return sentence.standing in ASKED and sentence.tells_of_self


def _faded(memory: Mapping[str, Any]) -> bool:
    """Whether a memory of something that happened is out of retrieval for its age: the turn has to tell it."""
    return bool(memory["status"] == Status.STALE and memory["type"] == MemoryType.EPISODIC_EVENT)


def _speakable(hit: Hit, request: Request) -> list[Sentence]:
    """The sentences of a turn that may be shown: statements; the assistant's own words where they are asked for."""
    allowed = STATED | SPOKEN if request.assistant else STATED
    idle = _idle() | request.names
    return [
        s
        for s in quotable(hit.row)
        if not s.stems <= idle and (s.standing in allowed or (request.fact and _tells_while_asking(s, request)))
    ]


def _tells_while_asking(sentence: Sentence, request: Request) -> bool:
    """Whether a question tells of its speaker beyond what is asked now: "Which food is best for my old labrador?"."""
    return sentence.standing in ASKED and sentence.tells_of_self and len(sentence.stems - request.terms) > 1


@cache
def _idle() -> frozenset[str]:
    return frozenset(stems(sorted(reaction_words()))) | reaction_words()


def tells(memory: Mapping[str, Any], sentence: Sentence, policy: ContextPolicy) -> bool:
    """Whether a memory out of the turn says what the sentence says."""
    content = meaning(memory["content"])
    return bool(content) and len(content & sentence.stems) >= policy.told * len(content)


def _says_more(sentence: Sentence, telling: Sequence[Mapping[str, Any]], request: Request) -> bool:
    """Whether the sentence says something beyond its memories that is asked for, or a number or a name."""
    rest = sentence.stems.difference(*(meaning(m["content"]) for m in telling))
    return bool(rest & request.terms) or any(any(c.isdigit() for c in stem) for stem in rest)


def _chosen(
    said: Sequence[Sentence], hit: Hit, request: Request, policy: ContextPolicy, *, ahead: bool
) -> list[Sentence]:
    """The sentences to be quoted, within the policy's room: the one that shares most words with the request, what
    follows it, since people go on about the same thing, and what stands before it."""
    if not said:
        return []
    if not any(request.terms & s.stems for s in said):
        # What is near in meaning for a question that it asks answers nothing; the turn after it may.
        asking = any(request.terms & s.stems for s in sentences(hit.row))
        close = policy.near if request.wish else policy.close
        near = "similarity" in hit.signals and hit.signals["similarity"].value >= close
        if asking or not (near or ahead or _replies(hit, request)):
            return []
    best = said.index(foremost(said, request.terms))
    chosen, used = [best], estimate_tokens(said[best].text)
    for place in (*range(best + 1, len(said)), *range(best - 1, -1, -1)):
        size = estimate_tokens(said[place].text) + 1
        if used + size > policy.quote_tokens:
            continue
        chosen.append(place)
        used += size
    return [said[n] for n in sorted(chosen)]


def foremost(said: Sequence[Sentence], terms: Collection[str]) -> Sentence:
    """The sentence that shares most words with a request; of equals the first."""
    return max(said, key=lambda s: len(s.stems & frozenset(terms)))


def _replies(hit: Hit, request: Request) -> bool:
    """Whether a turn follows a question that shares a word with the request."""
    before: str = hit.row["previous"]
    return before.rstrip().endswith("?") and bool(request.terms & meaning(before))


def _once(found: Sequence[Line]) -> list[Line]:
    """Each thing once: a sentence that was quoted already, or that a memory says in full, is left out; what else of a
    turn is to be quoted joins its line."""
    kept: dict[tuple[str, str], Line] = {}
    heard = [meaning(line.hit.row["content"]) for line in found if not line.said]
    for line in found:
        key = (line.hit.layer, line.hit.id)
        fresh = [s for s in line.said if s.stems and not any(s.stems <= other for other in heard)]
        heard += [s.stems for s in fresh]
        if key in kept:
            said = sorted((*kept[key].said, *fresh), key=lambda s: s.start)
            kept[key] = replace(kept[key], said=said, more=[s for s in kept[key].more if s not in said])
        elif fresh or not line.said:
            kept[key] = replace(line, said=fresh)
    return list(kept.values())


def quoted(line: Line, said: Sequence[Sentence], terms: Collection[str]) -> str:
    """A turn's line in its speaker's words; where these are short, or share no word with the request, behind the
    question that they answer.

    Args:
        terms: of the request, stemmed.
    """
    row = line.hit.row
    words = quote(said, row["content"])
    short = elliptical(row["content"]) or not any(s.stems & frozenset(terms) for s in said)
    asked = question(row["previous"]) if short else ""
    return f"{row['speaker'] or row['role']}: {f'(to “{asked}”) ' if asked else ''}“{words}”"
