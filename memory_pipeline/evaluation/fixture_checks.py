"""Phase 1: what was stored, and what the reads return (DL-32)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.proposal import Outcome as Fate
from memory_pipeline.domain.proposal import Proposal, Verdict
from memory_pipeline.domain.reading.recall import ContextBlock, RecalledItem
from memory_pipeline.evaluation.fixture import Ask, Context, ExpectedAnswer, Fixture
from memory_pipeline.evaluation.fixture_home import FixtureHome, message_name, session_name
from memory_pipeline.evaluation.fixture_loading import message_names
from memory_pipeline.evaluation.fixture_match import Matching, Memories, closest, faults, has_word, shown
from memory_pipeline.evaluation.fixture_report import Outcome

TOP = 3  # DL-32: hit@3
_LOOKED_AT = 10
Labels = Mapping[str, MemoryVersion]


def stored(
    fixture: Fixture, matching: Matching, memories: Memories, verdicts: Sequence[tuple[Verdict, Proposal]]
) -> Iterator[Outcome]:
    """Expected, unexpected and forbidden memories, and what the gate put aside."""
    name = fixture.name
    labels = matching.labelled(fixture)
    for n, wanted in enumerate(fixture.remembers):
        memory = matching.expected.get(n)
        found = closest(fixture, wanted, memories) if memory is None else shown(memory)
        met = memory is not None
        if memory is not None and wanted.follows and (before := labels.get(wanted.follows)) is not None:
            met = memory.lineage_id == before.lineage_id
            found += "" if met else f"; of another lineage than {shown(before)}"
        yield Outcome(name, "memory", met, wanted.told(), found)
    for memory in matching.unexpected:
        yield Outcome(name, "unexpected", False, "no such memory", shown(memory))
    for wanted in fixture.forbids:
        there = [m for m in memories.get(wanted.scope(name), ()) if not faults(fixture, wanted, m, wanted.status)]
        yield Outcome(name, "forbidden", not there, f"none with {wanted.told()}", "; ".join(map(shown, there)))
    for refused in fixture.rejects:
        wanted_ids = {message_name(fixture, m) for m in refused.messages}
        about = [
            (v, p)
            for v, p in verdicts
            if (p.tenant_id, p.user_id) == (refused.scope(name).tenant_id, refused.scope(name).user_id)
            and wanted_ids <= {e.message_id for e in p.evidence}
        ]
        met = any(v.outcome is Fate.REJECTED and v.reason == refused.reason for v, _ in about)
        found = "; ".join(f"{v.outcome} ({v.reason}): “{p.content}”" for v, p in about) or "nothing was proposed"
        yield Outcome(name, "rejected", met, f"rejected for {refused.reason}", found)


def reads(home: FixtureHome, fixture: Fixture, labels: Labels) -> Iterator[Outcome]:
    """Searches, prompt blocks and answers of a fixture, in the order of the file."""
    for ask in fixture.asks:
        yield from _searched(fixture, ask, search(home, fixture, ask, _LOOKED_AT), labels)
    for context in fixture.contexts:
        yield from _offered(fixture, context, block(home, fixture, context), labels)
    for answered in fixture.answers:
        yield from _answered(home, fixture, answered)


def search(home: FixtureHome, fixture: Fixture, ask: Ask, k: int) -> list[RecalledItem]:
    """The items of a search as the fixture asks for them."""
    scope = ask.scope(fixture.name)
    return home.reader.search(
        ask.query,
        user_id=scope.user_id,
        tenant_id=scope.tenant_id,
        k=k,
        profile=ask.profile,
        as_of=ask.as_of,
        session_id=None if ask.session is None else session_name(fixture, ask.session),
        agent_id=ask.agent,
        domain=ask.domain,
        max_classification=ask.max_classification,
        include_shared=ask.include_shared,
        statuses=ask.statuses,
    )


def block(home: FixtureHome, fixture: Fixture, context: Context) -> ContextBlock:
    """The prompt block of a turn."""
    scope = context.scope(fixture.name)
    return home.reader.context(
        context.message,
        user_id=scope.user_id,
        tenant_id=scope.tenant_id,
        session_id=None if context.chat is None else session_name(fixture, context.chat),
        layout=context.layout,
        budget=context.budget,
        as_of=context.as_of,
    )


def _searched(fixture: Fixture, ask: Ask, items: Sequence[RecalledItem], labels: Labels) -> Iterator[Outcome]:
    asked = f"search “{ask.query}”" + (f" of {ask.user}" if len(fixture.everyone()) > 1 else "")
    found = "; ".join(f"{i.layer} “{i.content[:90]}”" for i in items[:TOP]) or "nothing"
    if ask.finds:
        missing = [
            names for names in ask.finds if not any(_is(fixture, n, i, labels) for n in names for i in items[:TOP])
        ]
        wanted = " and ".join(" or ".join(names) for names in ask.finds)
        yield Outcome(fixture.name, "hit", not missing, f"{asked} finds {wanted} in its first {TOP}", found)
    for name in ask.never:
        there = [i for i in items if _is(fixture, name, i, labels)]
        told = "; ".join(f"{i.layer} “{i.content[:90]}”" for i in there)
        yield Outcome(fixture.name, "never", not there, f"{asked} never finds {name}", told)


def _is(fixture: Fixture, name: str, item: RecalledItem, labels: Labels) -> bool:
    """Whether an item is what a message's name, a label or a text stands for."""
    if name in message_names(fixture):
        return message_name(fixture, name) in item.evidence
    if any(wanted.label == name for wanted in fixture.remembers):
        return name in labels and item.id == labels[name].memory_id
    return name.casefold() in item.content.casefold()


def _offered(fixture: Fixture, context: Context, given: ContextBlock, labels: Labels) -> Iterator[Outcome]:
    turn = f"context for “{context.message}”"
    sections = {title.rstrip(":"): text for title, text in given.sections.items()}

    def outcome(met: bool, expected: str, found: str) -> Outcome:
        return Outcome(fixture.name, "context", met, f"{turn}: {expected}", " ".join(found.split("\n"))[:600])

    for title, names in context.holds.items():
        for name in names:
            told = name in labels and any(text in sections.get(title, "") for text in _tellings(labels[name]))
            missing = given.text if name in labels else "it is not remembered"
            yield outcome(told, f"{name} stands under {title}", missing)
    for name in context.only_there:
        words = next(wanted.words for wanted in fixture.remembers if wanted.label == name)
        elsewhere = [
            f"{title}: {line}"
            for title, text in sections.items()
            if name not in context.holds.get(title, ())
            for line in text.splitlines()
            if all(has_word(line, word) for word in words)
        ]
        yield outcome(not elsewhere, f"{name} is told nowhere else", "; ".join(elsewhere))
    for title, texts in context.lacks.items():
        where = given.text if title == "anywhere" else sections.get(title, "")
        for text in texts:
            yield outcome(text.casefold() not in where.casefold(), f"no “{text}” under {title}", where)
    if context.tokens is not None:
        yield outcome(given.tokens <= context.tokens, f"at most {context.tokens} tokens", f"{given.tokens}")
    if context.drops is not None:
        yield outcome(bool(given.dropped) is context.drops, f"drops: {context.drops}", f"dropped {given.dropped}")


def _tellings(memory: MemoryVersion) -> Sequence[str]:
    """The texts that a block may tell a memory by: a memory and the turn that it came from count once."""
    return (memory.content, *(e.quote for e in memory.evidence if e.quote))


def _answered(home: FixtureHome, fixture: Fixture, wanted: ExpectedAnswer) -> Iterator[Outcome]:
    scope = wanted.scope(fixture.name)
    given = home.reader.ask(wanted.ask, user_id=scope.user_id, tenant_id=scope.tenant_id)
    said = given.text.casefold()
    cited = {message_name(fixture, name) for name in wanted.cites}

    def outcome(met: bool, expected: str) -> Outcome:
        return Outcome(fixture.name, "answer", met, f"“{wanted.ask}”: {expected}", f"{given.text} {given.citations}")

    if wanted.known is not None:
        yield outcome(given.known is wanted.known, f"known is {wanted.known}")
    for text in wanted.says:
        yield outcome(text.casefold() in said, f"says {text}")
    for text in wanted.never:
        yield outcome(text.casefold() not in said, f"does not say {text}")
    if cited:
        yield outcome(bool(cited & set(given.citations)), f"cites {' or '.join(wanted.cites)}")
