"""The class of a message or of a domain, by the user's hand: effective at once on turns, summaries and memories.

What the user has said is kept as rows of a dataset, an input of every stage that goes by classes; so it survives every
re-run. The user's memories are replayed from the first message on that it is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.domain.classification import ClassByHand
from memory_pipeline.domain.derived.summary import Summary, SummaryGrain
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.scope import Classification, Scope
from memory_pipeline.errors import CurationError, NotFound
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.classes import DATASET
from memory_pipeline.stages.publication.one_writer import one_writer
from memory_pipeline.stages.summaries.summary_store import raise_class

_OWN = "tenant_id = $tenant AND user_id = $user"


def classify_message(
    ctx: StageContext, scope: Scope, message_id: str, session_id: str | None, classification: Classification
) -> int:
    """Give a message a class. Returns the number of messages that it concerns: 1.

    Args:
        session_id: None where the id alone says which one is meant.

    Raises:
        NotFound: the user has no such message.
        CurationError: several sessions have a message of that id.
    """
    where = f"{_OWN} AND message_id = $message AND ($session IS NULL OR session_id = $session)"
    found = _messages(ctx, scope, where, message=message_id, session=session_id)
    if not found:
        raise NotFound(
            f"this user has no message {message_id!r}",
            message_id=message_id,
            session_id=session_id,
            tenant_id=scope.tenant_id,
            user_id=scope.user_id,
        )
    if len(found) > 1:
        sessions = ", ".join(sorted(m.session_id for m in found))
        raise CurationError(f"message {message_id!r} is in several sessions ({sessions}): say which one")
    return _classified(ctx, scope, found, classification, None)


def classify_domain(ctx: StageContext, scope: Scope, domain: str, classification: Classification) -> int:
    """Give a class to all that a user has said in a domain, and will say. Returns the number of messages so far.

    A message that came with a stricter class keeps it.

    Raises:
        NotFound: the user has no messages in such a domain.
    """
    found = _messages(ctx, scope, f"{_OWN} AND domain = $domain", domain=domain)
    if not found:
        sentence = f"this user has no messages in a domain {domain!r}"
        raise NotFound(sentence, domain=domain, tenant_id=scope.tenant_id, user_id=scope.user_id)
    return _classified(ctx, scope, found, classification, domain)


def _messages(ctx: StageContext, scope: Scope, where: str, **given: str | None) -> Sequence[Message]:
    params = {"tenant": scope.tenant_id, "user": scope.user_id, **given}
    return ctx.lake.read("messages", Message, where=where, params=params)


def _classified(
    ctx: StageContext, scope: Scope, messages: Sequence[Message], classification: Classification, domain: str | None
) -> int:
    from memory_pipeline.stages.consolidation.consolidate import replay_users
    from memory_pipeline.stages.messages.index_messages import index_messages
    from memory_pipeline.stages.messages.previous_turn import following

    places = {(m.day, m.session_id, m.message_id) if domain is None else (m.day, None, None) for m in messages}
    days = sorted({day for day, _, _ in places})
    with one_writer(ctx.settings, [scope]):
        ctx.lake.append(DATASET, [_row(ctx, scope, place, domain, classification) for place in places])
        index_messages(ctx, sorted((following(days) | set(days)).intersection(ctx.lake.days("messages"))))
        raise_class(ctx, scope, classification, lambda told: _tells(told, messages, domain))
        replay_users(ctx, [scope], days[0])
    return len(messages)


def _row(
    ctx: StageContext,
    scope: Scope,
    place: tuple[date, str | None, str | None],
    domain: str | None,
    classification: Classification,
) -> ClassByHand:
    day, session_id, message_id = place
    parts = (day.isoformat(), session_id or "", message_id or "", domain or "", ctx.now.isoformat())
    return ClassByHand(
        class_id=identifier("cls", scope.tenant_id, scope.user_id, *parts),
        tenant_id=scope.tenant_id,
        user_id=scope.user_id,
        day=day,
        session_id=session_id,
        message_id=message_id,
        domain=domain,
        classification=classification,
        run_id=ctx.run_id,
        recorded_at=ctx.now,
    )


def _tells(told: Summary, messages: Sequence[Message], domain: str | None) -> bool:
    """Whether a summary may tell of some messages: it was shown the whole of its period or session."""
    if domain is not None and told.domains is not None and domain not in told.domains:
        return False
    if told.grain is SummaryGrain.SESSION:
        return any(m.session_id == told.session_id for m in messages)
    period = Period(Grain(str(told.grain)), told.start)
    return any(period.start <= m.day < period.end for m in messages)
