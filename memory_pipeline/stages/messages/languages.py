"""Which languages users write, found once a message, so that nothing that cannot be read is passed over in silence.

The log keeps the language of each message of a user, found when it is taken in. Of what an older release took in
nothing is known; it is identified where the figure is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from memory_pipeline.domain.message import Message, Role
from memory_pipeline.language.identify import ENGLISH, languages_of, named

if TYPE_CHECKING:
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.parquet.lake import Lake

_SHOWN = 5  # languages
_KNOWN = """
SELECT language, count(*) AS n FROM messages WHERE role = 'user' AND language IS NOT NULL
GROUP BY language ORDER BY language
"""
# Whole talks, since what is short in them goes by the rest.
_UNKNOWN = """
SELECT list(content ORDER BY created_at, ordinal, message_id) AS said FROM messages
WHERE role = 'user' AND language IS NULL GROUP BY day, tenant_id, user_id, session_id
ORDER BY day DESC, tenant_id, user_id, session_id LIMIT $most
"""
_TALKS = 2_000  # of unknown language that are looked at, the latest: some 10,000 messages, about a second


def identified(messages: Sequence[Message]) -> list[Message]:
    """The messages, those of users with their language; what is too short to say goes by the rest of its talk."""
    talks: dict[tuple[str, str, str], list[int]] = {}
    for n, message in enumerate(messages):
        if message.role is Role.USER:
            talks.setdefault((message.tenant_id, message.user_id, message.session_id), []).append(n)
    found = list(messages)
    for places in talks.values():
        places.sort(key=lambda n: messages[n].order)
        for n, language in zip(places, languages_of([messages[n].content for n in places]), strict=True):
            found[n] = replace(messages[n], language=language)
    return found


def spoken(lake: Lake, days: Iterable[date]) -> Counter[str]:
    """How many of the user messages of some days are in each language, by code.

    Of messages whose language the log does not hold, those of the latest 2,000 talks are counted.
    """
    wanted = list(days)
    if not wanted:
        return Counter()
    counted = Counter[str]()
    for row in lake.sql(_KNOWN, days={"messages": wanted}).to_pylist():
        counted[row["language"]] = row["n"]
    for row in lake.sql(_UNKNOWN, {"most": _TALKS}, days={"messages": wanted}).to_pylist():
        counted.update(languages_of(row["said"]))
    return counted


def unread(settings: Settings, languages: Mapping[str, int]) -> str:
    """What the embedded default does not read of messages, and what reads it; empty where there is nothing to say."""
    if settings.chat != "builtin" or not sum(languages.values()) - languages.get(ENGLISH, 0):
        return ""
    return f"{shares(languages)}: the embedded default reads English only; set MEMORY_PIPELINE_CHAT=openai"


def shares(languages: Mapping[str, int]) -> str:
    """How many of all user messages are not English, and in which languages they are."""
    total = sum(languages.values())
    others = Counter({code: n for code, n in languages.items() if code != ENGLISH})
    if not others:
        return f"all {total:,} user messages are English" if total else "no messages of users yet"
    most = others.most_common(_SHOWN)
    listed = [f"{named(code)} {n:,}" for code, n in most]
    if rest := others.total() - sum(n for _, n in most):
        listed.append(f"others {rest:,}")
    verb = "is" if others.total() == 1 else "are"
    return f"{others.total():,} of {total:,} user messages {verb} not English ({', '.join(listed)})"
