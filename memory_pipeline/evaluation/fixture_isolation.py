"""Phase 3: the same texts under other users and tenants, and no row of theirs in anybody's reads (DL-34, KN-26)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.scope import Scope
from memory_pipeline.evaluation.fixture import Fixture
from memory_pipeline.evaluation.fixture_home import FixtureHome, lines, session_name
from memory_pipeline.evaluation.fixture_report import Outcome

_K = 20


def twin(scope: Scope) -> Scope:
    """Another user of the tenant, who has said the same."""
    return Scope(scope.tenant_id, f"{scope.user_id}.twin")


def mirror(scope: Scope) -> Scope:
    """The user of that name in another tenant, who has said the same."""
    return Scope(f"{scope.tenant_id}-mirror", scope.user_id)


def stranger(scope: Scope) -> Scope:
    """A user of the tenant of whom nothing is known."""
    return Scope(scope.tenant_id, f"{scope.user_id}.stranger")


def copy_of(fixture: Fixture) -> Callable[[Scope], Scope]:
    """Who has said the same as the people of a fixture: half of the fixtures have twins, the others mirrors."""
    return twin if int(digest(fixture.name)[:8], 16) % 2 else mirror


def copies(fixtures: Iterable[Fixture]) -> Iterator[dict[str, object]]:
    """Everything that was said, by the other owners."""
    for fixture in fixtures:
        yield from lines(fixture, [*fixture.chats, *fixture.late], copy_of(fixture), "copy:")


@dataclass(frozen=True, slots=True)
class Owners:
    """Whose each id is: of memories, messages and summaries.

    Attributes:
        scopes: owners by id.
        shared: ids of memories that their owners share with the tenant.
    """

    scopes: dict[str, Scope]
    shared: frozenset[str]

    @classmethod
    def of(cls, home: FixtureHome) -> Owners:
        """The owners of everything in a home."""
        table = home.lake.sql(
            "SELECT tenant_id, user_id, memory_id AS id, shared FROM memory_versions UNION "
            "SELECT tenant_id, user_id, message_id, false FROM messages UNION "
            "SELECT tenant_id, user_id, summary_id, false FROM summaries"
        )
        rows = list(zip(*(table[c].to_pylist() for c in ("tenant_id", "user_id", "id", "shared")), strict=True))
        return cls({i: Scope(t, u) for t, u, i, _ in rows}, frozenset(i for _, _, i, shared in rows if shared))

    def foreign(self, ids: Iterable[str], scope: Scope, *, pool: bool = False) -> list[str]:
        """The ids that are not this user's; with ``pool`` what the tenant shares is everybody's.

        An id that nobody is known to own counts as foreign.
        """
        found = []
        for one in ids:
            owner = self.scopes.get(one)
            if pool and owner is not None and one in self.shared and owner.tenant_id == scope.tenant_id:
                continue
            if owner != scope:
                found.append(one)
        return found


def isolated(home: FixtureHome, fixture: Fixture, owners: Owners) -> Iterator[Outcome]:
    """Every read of a fixture as its owner, as who has said the same, and as a stranger: one outcome a read."""
    for ask in fixture.asks:
        own = ask.scope(fixture.name)
        for scope in _readers(fixture, own):
            for pool in (False,) if scope == own else (False, True):
                items = home.reader.search(
                    ask.query,
                    user_id=scope.user_id,
                    tenant_id=scope.tenant_id,
                    k=_K,
                    layers=("semantic", "episodic", "narrative"),
                    max_classification="confidential",
                    include_shared=pool,
                )
                ids = [i for item in items for i in (item.id, *item.evidence)]
                yield _outcome(fixture, "search", ask.query, scope, owners.foreign(ids, scope, pool=pool))
        for chat in fixture.chats if len(fixture.chats) > 1 else ():
            if chat.scope(fixture.name) == own:
                yield _one_chat(home, fixture, ask.query, own, session_name(fixture, chat.id))
    for context in fixture.contexts:
        for scope in _readers(fixture, context.scope(fixture.name)):
            block = home.reader.context(context.message, user_id=scope.user_id, tenant_id=scope.tenant_id)
            held = (*block.item_ids, *block.dropped)
            yield _outcome(fixture, "context", context.message, scope, owners.foreign(held, scope))
    for answered in fixture.answers:
        for scope in _readers(fixture, answered.scope(fixture.name)):
            given = home.reader.ask(answered.ask, user_id=scope.user_id, tenant_id=scope.tenant_id)
            yield _outcome(fixture, "ask", answered.ask, scope, owners.foreign(given.citations, scope))


def _readers(fixture: Fixture, own: Scope) -> Sequence[Scope]:
    return (own, copy_of(fixture)(own), stranger(own))


def _one_chat(home: FixtureHome, fixture: Fixture, query: str, scope: Scope, session: str) -> Outcome:
    """A read within one chat: nothing that was said in another one only (DL-34)."""
    items = home.reader.search(
        query, user_id=scope.user_id, tenant_id=scope.tenant_id, k=_K, session_id=session, max_classification="internal"
    )
    foreign = [i.id for i in items if i.session_id != session]
    return _outcome(fixture, f"search in {session}", query, scope, foreign)


def _outcome(fixture: Fixture, read: str, text: str, scope: Scope, foreign: Sequence[str]) -> Outcome:
    expected = f"{read} “{text}” of {scope.tenant_id}/{scope.user_id} has only rows of its own"
    return Outcome(fixture.name, "leak", not foreign, expected, ", ".join(foreign))
