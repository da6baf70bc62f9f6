"""What working memory holds of a session, for the prompts of its next turns (NM-2, LS-24, LS-25)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from memory_pipeline.domain.classification import ClassByHand, Classifier
from memory_pipeline.domain.derived.summary import sentences
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.policy import Handling
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.sensitive import handled, masked
from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.domain.working import in_view, under_way
from memory_pipeline.retrieval.engine import Engine
from memory_pipeline.retrieval.prompt.session.conversation import Turn
from memory_pipeline.retrieval.query import Query, Reach
from memory_pipeline.retrieval.store.guards import reaches

if TYPE_CHECKING:
    from memory_pipeline.storage.parquet.lake import Lake

_CLASSES = "message_classes"
_QUESTION = ("?", "？")


def history(
    engine: Engine, user_id: str, tenant_id: str, session_id: str, message: str, reach: Reach
) -> tuple[Turn, ...]:
    """The turns of a session as chat messages, verbatim, without the new one where it has been added already.

    Raises:
        QueryError: an argument cannot be answered.
    """
    asked = engine.checked(message, user_id, tenant_id, reach, k=0)
    turns = list(_seen(engine, asked, session_id))
    if turns and turns[-1].role is Role.USER and turns[-1].content.strip() == message.strip():
        turns.pop()
    return tuple({"role": str(turn.role), "content": turn.content} for turn in turns)


def unremembered(engine: Engine, asked: Query, session_id: str, message: str) -> tuple[str, ...]:
    """What the user has stated in a session and is in no memory yet: whole sentences, oldest first.

    What is in a memory, or rests on one that was forgotten or corrected, is told by that one or not at all. Sentences
    that ask are left out, and of what does not fit the latest stay. What the policy withholds is masked.

    Args:
        message: the new turn, which stands in the prompt anyway.
    """
    if asked.historical:
        return ()
    turns = in_view(tuple(_seen(engine, asked, session_id)), engine.policy.working.turns)
    if not turns:
        return ()
    now = engine.searcher.sources.now(asked.scope)
    cited, taken_back = now.citing, {message_id for message_id, _ in now.taken_back}
    topics = engine.searcher.sources.topics(asked.scope)
    withheld = handled(engine.policy.gate, Handling.REJECT, Handling.MASK)
    found: list[str] = []
    room = engine.policy.working.context_tokens
    for turn in reversed(turns):
        old = turn.message_id in cited or turn.message_id in taken_back
        if turn.role is not Role.USER or old or turn.content.strip() == message.strip():
            continue
        at = turn.created_at.timestamp()
        # Masked as a whole: what makes a password of a word may stand in the sentence before it.
        for said in reversed(list(sentences(masked(turn.content, withheld)))):
            sentence = said.strip()
            size = estimate_tokens(sentence) + 1
            if sentence.endswith(_QUESTION) or topics.silent(sentence, at):
                continue
            if size > room:
                return tuple(reversed(found))
            room -= size
            found.append(sentence)
    return tuple(reversed(found))


def under_way_in(engine: Engine, asked: Query, session_id: str) -> tuple[str, ...]:
    """The latest turns of a session that may not have been taken in yet, as far as a read may see them."""
    return tuple(t.content for t in in_view(tuple(_seen(engine, asked, session_id)), engine.policy.working.turns))


def _seen(engine: Engine, asked: Query, session_id: str) -> Iterator[Message]:
    """The turns of a session under way that a read may see: class, domain and agent guard them like every other row."""
    turns = engine.working.turns(asked.scope, session_id)
    if not under_way(turns, engine.clock(), timedelta(hours=engine.policy.working.ttl_hours)):
        return
    classes = Classifier.made(engine.policy.classification, _by_hand(engine.lake, asked.scope))
    for turn in turns:
        if reaches(asked, classes.of(turn), _named(turn.domain), _named(turn.agent_id)):
            yield turn


def _by_hand(lake: Lake, scope: Scope) -> Sequence[ClassByHand]:
    """The classes that the user has given to what is said in some domains, and will be."""
    if not lake.days(_CLASSES):
        return ()
    params = {"tenant": scope.tenant_id, "user": scope.user_id}
    return lake.read(_CLASSES, ClassByHand, where="tenant_id = $tenant AND user_id = $user", params=params)


def _named(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)
