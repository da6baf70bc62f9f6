"""Derived texts held against the messages and memories that they rest on, whoever wrote them (DL-29, KN-1, KN-33).

What a hosted model writes is also read with the English parser, where it and its evidence are English: a statement that
is turned round has all the right words. The embedded default writes its sentences from that very reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from memory_pipeline.domain.derived.derived_text import Read, Vetted, vet
from memory_pipeline.domain.gate.derived import Grounds
from memory_pipeline.domain.gate.texts.claims import Reading
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.prompts import CANARIES
from memory_pipeline.stages.consolidation.claim_readings import hosted
from memory_pipeline.stages.context import StageContext

# What a user is known by up to a day: of each memory the last content that it had then.
_KNOWN_BY = """
SELECT DISTINCT content FROM memory_versions
WHERE tenant_id = $tenant AND user_id = $user AND day <= $until AND asserted
  AND type NOT IN ('reflection', 'pattern', 'boundary') AND surface <> 'avoid'
  AND classification IN ('public', 'internal')
  AND memory_id NOT IN (
      SELECT memory_id FROM memory_versions WHERE tenant_id = $tenant AND user_id = $user AND change = 'forget'
  )
ORDER BY content
"""


def vetted(
    ctx: StageContext,
    text: str,
    scope: Scope,
    messages: Sequence[Message],
    memories: Sequence[MemoryVersion],
    *,
    model: str,
) -> Vetted:
    """A text without what does not follow from its messages and memories.

    A name that they do not give may be one that the user is known by from before: that is looked up where it matters.

    Args:
        model: that wrote the text.
    """
    read = hosted(model)
    told = _told(messages, memories) if read else ()
    reader: Read = _claimed if read else _unread
    days = _days(messages, memories)
    found = vet(text, _grounds(messages, memories, days, told), ctx.policy, reader)
    if days and any(refusal.code == "invented" for refusal in found.refused):
        beyond = _known_by(ctx, scope, max(days))
        found = vet(text, _grounds(messages, memories, days, told, beyond), ctx.policy, reader)
    return found


def objection(
    ctx: StageContext, text: str, messages: Sequence[Message], memories: Sequence[MemoryVersion], *, model: str
) -> str:
    """Why a statement does not follow as a whole from its messages and memories; "" when it does.

    Args:
        model: that wrote it.
    """
    read = hosted(model)
    told = _told((), memories) if read else ()
    grounds = _grounds(messages, memories, _days(messages, memories), told)
    found = vet(text, grounds, ctx.policy, _claimed if read else _unread)
    return next((f"{refusal.code}: {refusal.detail}" for refusal in found.refused), "")


def _grounds(
    messages: Sequence[Message],
    memories: Sequence[MemoryVersion],
    days: Sequence[date],
    told: Sequence[Reading],
    beyond: Sequence[str] = (),
) -> Grounds:
    return Grounds(
        [*(m.content for m in messages), *(v.content for v in memories)],
        days,
        names=[m.speaker for m in messages if m.speaker],
        beyond=beyond,
        own=[*(m.content for m in messages if m.role is Role.USER), *(v.content for v in memories)],
        told=told,
        canaries=CANARIES,
    )


def _days(messages: Iterable[Message], memories: Iterable[MemoryVersion]) -> list[date]:
    return sorted({*(m.day for m in messages), *(v.day for v in memories)})


def _told(messages: Iterable[Message], memories: Iterable[MemoryVersion]) -> list[Reading]:
    """What the user's own messages and the memories claim, as far as they are English."""
    from memory_pipeline.language.claims import claimed, quoted
    from memory_pipeline.language.identify import english

    own = [m.content for m in messages if m.role is Role.USER and english(m.content)]
    return [*(quoted(text, text) for text in own), *(claimed(v.content) for v in memories if english(v.content))]


def _claimed(sentence: str) -> Reading | None:
    from memory_pipeline.language.claims import derived
    from memory_pipeline.language.identify import english

    return derived(sentence) if english(sentence) else None


def _unread(sentence: str) -> Reading | None:
    return None


def _known_by(ctx: StageContext, scope: Scope, until: date) -> list[str]:
    from memory_pipeline.storage.queries.ledger import ledger_files

    table = ctx.lake.sql(
        _KNOWN_BY,
        {"tenant": scope.tenant_id, "user": scope.user_id, "until": until},
        files=ledger_files(ctx.lake, [scope]),
    )
    known: list[str] = table["content"].to_pylist()
    return known
