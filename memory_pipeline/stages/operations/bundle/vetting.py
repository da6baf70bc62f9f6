"""What of a bundle may be taken in: the rules that hold for what is extracted hold for what is brought along, too.

Rows of another owner, or ids of somebody else's rows, refuse the whole bundle; a row that breaks a rule is put aside
with its reason, and so is what rests on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from memory_pipeline.domain.calendar import Grain, period_of
from memory_pipeline.domain.classification import ClassByHand
from memory_pipeline.domain.gate.gate_input import GateInput
from memory_pipeline.domain.gate.rules import grounding, safety
from memory_pipeline.domain.gate.rules.instructions import directive
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.ledger.curation import as_proposal
from memory_pipeline.domain.ledger.hold import CAUSES, Hold
from memory_pipeline.domain.ledger.memory import Cause, MemoryVersion, seal
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.policy import GatePolicy, Handling
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.sensitive import find, handled, screen
from memory_pipeline.errors import BundleError
from memory_pipeline.inference.prompts import CANARIES
from memory_pipeline.stages.messages.importers.files.strict_json import loads
from memory_pipeline.stages.messages.landing.validation import Defaults, Validator

UNIQUE: Mapping[str, tuple[str, ...]] = {
    "messages": ("session_id", "message_id", "day"),
    "windows": ("window_id",),
    "proposals": ("proposal_id",),
    "verdicts": ("verdict_id",),
    "links": ("link_id",),
    "entities": ("entity_id", "day"),
    "summaries": ("summary_id",),
}


@dataclass(frozen=True, slots=True)
class Aside:
    """A row that is not taken in, by its id, and why."""

    dataset: str
    identity: str
    reason: str


@dataclass
class Vetted:
    """What passed, and what did not."""

    rows: dict[str, list[Any]]
    aside: list[Aside] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Rules:
    """What rows are held against.

    Attributes:
        start: first day that the home takes messages of.
        now: UTC.
        known: ids of messages that the home holds of this user.
    """

    policy: GatePolicy
    start: date
    now: datetime
    known: frozenset[str] = frozenset()


def require_owner(rows: Mapping[str, Sequence[Any]], scope: Scope) -> None:
    """Refuse rows of another owner, and two rows where there can be one.

    Raises:
        BundleError: naming the dataset.
    """
    for dataset, found in rows.items():
        if any((row.tenant_id, row.user_id) != (scope.tenant_id, scope.user_id) for row in found):
            raise BundleError(f"{dataset} holds rows of another user than the manifest names: nothing is taken in")
        if dataset in UNIQUE:
            keys = [tuple(getattr(row, name) for name in UNIQUE[dataset]) for row in found]
            if len(set(keys)) < len(keys):
                raise BundleError(f"{dataset} holds several rows of one id: nothing is taken in")


def vet(rows: Mapping[str, Sequence[Any]], rules: Rules) -> Vetted:
    """Sort the rows of one user; what rests on a row that is put aside is put aside with it."""
    vetted = Vetted({name: list(found) for name, found in rows.items()})
    _keep(vetted, "messages", "message_id", _message_faults(rows["messages"], rules))
    _keep(vetted, "message_revisions", "message_id", _message_faults(rows["message_revisions"], rules))
    texts: dict[str, list[Message]] = defaultdict(list)
    for message in (*vetted.rows["messages"], *vetted.rows["message_revisions"]):
        texts[message.message_id].append(message)
    there = texts.keys() | rules.known
    _keep(vetted, "windows", "window_id", {w.window_id: _window(w, there) for w in rows["windows"]})
    _keep(vetted, "message_classes", "class_id", {c.class_id: _class(c, there) for c in rows["message_classes"]})
    windows = {w.window_id: frozenset(w.message_ids) for w in vetted.rows["windows"]}
    _keep(vetted, "proposals", "proposal_id", {p.proposal_id: _proposal(p, windows) for p in rows["proposals"]})
    proposals = {p.proposal_id for p in vetted.rows["proposals"]}
    wrong = {v.verdict_id: "" if v.proposal_id in proposals else "its proposal is missing" for v in rows["verdicts"]}
    _keep(vetted, "verdicts", "verdict_id", wrong)
    _keep(vetted, "memory_versions", "memory_id", _memory_faults(rows["memory_versions"], texts, there, rules))
    memories = {v.memory_id for v in vetted.rows["memory_versions"]}
    ledger = {v.version_id: v for v in vetted.rows["memory_versions"]}
    _keep(vetted, "holds", "hold_id", _hold_faults(rows["holds"], ledger, rules.policy))
    _keep(
        vetted, "links", "link_id", {n.link_id: _missing((n.source_id, n.target_id), memories) for n in rows["links"]}
    )
    names = {e.entity_id: _entity(e, memories, rules.policy) for e in rows["entities"]}
    _keep(vetted, "entities", "entity_id", names)
    told = {s.summary_id: _summary(s, there, memories, rules.policy) for s in rows["summaries"]}
    _keep(vetted, "summaries", "summary_id", told)
    return vetted


def _class(given: ClassByHand, there: Container[str]) -> str:
    """Why a class by hand is of nothing; "" where it is of a message or a domain."""
    if given.message_id is None:
        return "" if given.domain else "it names neither a message nor a domain"
    return "" if given.message_id in there else "its message is missing"


def _keep(vetted: Vetted, dataset: str, identity: str, faults: Mapping[str, str]) -> None:
    """Put the rows aside whose id has a fault."""
    vetted.rows[dataset] = [row for row in vetted.rows[dataset] if not faults.get(getattr(row, identity))]
    vetted.aside += [Aside(dataset, name, fault) for name, fault in sorted(faults.items()) if fault]


def _message_faults(messages: Iterable[Message], rules: Rules) -> dict[str, str]:
    """By id, why a message could not have come through the inbox; "" where it could."""
    validators: dict[str, Validator] = {}
    found: dict[str, str] = {}
    for message in messages:
        zone = message.timezone
        try:
            if zone not in validators:
                defaults = Defaults(message.tenant_id, message.user_id, zone)
                validators[zone] = Validator(message.source, defaults, rules.start, rules.now)
            made = validators[zone].message(_landing(message))
            same = replace(made, ordinal=message.ordinal, source=message.source, recorded_at=message.recorded_at)
            fault = "" if same == message else "its hash, its day or its time is not that of its text"
        except ValueError as error:
            fault = str(error)
        found[message.message_id] = found.get(message.message_id) or fault
    return found


def _landing(message: Message) -> dict[str, Any]:
    """A message as a line of the landing format."""
    names = ("tenant_id", "user_id", "session_id", "message_id", "speaker", "content", "agent_id", "domain")
    given: dict[str, Any] = {name: getattr(message, name) for name in names}
    metadata = loads(message.metadata.encode("utf-8", "surrogatepass"))
    return {**given, "role": str(message.role), "created_at": message.created_at.isoformat(), "metadata": metadata}


def _window(window: Any, messages: Container[str]) -> str:
    place = (window.session_id, window.day.isoformat(), str(window.ordinal), *window.content_hashes)
    if identifier("win", window.tenant_id, window.user_id, *place) != window.window_id:
        return "its id is not that of what it holds"
    return _missing(window.message_ids, messages)


def _proposal(proposal: Any, windows: Mapping[str, frozenset[str]]) -> str:
    if proposal.window_id not in windows:
        return "its window is missing"
    return _missing((e.message_id for e in proposal.evidence), windows[proposal.window_id])


def _missing(wanted: Iterable[str], there: Container[str]) -> str:
    gone = sorted(name for name in set(wanted) if name not in there)
    return f"it rests on {gone[0]}, which is missing" if gone else ""


# -- memories


def _memory_faults(
    versions: Sequence[MemoryVersion], texts: Mapping[str, Sequence[Message]], there: Container[str], rules: Rules
) -> dict[str, str]:
    """By memory, why it may not be remembered; "" where it may."""
    by_memory: dict[str, list[MemoryVersion]] = defaultdict(list)
    for version in versions:
        by_memory[version.memory_id].append(version)
    faults = {
        name: next((fault for v in rows if (fault := _version(v, texts, there, rules))), "")
        for name, rows in by_memory.items()
    }
    while True:  # until nothing rests on what was put aside
        taken = {name for name, fault in faults.items() if not fault}
        more = {
            name: fault
            for name in taken
            if (fault := _missing((i for v in by_memory[name] for i in v.derived_from), taken))
        }
        if not more:
            return faults
        faults |= more


def _version(v: MemoryVersion, texts: Mapping[str, Sequence[Message]], there: Container[str], rules: Rules) -> str:
    if seal(v).version_id != v.version_id:
        return "its version id is not that of what it says"
    if fault := _missing((e.message_id for e in v.evidence), there):
        return fault
    if v.cause is Cause.PROPOSAL and not v.evidence:
        return "it rests on no message"
    proposal = as_proposal(v)
    screened = screen(proposal, rules.policy)
    bare = GateInput(proposal, {}, rules.policy, CANARIES)
    for finding in (safety.secret(bare), safety.instruction(bare), safety.canary(bare)):
        if not finding.passed:
            return f"{finding.code}: {finding.detail}"
    if replace(screened, classification=proposal.classification) != proposal:
        return "it holds a secret or a number that the policy keeps out of memory"
    if screened.classification != proposal.classification:
        return f"it must be {screened.classification}, for what it states"
    if v.cause is Cause.PROPOSAL and not v.own_words and not _supported(bare, texts):
        return "grounding: its quotes stand in none of the messages that it names"
    return ""


def _supported(given: GateInput, texts: Mapping[str, Sequence[Message]]) -> bool:
    """Whether a quote stands in what its message says or has said; a message that only the home holds says so there."""
    proposal = given.proposal
    for evidence in proposal.evidence:
        if evidence.message_id not in texts:
            return True
        for message in texts[evidence.message_id]:
            one = replace(
                given, proposal=replace(proposal, evidence=(evidence,)), messages={message.message_id: message}
            )
            if grounding.grounding(one).passed:
                return True
    return False


# -- what rollbacks put back


def _hold_faults(holds: Iterable[Hold], ledger: Mapping[str, MemoryVersion], policy: GatePolicy) -> dict[str, str]:
    """By hold, why it may not decide what stands; "" where it may. A hold that is let go of goes with its rows."""
    found: dict[str, str] = {}
    for hold in holds:
        found[hold.hold_id] = found.get(hold.hold_id) or _hold(hold, ledger) or _unsafe(hold.reason, policy)
    return found


def _hold(hold: Hold, ledger: Mapping[str, MemoryVersion]) -> str:
    if hold.stage not in CAUSES:
        return f"there is no stage {hold.stage[:40]!r} whose work can be put back"
    if fault := _missing(hold.versions, ledger):
        return fault
    week = period_of(Grain.WEEK, hold.day)
    if hold.stage != "memories" and week.start != hold.day:
        return "its day is not the first of a week"
    for version in (ledger[name] for name in hold.versions):
        inside = version.day == hold.day if hold.stage == "memories" else week.start <= version.day < week.end
        if not inside or version.cause not in CAUSES[hold.stage]:
            return "it names a version that is none of its day and stage"
    return ""


# -- what is made of memories


def _entity(entity: Any, memories: Container[str], policy: GatePolicy) -> str:
    names = [entity.name, *(alias.name for alias in entity.aliases), *entity.relations]
    return _missing(entity.memory_ids, memories) or _unsafe("\n".join(names), policy)


def _summary(summary: Any, messages: Container[str], memories: Container[str], policy: GatePolicy) -> str:
    missing = _missing(summary.message_ids, messages) or _missing(summary.memory_ids, memories)
    refused = "\n".join(refusal.text for refusal in summary.refused)
    return missing or _unsafe(summary.text, policy) or _secret(refused, policy)


def _unsafe(text: str, policy: GatePolicy) -> str:
    if found := directive(text, policy.max_blob):
        return f"instruction: {found}"
    return _secret(text, policy)


def _secret(text: str, policy: GatePolicy) -> str:
    withheld = {span.kind for span in find(text)} & handled(policy, Handling.REJECT, Handling.MASK)
    return f"secret: holds {' and '.join(sorted(withheld))}" if withheld else ""
