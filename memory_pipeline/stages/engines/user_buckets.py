"""Users split into buckets of about the same work: a bucket holds neighbours in the order of their names, so that what
the buckets come to, put together, has the order of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar

from memory_pipeline.domain.scope import Scope

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Bucket:
    """Some days of some users.

    Attributes:
        users: in order; None = everybody.
    """

    days: tuple[date, ...]
    users: tuple[Scope, ...] | None = None

    @property
    def where(self) -> tuple[str, Mapping[str, Any]]:
        """A condition on rows that they are the users', and its parameters."""
        if self.users is None:
            return "true", {}
        tenants, users = [u.tenant_id for u in self.users], [u.user_id for u in self.users]
        return "(tenant_id, user_id) IN (SELECT unnest($tenants), unnest($users))", {"tenants": tenants, "users": users}


def buckets(ctx: StageContext, days: Iterable[date], also: Iterable[Scope] = ()) -> list[Bucket]:
    """Some days' work on messages, as the engine of the run wants it split: everybody in one bucket, or several of
    about as many messages each.

    Args:
        also: users who are to be in a bucket, whether they wrote on these days or not.
    """
    span = tuple(sorted(set(days)))
    if ctx.engine.buckets == 1:
        return [Bucket(span)]
    table = ctx.lake.sql(
        "SELECT tenant_id, user_id, count(*) AS n FROM messages GROUP BY ALL ORDER BY ALL", days={"messages": span}
    )
    names = zip(table["tenant_id"].to_pylist(), table["user_id"].to_pylist(), strict=True)
    weights = dict.fromkeys(also, 1) | {Scope(*name): n for name, n in zip(names, table["n"].to_pylist(), strict=True)}
    return [Bucket(span, users) for users in split(weights, ctx.engine.buckets)] or [Bucket(span)]


def split(weights: Mapping[Scope, int], most: int) -> list[tuple[Scope, ...]]:
    """Users in at most so many runs of neighbours of about the same weight.

    Args:
        weights: of each user's work, more than 0.
    """
    total, before = sum(weights.values()), 0
    found: dict[int, list[Scope]] = {}
    for user in sorted(weights):
        found.setdefault(min(before * most // max(total, 1), most - 1), []).append(user)
        before += weights[user]
    return [tuple(users) for _, users in sorted(found.items())]


def pieces(items: Sequence[T], most: int, parts: int) -> list[Sequence[T]]:
    """Items in consecutive pieces of at most ``most``, and at least so many pieces as ``parts`` where there are."""
    size = max(1, min(most, -(-len(items) // parts)))
    return [items[start : start + size] for start in range(0, len(items), size)]
