"""One writer a user at a time: whoever reads a user's ledger to add to it keeps the others waiting until it has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.exclusion.locks import lock

if TYPE_CHECKING:
    from memory_pipeline.settings import Settings
    from memory_pipeline.stages.context import StageContext

FOLDER = ".locks"
VERDICTS = "verdicts"
"""What a stage takes while it rewrites partitions of verdicts, which hold the rows of many users."""
SUMMARIES = "summaries"
"""What is taken while partitions of summaries are rewritten, which hold the rows of many users, too."""
MAINTENANCE = "maintenance"
"""What store maintenance takes, and an erasure: neither may rewrite what the other reads."""
ERASURE = "erasure"
"""What an erasure takes from its beginning to its end."""
_DIGITS = 3  # hexadecimal: 4,096 lock files, however many users; two that share one wait for each other now and then
_held: ContextVar[frozenset[str]] = ContextVar("held", default=frozenset())


@contextmanager
def one_writer(settings: Settings, scopes: Iterable[Scope]) -> Iterator[None]:
    """Keep other processes and threads from writing some users' memories.

    Locks are taken in one order, so that two that want the same users never wait for each other; whoever holds a lock
    already may ask for it again.

    Raises:
        StorageError: a lock file cannot be made.
    """
    wanted = {
        digest(s.tenant_id, s.user_id)[:_DIGITS]: f"memories of user {s.user_id!r} of tenant {s.tenant_id!r}"
        for s in scopes
    }
    with _taken(settings, wanted):
        yield


def in_turn(
    ctx: StageContext, users: Sequence[Scope], work: Callable[[Sequence[Scope]], Callable[[Collection[Scope]], None]]
) -> None:
    """Work out something for users that may take long, and write it when nobody else writes.

    A user whose ledger another hand has added to meanwhile is worked on again: nobody waits for a model, and nothing is
    lost.

    Args:
        users: so many as may be locked at once.
        work: given users, works it out, and returns what writes it for those of them that it is then given.
    """
    from memory_pipeline.storage.queries.ledger import marks_of

    left = list(users)
    while left:
        before = marks_of(ctx.lake, left)
        write = work(left)
        with one_writer(ctx.settings, left):
            after = marks_of(ctx.lake, left)
            changed = [user for user in left if before.get(user) != after.get(user)]
            write(set(left).difference(changed))
        left = changed


@contextmanager
def alone(settings: Settings, name: str) -> Iterator[None]:
    """Keep others out of something that is not one user's; taken after the users' locks, never before them.

    Raises:
        StorageError: a lock file cannot be made.
    """
    with _taken(settings, {name: name}):
        yield


@contextmanager
def _taken(settings: Settings, wanted: dict[str, str]) -> Iterator[None]:
    folder = settings.path("lake", FOLDER)
    held = _held.get()
    places = {f"{folder}/{name}": what for name, what in sorted(wanted.items())}
    with ExitStack() as stack:
        for place, what in places.items():
            if place not in held:
                stack.enter_context(lock(place, what))
        token = _held.set(held | frozenset(places))
        try:
            yield
        finally:
            _held.reset(token)
