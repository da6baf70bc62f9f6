"""Messages as models and the index may see them. The log alone holds them verbatim (NM-5).

What the policy rejects or masks is hidden before a model sees it: so no proposal, no kept reply and no summary can hold
it, and it never leaves the machine. What it restricts is hidden from turns and summaries as a span: the rest of a turn
that holds it is shown under the default ceiling (KN-27).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.policy import GatePolicy, Handling
from memory_pipeline.domain.sensitive import handled, masked

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


def _with(message: Message, content: str) -> Message:
    return message if content is message.content else replace(message, content=content)
