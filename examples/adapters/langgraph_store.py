"""LangGraph: long-term memory as the store of a graph.

    graph = builder.compile(store=MemoryStore(Memory.connect(url, key)))

The last part of a namespace is the user: ``("memories", "ann")``. What is put is remembered at once as the sentence
``value["content"]``, and replaced by the next put of its key. Search finds all that is remembered of the user, also
what came out of conversations; such an item's key is its memory id.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, Op, PutOp, Result, SearchItem, SearchOp

from memory_pipeline import Memory
from memory_pipeline.sdk.results import MemoryRecord


class MemoryStore(BaseStore):
    """A store on a memory.

    Args:
        namespace: of the users that ``list_namespaces`` lists.
    """

    def __init__(self, memory: Memory, tenant_id: str | None = None, namespace: str = "memories") -> None:
        self._memory = memory
        self._tenant_id = tenant_id
        self._namespace = namespace

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return [self._done(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _done(self, op: Op) -> Result:
        if isinstance(op, PutOp):
            return self._put(op)
        if isinstance(op, GetOp):
            found = self._find(op.namespace, op.key)
            return None if found is None else Item(**_item(op.namespace, op.key, found))
        if isinstance(op, SearchOp):
            return self._search(op)
        assert isinstance(op, ListNamespacesOp)
        users = self._memory.users(tenant_id=self._tenant_id)
        return [(self._namespace, user["user_id"]) for user in users][op.offset : op.offset + op.limit]

    def _whom(self, namespace: tuple[str, ...]) -> dict[str, Any]:
        return {"user_id": namespace[-1], "tenant_id": self._tenant_id}

    def _find(self, namespace: tuple[str, ...], key: str) -> MemoryRecord | None:
        held = self._memory.memories(**self._whom(namespace), status="active")
        return next((m for m in held if m.memory_id == key or m.attribute == _slot(namespace, key)), None)

    def _put(self, op: PutOp) -> None:
        found, whom = self._find(op.namespace, op.key), self._whom(op.namespace)
        if op.value is None:
            if found is not None:
                self._memory.forget(found.memory_id, **whom)
            return
        content = op.value.get("content")
        if not isinstance(content, str):
            raise ValueError("a memory is a sentence: put {'content': 'Likes green tea.'}")
        slot = {"subject": "user", "attribute": _slot(op.namespace, op.key), "value": content}
        if found is None:
            self._memory.remember(content, **whom, **slot)
        elif found.content != content:
            self._memory.update(found.memory_id, content, **whom, **slot)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        whom = self._whom(op.namespace_prefix)
        held = {m.memory_id: m for m in self._memory.memories(**whom, status="active")}
        if op.query:
            ranked = self._memory.search(op.query, **whom, k=200, layers=("semantic",))
            scored = [(held[hit.id], hit.score) for hit in ranked if hit.id in held]
        else:
            scored = [(record, None) for record in held.values()]
        found = [
            SearchItem(**_item(op.namespace_prefix, record.memory_id, record), score=score) for record, score in scored
        ]
        wanted = (op.filter or {}).items()
        return [i for i in found if all(i.value.get(k) == v for k, v in wanted)][op.offset : op.offset + op.limit]


def _slot(namespace: tuple[str, ...], key: str) -> str:
    return "/".join((*namespace[:-1], key))


def _item(namespace: tuple[str, ...], key: str, record: MemoryRecord) -> dict[str, Any]:
    value = {"content": record.content, "type": record.type, "pinned": record.pinned}
    at = record.observed_at
    return {"namespace": namespace, "key": key, "value": value, "created_at": at, "updated_at": at}
