"""The class of a message, and of what rests on messages (KN-27)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from memory_pipeline.domain.message import Message
from memory_pipeline.domain.policy import ClassificationPolicy
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.domain.scope import Classification, Scope

STRICTEST = Classification.CONFIDENTIAL
_KEY = "classification"


def strictest(classes: Iterable[Classification], otherwise: Classification = Classification.INTERNAL) -> Classification:
    """The highest of some classes.

    Args:
        otherwise: where there are none.
    """
    return max(classes, key=lambda c: Classification(c).level, default=otherwise)


def given_class(metadata: str) -> Classification | None:
    """The class that a message came with, in ``metadata.classification``; None where it names none.

    One that does not exist counts as the strictest: whoever named it meant to hold something back.

    Args:
        metadata: JSON text, as ``Message.metadata``.
    """
    if _KEY not in metadata:
        return None
    try:
        found = json.loads(metadata)
    except ValueError:
        return STRICTEST
    named = found.get(_KEY) if isinstance(found, dict) else None
    if named is None:
        return None
    known = {str(c): c for c in Classification}
    return known.get(named.strip().lower(), STRICTEST) if isinstance(named, str) else STRICTEST


def classified(proposal: Proposal, messages: Mapping[str, Message], classes: Classifier) -> Proposal:
    """The proposal with the strictest class of the messages that it rests on, and with their domain and agent where
    they name one; as it is, where none of them is known.

    Args:
        messages: of its session, by id.
    """
    cited = [messages[e.message_id] for e in proposal.evidence if e.message_id in messages]
    domain = _only(m.domain for m in cited) or proposal.domain
    agent_id = _only(m.agent_id for m in cited) or proposal.agent_id
    if (domain, agent_id) != (proposal.domain, proposal.agent_id):
        proposal = replace(proposal, domain=domain, agent_id=agent_id)
    found = [classes.of(message) for message in cited]
    if proposal.classification is not Classification.INTERNAL:  # the extraction's own is no finding
        found.append(proposal.classification)
    made = strictest(found, proposal.classification)
    return proposal if made is proposal.classification else replace(proposal, classification=made)


def _only(names: Iterable[str | None]) -> str | None:
    found = {name for name in names if name}
    return found.pop() if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class ClassByHand:
    """The class that a user has given a message, or a domain: all that was said in it and all that will be.

    Attributes:
        day: of the message; of a domain there is a row for each day on which anything was said in it. The partition.
        session_id, message_id: None = it is of a domain.
        recorded_at: when it was done, UTC; of several, the latest counts.
    """

    class_id: str
    tenant_id: str
    user_id: str
    day: date
    session_id: str | None
    message_id: str | None
    domain: str | None
    classification: Classification
    run_id: str
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Classifier:
    """Says which class messages have.

    What the user has said of the message counts most. Else it is the class that the message came with, or the one that
    the user has given its domain, of both the stricter; else that of the policy table.

    Attributes:
        messages: classes by the user's hand: by owner, session and message id.
        domains: the same, by owner and domain.
    """

    policy: ClassificationPolicy
    messages: Mapping[tuple[Scope, str, str], Classification] = field(default_factory=dict)
    domains: Mapping[tuple[Scope, str], Classification] = field(default_factory=dict)

    @classmethod
    def made(cls, policy: ClassificationPolicy, by_hand: Iterable[ClassByHand]) -> Classifier:
        """The policy's classes with those that users have given."""
        messages: dict[tuple[Scope, str, str], Classification] = {}
        domains: dict[tuple[Scope, str], Classification] = {}
        for row in sorted(by_hand, key=lambda r: r.recorded_at):
            scope = Scope(row.tenant_id, row.user_id)
            if row.message_id is not None:
                messages[scope, row.session_id or "", row.message_id] = row.classification
            elif row.domain:
                domains[scope, row.domain] = row.classification
        return cls(policy, messages, domains)

    def of(self, message: Message) -> Classification:
        """The class of a message."""
        scope = Scope(message.tenant_id, message.user_id)
        by_hand = self.messages.get((scope, message.session_id, message.message_id))
        if by_hand is not None:
            return by_hand
        told = [given_class(message.metadata), self.domains.get((scope, message.domain or ""))]
        if any(told):
            return strictest(c for c in told if c is not None)
        listed = [self.policy.domain.get(message.domain or ""), self.policy.agent.get(message.agent_id or "")]
        return strictest((c for c in listed if c is not None), self.policy.default)
