"""Messages as models and the index may see them. The log alone holds them verbatim (NM-5).

What the policy rejects or masks is hidden before a model sees it: so no proposal, no kept reply and no summary can hold
it, and it never leaves the machine. What it restricts is hidden from turns and summaries as a span: the rest of a turn
that holds it is shown under the default ceiling (KN-27).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.policy import GatePolicy, Handling
from memory_pipeline.domain.sensitive import handled, masked
from memory_pipeline.language.standing import Turn, recorded, unsaid

_WITHHELD = (Handling.REJECT, Handling.MASK)


def for_models(messages: Iterable[Message], policy: GatePolicy) -> list[Message]:
    """The messages without what the policy rejects or masks; those without such a thing are the very same."""
    hidden = handled(policy, *_WITHHELD)
    return [_with(message, masked(message.content, hidden)) for message in messages]


def for_readers(messages: Iterable[Message], policy: GatePolicy) -> list[Message]:
    """The same, and the user's own turns also without what is restricted.

    What others say is not taken for personal: an assistant that names a shop's telephone number may be found by it.
    """
    hidden, own = handled(policy, *_WITHHELD), handled(policy, *_WITHHELD, Handling.RESTRICT)
    return [_with(m, masked(m.content, own if m.role is Role.USER else hidden)) for m in messages]


def on_record(messages: Iterable[Message]) -> list[Message]:
    """The messages without what their writers ask not to be kept; those of which nothing is left are left out.

    Args:
        messages: whole sessions, or days of them: a later turn may take an earlier one back.
    """
    kept = list(messages)
    ordered = sorted(range(len(kept)), key=lambda n: (_session(kept[n]), kept[n].day, kept[n].order))
    for _, places in groupby(ordered, key=lambda n: _session(kept[n])):
        session = list(places)
        turns = [Turn(str(kept[n].role), kept[n].content) for n in session]
        silent = unsaid(turns)
        for at, n in enumerate(session):
            text = "" if at in silent else turns[at].content
            if text and kept[n].role is Role.USER:
                text = recorded(text, turns[:at])
            kept[n] = _with(kept[n], text)
    return [message for message in kept if message.content.strip()]


def _session(message: Message) -> tuple[str, str, str]:
    return (message.tenant_id, message.user_id, message.session_id)


def _with(message: Message, content: str) -> Message:
    return message if content == message.content else replace(message, content=content)
