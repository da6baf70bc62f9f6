"""What a question may be answered from: memories that match, those that no longer hold, then turns that say more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from memory_pipeline.domain.calendar import age, zone
from memory_pipeline.domain.ledger.memory import Status
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.text import content_words
from memory_pipeline.language.questions import Question, Wants, Whose, in_english
from memory_pipeline.language.questions.subjects import people
from memory_pipeline.retrieval.answers.own_words import asked_sentences, own_sentences
from memory_pipeline.retrieval.engine import Engine
from memory_pipeline.retrieval.prompt.passages import passage
from memory_pipeline.retrieval.query import Query
from memory_pipeline.retrieval.scores.hits import Hit
from memory_pipeline.retrieval.scores.keywords import query_terms
from memory_pipeline.retrieval.store.user_rows import UserRows

if TYPE_CHECKING:
    from datetime import datetime

    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]

MOST = 25  # NM-32
HOLDING = frozenset({Status.ACTIVE, Status.STALE})
_TURNS = 10  # of the items, where memories match as well
_ITEM_TOKENS = 200
_PEOPLE = ("family", "partner", "friend", "pet", "relationship_status")
_SLOT = ("subject", "attribute", "value", "negated", "entities")
_DATES = ("valid_from", "valid_until", "due_at")


@dataclass(frozen=True, slots=True)
class Evidence:
    """An item that an answer may rest on.

    Attributes:
        sentences: of a turn, those that count as its speaker's own words.
        asked: of a turn, what its speaker asks in it: it states nothing, but tells what it takes for granted.
    """

    hit: Hit
    sentences: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


def evidence(engine: Engine, query: Query, question: Question) -> list[Evidence]:
    """The items for a question, at most ``MOST``: active memories, then those that no longer hold, then turns."""
    memories = _memories(engine, query, question)
    if question.wants is Wants.SUMMARY:
        return [Evidence(hit) for hit in memories[:MOST]]
    turns = _turns(engine, query, question, memories)
    most = MOST - min(len(turns), _TURNS)
    return [*(Evidence(hit) for hit in memories[:most]), *turns][:MOST]


def _memories(engine: Engine, query: Query, question: Question) -> list[Hit]:
    if "semantic" not in query.layers or question.wants is Wants.SAID:
        return []
    asked = replace(query, layers=frozenset({"semantic"}))
    if question.wants is Wants.SUMMARY:
        return _of_user(engine.searcher.picked(asked, _profile))
    picked = engine.searcher.picked(asked, lambda rows: _filling(rows, question))
    near = (h for h in _near(engine, asked) if h.type != MemoryType.BOUNDARY or h.type in question.types)
    found = {hit.id: hit for hit in (*picked, *near)}
    return sorted(found.values(), key=lambda hit: hit.row["status"] not in HOLDING)


def _near(engine: Engine, query: Query) -> list[Hit]:
    hits = engine.ranked(query)
    # The embedded encoder reads English: elsewhere likeness says little, and the order has to do.
    return passing(hits, engine.policy.similarity.answer) if in_english(query.text) else hits


def passing(hits: Iterable[Hit], threshold: float) -> list[Hit]:
    """The hits that may answer: near enough in meaning (NM-32), or sharing as much of the question's rare words."""
    return [h for h in hits if max(h.signals["similarity"].value, h.signals["keyword"].value) >= threshold]


def _filling(rows: UserRows, question: Question) -> Mask:
    """Which memories fill what is asked for, or tell who the people are whom the question names, shape (rows,)."""
    attributes, _ = rows.coded("attribute")
    wanted = [a for a in attributes if any(fnmatchcase(a, w) for w in question.attributes)]
    mask = rows.matching("attribute", wanted) | rows.matching("type", question.types)
    if question.whose in (Whose.OTHER, Whose.ASKED) or question.relation:
        mask = mask | rows.matching("attribute", _PEOPLE)
    if question.who:
        subjects, _ = rows.coded("subject")
        mask = mask | rows.matching("subject", [s for s in subjects if people(f"X {s}") & question.who])
    return mask


def _profile(rows: UserRows) -> Mask:
    """Which memories say who the user is: facts and preferences that hold."""
    kinds = (MemoryType.PROFILE_FACT, MemoryType.PREFERENCE)
    return (
        rows.matching("status", [Status.ACTIVE]) & rows.matching("type", kinds) & ~rows.matching("surface", ["avoid"])
    )


def _of_user(hits: Sequence[Hit]) -> list[Hit]:
    """Facts of the user, those of an attribute first, then the weightiest."""
    own = [h for h in hits if (h.row["subject"] or "user") == "user"]
    return sorted(own, key=lambda h: (h.row["attribute"] is None, -h.row["importance"], h.observed_at, h.id))


def _turns(engine: Engine, query: Query, question: Question, memories: Sequence[Hit]) -> list[Evidence]:
    """Turns with own words of their speaker that no memory at hand has taken all from, and those that ask for
    more than the question does."""
    if "episodic" not in query.layers:
        return []
    assistant = question.wants is Wants.SAID
    hits = _near(engine, replace(query, layers=frozenset({"episodic"})))
    words, found = content_words(query.text), []
    for hit in hits:
        if assistant and hit.row["role"] != "assistant":
            continue
        said = own_sentences(hit.row, assistant=assistant)
        if not content_words(" ".join(said)) - _said_by(memories, hit):
            said = ()
        asked = () if assistant else tuple(s for s in asked_sentences(hit.row) if content_words(s) - words)
        if said or asked:
            found.append(Evidence(hit, said, asked))
    return sorted(found, key=lambda item: not item.sentences)


def _said_by(memories: Sequence[Hit], turn: Hit) -> frozenset[str]:
    """The words of the memories at hand that rest on a turn."""
    resting = (m for m in memories if turn.id in m.evidence)
    return frozenset(word for memory in resting for word in content_words(memory.row["content"]))


def shown(found: Evidence, n: int, query: Query, timezone: str) -> Mapping[str, Any]:
    """An item as the task ``answer`` takes it; ``n`` numbers it. Times are local, in ISO 8601."""
    row, hit = found.hit.row, found.hit
    turn = hit.layer == "episodic"
    content = passage(" ".join(found.sentences), query_terms(query.text), _ITEM_TOKENS) if turn else row["content"]
    asked = passage(" ".join(found.asked), query_terms(query.text), _ITEM_TOKENS) if found.asked else ""
    item = {
        "id": f"i{n}",
        "layer": hit.layer,
        "type": f"{row['role']} message" if turn else hit.type,
        "status": _status(row, query.at),
        "content": f"{row['speaker']}: {content}" if turn and row["speaker"] and content else content,
        "asked": asked,
        "observed_at": local(hit.observed_at, timezone),
        "age": age(hit.observed_at, query.at),
    }
    dates = {name: local(row[name], timezone) if not turn and row.get(name) else None for name in _DATES}
    slot = {name: None if turn else row[name] for name in _SLOT}
    spoken = {"role": row["role"] if turn else None, "sentences": found.sentences, "questions": found.asked}
    near = hit.signals["similarity"].value if "similarity" in hit.signals else 0.0
    return {**item, **dates, **slot, **spoken, "evidence": hit.evidence, "near": near}


def _status(row: Mapping[str, Any], at: datetime) -> str:
    """The state of an item; what is to end holds until it does."""
    status, until = str(row.get("status", Status.ACTIVE)), row.get("valid_until")
    return str(Status.ACTIVE) if status == Status.SUPERSEDED and until and until > at else status


def local(at: datetime, timezone: str) -> str:
    """A moment in the user's zone."""
    return at.astimezone(zone(timezone)).isoformat(timespec="seconds")
