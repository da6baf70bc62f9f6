"""The talk before a window: read for extraction, and digested to tell which days a late message makes stale."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta

from memory_pipeline.domain.lookback import Lookback, carried, lookback
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.window import Window, windows
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.engines.user_buckets import Bucket

DAYS = 7
"""How many days back the context of a window reaches."""

Session = tuple[str, str, str]

# Per session and day a digest of its messages, whatever order they are read in (their order follows from themselves),
# and the user turns. What a day sees of a talk before it is all of it where a summary is due, surely so after as many
# turns as the context and a summary take; only of shorter talks must the last messages be found.
DIGESTS = """
WITH said AS MATERIALIZED (
    SELECT tenant_id, user_id, session_id, day, count(*) FILTER (role = 'user') AS turns,
           bit_xor(md5_number_lower(message_id || ':' || content_hash)) AS whole
    FROM messages GROUP BY ALL
),
back AS (SELECT unnest(range(1, $days + 1))::INTEGER AS days),
before AS MATERIALIZED (
    SELECT l.tenant_id, l.user_id, l.session_id, l.day, sum(s.turns) AS turns, bit_xor(s.whole) AS whole
    FROM said l CROSS JOIN back b JOIN said s
      ON (l.tenant_id, l.user_id, l.session_id, l.day - b.days) = (s.tenant_id, s.user_id, s.session_id, s.day)
    GROUP BY ALL
),
short AS MATERIALIZED (
    SELECT tenant_id, user_id, session_id, before.day, before.day - back.days AS earlier
    FROM before CROSS JOIN back WHERE turns < $context + $turns
),
ends AS MATERIALIZED (
    SELECT tenant_id, user_id, session_id, day,
           max((created_at, ordinal, message_id, content_hash, role = 'user'), $context::BIGINT) AS messages
    FROM messages SEMI JOIN (SELECT tenant_id, user_id, session_id, earlier AS day FROM short)
      USING (tenant_id, user_id, session_id, day)
    GROUP BY ALL
),
ended AS (
    SELECT s.tenant_id, s.user_id, s.session_id, s.day,
           list_sort(flatten(list(e.messages)), 'DESC')[:$context] AS messages
    FROM short s JOIN ends e
      ON (s.tenant_id, s.user_id, s.session_id, s.earlier) = (e.tenant_id, e.user_id, e.session_id, e.day)
    GROUP BY ALL
),
seen AS (
    SELECT tenant_id, user_id, session_id, day, 'own' AS part, whole::VARCHAR AS found FROM said
    UNION ALL
    SELECT tenant_id, user_id, session_id, day, 'before', CASE
        WHEN messages IS NULL OR turns - len(list_filter(messages, lambda m: m[5])) >= $turns THEN whole::VARCHAR
        ELSE array_to_string(list_transform(messages, lambda m: m[3] || ':' || m[4]), ',')
    END FROM before LEFT JOIN ended USING (tenant_id, user_id, session_id, day)
)
SELECT day, bit_xor(md5_number_lower(to_json([tenant_id, user_id, session_id, part, found])))::VARCHAR AS found
FROM seen GROUP BY day
"""


def digests(ctx: StageContext, days: Iterable[date] | None) -> Mapping[date, str]:
    """Digest of all messages that the windows of a day are extracted from and look back on, by day.

    A late message changes that of its own day, and of exactly the later days whose windows it gives another context.

    Args:
        days: event days to look at; None = all.
    """
    wanted = None if days is None else set(days)
    figures = ctx.policy.window.context_messages, ctx.policy.summary.rolling_user_turns
    table = ctx.lake.sql(
        DIGESTS,
        {"context": figures[0], "turns": figures[1], "days": DAYS},
        days=None if wanted is None else {"messages": wanted | _before(wanted)},
    )
    found = dict(zip(table["day"].to_pylist(), table["found"].to_pylist(), strict=True))
    return found if wanted is None else {day: item for day, item in found.items() if day in wanted}


def cut(ctx: StageContext, bucket: Bucket) -> Iterator[tuple[Window, list[Message], Lookback]]:
    """The windows of some users' days, each with its messages and what it looks back on."""
    span = set(bucket.days)
    where, params = bucket.where
    messages = ctx.lake.read("messages", Message, days=span, where=where, params=params)
    earlier = _earlier(ctx, span, messages)
    figures = ctx.policy.window.context_messages, ctx.policy.summary.rolling_user_turns
    at: tuple[Session, date] | None = None
    before: Sequence[Message] = ()
    today: list[Message] = []
    for window, inside in windows(messages, ctx.policy.window):
        session = (window.tenant_id, window.user_id, window.session_id)
        if at != (session, window.day):
            at, today = (session, window.day), []
            talk = earlier.get(session, {})
            past = [m for back in range(1, DAYS + 1) for m in talk.get(window.day - timedelta(days=back), ())]
            before = carried(sorted(past, key=lambda m: m.order), *figures)
        yield window, inside, lookback(before, today, *figures)
        today += inside


def _before(days: set[date]) -> set[date]:
    return {day - timedelta(days=n) for day in days for n in range(1, DAYS + 1)}


def _earlier(
    ctx: StageContext, days: set[date], messages: Sequence[Message]
) -> dict[Session, dict[date, list[Message]]]:
    """The sessions' messages by day, in order: of the days themselves and of those before."""
    wanted = _before(days) - days
    sessions = sorted({m.session_id for m in messages})
    older: list[Message] = []
    if sessions and wanted:
        older = ctx.lake.read(
            "messages",
            Message,
            days=wanted,
            where="session_id IN (SELECT unnest($sessions))",
            params={"sessions": sessions},
        )
    found: dict[Session, dict[date, list[Message]]] = defaultdict(lambda: defaultdict(list))
    for message in sorted([*older, *messages], key=lambda m: m.order):
        found[message.tenant_id, message.user_id, message.session_id][message.day].append(message)
    return found
