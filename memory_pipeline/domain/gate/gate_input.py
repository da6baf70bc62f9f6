"""What the gate's rules look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_pipeline.domain.gate.texts.claims import Reading
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.policy import GatePolicy
from memory_pipeline.domain.proposal import Evidence, Operation, Proposal

ENDING = frozenset(
    {Operation.FORGET, Operation.SUPPRESS, Operation.CLOSE_OPEN_LOOP, Operation.CONTRADICT, Operation.REINFORCE}
)
"""Operations that end or confirm something: they need no worth of their own."""


@dataclass(frozen=True, slots=True)
class RecalledText:
    """A text that this pipeline has put into a session, and when (UTC).

    Attributes:
        said: it was a turn of the conversation, so that the user may well say the same again.
    """

    text: str
    at: datetime
    said: bool = False


@dataclass(frozen=True, slots=True)
class GateInput:
    """A proposal and its surroundings.

    Attributes:
        messages: the messages it may cite, by id; cited ids that are not among them do not exist.
        canaries: words of the prompt's examples; a proposal that holds one was copied from the prompt.
        recalled: what was recalled into the session, in any order; only what came before the cited words counts.
        session: the conversation up to the end of the proposal's window, in order: all that the extractor can have
            seen. Where it is empty, the cited messages stand for it.
        extracted: an extractor proposes it from messages; what is made from memories is not.
        hosted: a model worded it that need not keep to the words of a reading.
        known: words, folded, that the user said in other conversations before; they are no inventions.
        content, quotes: what the proposal's sentence claims, and the user's sentences that it quotes, one for each of
            :meth:`own`. None and empty where nobody has read them: another language, or a model that writes its
            sentences from such a reading.
    """

    proposal: Proposal
    messages: Mapping[str, Message]
    policy: GatePolicy
    canaries: Sequence[str] = ()
    recalled: Sequence[RecalledText] = ()
    session: Sequence[Message] = ()
    extracted: bool = False
    hosted: bool = False
    known: frozenset[str] = frozenset()
    content: Reading | None = None
    quotes: Sequence[Reading] = ()

    def cited(self) -> Iterator[tuple[Evidence, Message]]:
        """The evidence whose messages exist."""
        for evidence in self.proposal.evidence:
            message = self.messages.get(evidence.message_id)
            if message is not None:
                yield evidence, message

    def own(self) -> list[tuple[Evidence, Message]]:
        """The evidence that the user gave."""
        return [(evidence, message) for evidence, message in self.cited() if message.role is Role.USER]
