"""Messages → the index: turns with a vector, the turn before them for their keywords, and whose words they are.

Turns are verbatim but for what the policy withholds: a secret that was said is not found again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.classification import Classifier
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.policy import RetrievalPolicy
from memory_pipeline.domain.scope import Classification, Scope
from memory_pipeline.inference.token_vectors import Encoding, gives_tokens
from memory_pipeline.inference.vector_cache import OwnedText
from memory_pipeline.language.standing import UNSAID, Standing, Turn, replies, spans, unsaid
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.engines.encoding import BATCH, encoded_with_tokens
from memory_pipeline.stages.engines.user_buckets import Bucket, buckets
from memory_pipeline.stages.messages.classes import classifier
from memory_pipeline.stages.messages.previous_turn import DAYS, INDEXED_ROLES, turns_before
from memory_pipeline.stages.messages.redaction import for_readers
from memory_pipeline.stages.tracing import traced

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_pipeline.inference.vector_cache import Vector
    from memory_pipeline.storage.vectors.index import IndexedMessage
    from memory_pipeline.storage.vectors.index_rows import IndexedSpan

_WITHHELD = " "  # and not empty: there is a turn before
_TURNS = 8  # earlier turns that tell whose words a text is


def message_key(message: Message) -> str:
    """Key of a turn in the index: message ids are only unique within a session of a user."""
    return identifier("trn", message.tenant_id, message.user_id, message.session_id, message.message_id)


@traced("index", lambda written: {"rows": written.total(), "table": "messages"})
def index_messages(ctx: StageContext, days: Sequence[date]) -> Counter[date]:
    """Index the user's and the assistant's turns of some days; what is there already as it is, is not encoded again.

    Returns the number of turns written, by day: new ones, edited ones, and those whose previous turn is another one.
    """
    written: Counter[date] = Counter()
    ordered = sorted(set(days))
    for start in range(0, len(ordered), 31):
        some = buckets(ctx, ordered[start : start + 31])
        written.update(_write(ctx, [turns for turns in ctx.engine.map(ctx, fresh_turns, some) if turns.texts]))
    return written


@dataclass(frozen=True, slots=True)
class FreshTurns:
    """Rows of the index that are to be written, without their vectors.

    Attributes:
        texts: of which the vectors are made, one a row.
    """

    rows: pa.Table
    texts: Sequence[OwnedText]


def fresh_turns(ctx: StageContext, bucket: Bucket) -> FreshTurns:
    """The turns of some users' days that the index does not hold as they are."""
    from memory_pipeline.storage.parquet.arrow_rows import to_table
    from memory_pipeline.storage.vectors.index import IndexedMessage

    where, params = bucket.where
    figures, days = ctx.policy.retrieval, bucket.days
    messages = ctx.lake.read("messages", Message, days=days, where=where, params=params)
    earlier = for_readers(turns_before(ctx, days, messages), ctx.policy.gate)
    rows = indexed_messages(for_readers(messages, ctx.policy.gate), figures, classifier(ctx), earlier)
    there = _indexed(ctx, [row.message_key for row, _ in rows])
    tokens = gives_tokens(ctx.encoder)
    fresh = [(row, day) for row, day in rows if _differs(row, there.get(row.message_key), tokens=tokens)]
    texts = [OwnedText(Scope(r.tenant_id, r.user_id), day, encoded_text(r, figures)) for r, day in fresh]
    return FreshTurns(to_table([row for row, _ in fresh], IndexedMessage), texts)


def indexed_messages(
    messages: Sequence[Message], policy: RetrievalPolicy, classes: Classifier, earlier: Sequence[Message] = ()
) -> list[tuple[IndexedMessage, date]]:
    """The turns to be indexed and their days, each with the turn before it, cut, its class, and the standing of its
    sentences.

    Whose words a sentence is, is read with the turns of the same day and session alone.

    Args:
        earlier: turns before these messages, of earlier days, as ``turn_before`` gives them.
    """
    found = []
    ordered = sorted([*earlier, *messages], key=lambda m: (*_session(m), m.day, m.order))
    shown = {(*_session(m), m.message_id) for m in earlier}
    for _, turns in groupby((m for m in ordered if m.role in INDEXED_ROLES), key=_session):
        before: Message | None = None
        for day, of_day in groupby(turns, key=lambda m: m.day):
            today = list(of_day)
            if (*_session(today[0]), today[0].message_id) not in shown:
                near = before if before is not None and (day - before.day).days <= DAYS else None
                found += [(row, day) for row in _rows(today, near, policy, classes)]
            before = today[-1]
    return found


def _rows(
    today: Sequence[Message], before: Message | None, policy: RetrievalPolicy, classes: Classifier
) -> Iterator[IndexedMessage]:
    """The turns of a session on one day, in order."""
    from memory_pipeline.storage.vectors.projection import has_name

    # People who talk to each other announce no texts to be worked on, and play no parts.
    people = any(m.role is Role.ASSISTANT and has_name(m.speaker) for m in today)
    said = list[Turn]()
    withheld = False  # whether the turn before is not to be kept
    silent = frozenset[int]() if people else unsaid([Turn(message.role, message.content) for message in today])
    for n, message in enumerate(today):
        previous = "" if before is None else _lent(before, message, classes)[: policy.previous_turn_characters]
        found = _spans(message, said)
        if n in silent:
            found = tuple(replace(span, standing=str(Standing.OFF_RECORD), why=UNSAID) for span in found)
        yield _row(message, _WITHHELD if withheld else previous, classes.of(message), found)
        withheld = any(span.standing == Standing.OFF_RECORD for span in found)
        before = message
        if not people:
            said.append(Turn(message.role, message.content))


def _session(message: Message) -> tuple[str, str, str]:
    return (message.tenant_id, message.user_id, message.session_id)


def _lent(before: Message, message: Message, classes: Classifier) -> str:
    """The text of the turn before; blank where a read that sees the turn may not see that one (KN-27, KN-31)."""
    inside = before.domain in (None, message.domain) and before.agent_id in (None, message.agent_id)
    return before.content if inside and classes.of(message).permits(classes.of(before)) else _WITHHELD


def _spans(message: Message, before: Sequence[Turn]) -> tuple[IndexedSpan, ...]:
    """The standing of each sentence of a turn: a person's, whatever the role, or an assistant's."""
    from memory_pipeline.storage.vectors.index_rows import IndexedSpan
    from memory_pipeline.storage.vectors.projection import has_name

    person = message.role is Role.USER or has_name(message.speaker)
    spoken = spans(message.content, before[-_TURNS:]) if person else replies(message.content)
    return tuple(IndexedSpan(s.start, s.end, str(s.standing), s.why) for s in spoken)


def _row(
    message: Message, previous: str, classification: Classification, spans_of: tuple[IndexedSpan, ...]
) -> IndexedMessage:
    from memory_pipeline.storage.vectors.index import IndexedMessage

    return IndexedMessage(
        message_key=message_key(message),
        message_id=message.message_id,
        tenant_id=message.tenant_id,
        user_id=message.user_id,
        session_id=message.session_id,
        agent_id=message.agent_id,
        domain=message.domain,
        role=str(message.role),
        speaker=message.speaker,
        content=message.content,
        previous=previous,
        created_at=message.created_at,
        ordinal=message.ordinal,
        classification=str(classification),
        spans=spans_of,
    )


def encoded_text(turn: Message | IndexedMessage, policy: RetrievalPolicy) -> str:
    """The part of a turn that its vector is made of: of an assistant's reply the beginning."""
    from memory_pipeline.storage.vectors.projection import has_name, spoken

    reply = turn.role == Role.ASSISTANT and not has_name(turn.speaker)
    most = policy.encoded_reply_characters if reply else policy.encoded_characters
    return spoken(turn.speaker, turn.content)[:most]


def _indexed(ctx: StageContext, keys: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """Text, previous turn, class, standings and tokens of what is indexed, by key."""
    columns = ["message_key", "content", "previous", "classification", "spans", "tokens"]
    return {row["message_key"]: row for row in ctx.index.lookup("messages", keys, columns).to_pylist()}


def _differs(row: IndexedMessage, there: Mapping[str, Any] | None, *, tokens: bool) -> bool:
    """Whether a turn must be written.

    Args:
        tokens: the encoder gives them, and rows of an older release lack them.
    """
    if there is None or (tokens and there["tokens"] is None):
        return True
    same = ("content", "previous", "classification")
    if any(getattr(row, name) != there[name] for name in same):
        return True
    return [asdict(span) for span in row.spans] != (there["spans"] or [])


def _write(ctx: StageContext, fresh: Sequence[FreshTurns]) -> Iterator[date]:
    """Write turns with their vectors, so many at once; the days of what was written."""
    import pyarrow as pa

    if not fresh:
        return
    rows, texts = pa.concat_tables([turns.rows for turns in fresh]), [text for turns in fresh for text in turns.texts]
    done, held = 0, list[Encoding]()
    ctx.progress("encoding messages", 0, len(texts))
    for encodings in encoded_with_tokens(ctx, texts):
        held += encodings
        n = len(held)
        if n >= BATCH or done + n == len(texts):
            ctx.index.upsert("messages", *with_encodings(rows.slice(done, n), held))
            yield from (text.day for text in texts[done : done + n])
            done, held = done + n, []
            ctx.progress("encoding messages", done, len(texts))


def with_encodings(rows: pa.Table, made: Sequence[Encoding]) -> tuple[pa.Table, Vector]:
    """Rows of turns with the tokens of their texts, and the texts' vectors."""
    import numpy as np
    import pyarrow as pa

    tokens = pa.array([encoding.tokens for encoding in made], pa.binary())
    at = rows.column_names.index("tokens")
    return rows.set_column(at, "tokens", tokens), np.stack([encoding.vector for encoding in made])
