"""Every model reply is kept, by the hash of what produced it; the same request never costs twice.

The key covers the model, its parameters, the template, the reply's schema and the inputs: together they are the
rendered prompt. Replies of hosted models are written as soon as they arrive, so a crash loses only the calls in flight.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.chat import ChatModel, ChatReply, ChatRequest, Usage
from memory_pipeline.inference.replies import dump, parse, schema
from memory_pipeline.inference.structured_output import UnfitReply

if TYPE_CHECKING:
    from memory_pipeline.inference.prompts import Prompts
    from memory_pipeline.storage.lake import Lake

R = TypeVar("R")
_BUFFERED = 2000  # replies of the embedded model held back before they are written


@dataclass(frozen=True, slots=True)
class Pack:
    """Several requests answered by one call.

    Attributes:
        request: the joint request.
        members: the requests it stands for.
        split: the joint reply's value → one value a member, in order (None where it left one out).
    """

    request: ChatRequest[Any]
    members: Sequence[ChatRequest[Any]]
    split: Callable[[Any], Sequence[Any | None]]


@dataclass
class _Spent:
    calls: int = 0
    cached: int = 0
    prompt: int = 0
    prompt_cached: int = 0
    completion: int = 0
    usd: float = 0.0


@dataclass
class ReplyCache:
    """Answers requests from the kept replies, and asks the model for the rest.

    Attributes:
        calls, hits: requests that went to the model, and that did not, since this object was made.
    """

    lake: Lake
    chat: ChatModel
    prompts: Prompts
    run_id: str
    now: datetime
    calls: int = 0
    hits: int = 0
    _flushes: int = 0
    _replies: list[Any] = field(default_factory=list)
    _spent: dict[tuple[Scope, date, str], _Spent] = field(default_factory=lambda: defaultdict(_Spent))

    def key(self, request: ChatRequest[Any]) -> str:
        """Identity of a request: equal keys mean an equal rendered prompt and schema for the same model."""
        return digest(
            self.chat.model,
            json.dumps(dict(self.chat.parameters), sort_keys=True, default=str),
            self.prompts.prompt_hash(request.task),
            json.dumps(schema(request.reply), sort_keys=True),
            json.dumps(request.inputs, sort_keys=True, ensure_ascii=False),
            request.scope.tenant_id,
            request.scope.user_id,
        )

    async def complete_many(
        self,
        requests: Sequence[ChatRequest[Any]],
        pack: Callable[[Sequence[ChatRequest[Any]]], Sequence[Pack]] | None = None,
    ) -> list[ChatReply[Any] | ReplyError]:
        """Answer requests, in order. A reply that does not fit comes back as its error; the others are kept.

        Raises:
            ModelError: the model cannot be reached. Replies that had arrived are kept.
        """
        keys = [self.key(r) for r in requests]
        known = self._lookup(dict(zip(keys, requests, strict=True)))
        answers: dict[str, ChatReply[Any] | ReplyError] = {}
        for key, request in zip(keys, requests, strict=True):
            if key in known and key not in answers:
                answers[key] = ChatReply(
                    parse(request.reply, known[key]), known[key], self.chat.model, Usage(), cached=True
                )
                self.hits += 1
                self._spent[request.scope, request.day, request.task].cached += 1
        missing = [r for k, r in dict(zip(keys, requests, strict=True)).items() if k not in answers]
        packs = (pack or _singly)(missing)
        try:
            for found in await _all(self._ask(p) for p in packs):
                answers.update(found)
        finally:
            self.flush()
        return [answers[key] for key in keys]

    async def complete(self, request: ChatRequest[R]) -> ChatReply[R]:
        """Answer one request.

        Raises:
            ReplyError, ModelError: see :class:`ChatModel`.
        """
        (answer,) = await self.complete_many([request])
        if isinstance(answer, ReplyError):
            raise answer
        return answer

    async def _ask(self, pack: Pack) -> dict[str, ChatReply[Any] | ReplyError]:
        self.calls += 1
        try:
            reply = await self.chat.complete(pack.request)
        except ReplyError as error:
            self._account(pack.request, error.usage if isinstance(error, UnfitReply) else Usage())
            return {self.key(member): error for member in pack.members}
        self._account(pack.request, reply.usage)
        found: dict[str, ChatReply[Any] | ReplyError] = {}
        for member, value in zip(pack.members, pack.split(reply.value), strict=True):
            key = self.key(member)
            if value is None:
                found[key] = ReplyError("the reply left this part out", reply.raw)
                continue
            found[key] = ChatReply(value, dump(value), reply.model, reply.usage)
            self._keep(key, member, dump(value), reply.usage, len(pack.members))
        if reply.usage.completion_tokens or len(self._replies) >= _BUFFERED:
            self.flush()
        return found

    def _lookup(self, wanted: Mapping[str, ChatRequest[Any]]) -> dict[str, str]:
        if not wanted:
            return {}
        found = self.lake.sql(
            "SELECT key, any_value(reply) AS reply FROM replies WHERE key IN (SELECT unnest($keys)) GROUP BY key",
            {"keys": list(wanted)},
            days={"replies": {r.day for r in wanted.values()}},
        )
        return dict(zip(found["key"].to_pylist(), found["reply"].to_pylist(), strict=True))

    def _keep(self, key: str, request: ChatRequest[Any], raw: str, usage: Usage, shares: int) -> None:
        from memory_pipeline.storage.schemas import Reply

        self._replies.append(
            Reply(
                key=key,
                tenant_id=request.scope.tenant_id,
                user_id=request.scope.user_id,
                day=request.day,
                task=request.task,
                model=self.chat.model,
                prompt_hash=self.prompts.prompt_hash(request.task),
                reply=raw,
                prompt_tokens=usage.prompt_tokens // shares,
                completion_tokens=usage.completion_tokens // shares,
                usd=usage.usd / shares,
                recorded_at=self.now,
            )
        )

    def _account(self, request: ChatRequest[Any], usage: Usage) -> None:
        spent = self._spent[request.scope, request.day, request.task]
        spent.calls += 1
        spent.prompt += usage.prompt_tokens
        spent.prompt_cached += usage.cached_tokens
        spent.completion += usage.completion_tokens
        spent.usd += usage.usd

    def flush(self) -> None:
        """Write what has been answered and spent so far."""
        from memory_pipeline.storage.schemas import Cost

        replies, self._replies = self._replies, []
        spent, self._spent = self._spent, defaultdict(_Spent)
        self._flushes += 1
        self.lake.append("replies", replies)
        self.lake.append(
            "costs",
            [
                Cost(
                    call_id=digest(self.run_id, scope.tenant_id, scope.user_id, str(day), task, str(self._flushes))[
                        :24
                    ],
                    tenant_id=scope.tenant_id,
                    user_id=scope.user_id,
                    day=day,
                    stage=task,
                    model=self.chat.model,
                    calls=s.calls,
                    cached=s.cached,
                    prompt_tokens=s.prompt,
                    cached_tokens=s.prompt_cached,
                    completion_tokens=s.completion,
                    usd=s.usd,
                    run_id=self.run_id,
                    recorded_at=self.now,
                )
                for (scope, day, task), s in spent.items()
            ],
        )


def _singly(requests: Sequence[ChatRequest[Any]]) -> list[Pack]:
    return [Pack(r, [r], lambda value: [value]) for r in requests]


async def _all(calls: Any) -> list[dict[str, ChatReply[Any] | ReplyError]]:
    """Let every call end, then raise the first failure: replies that arrive meanwhile are paid for and kept."""
    results = await asyncio.gather(*calls, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [r for r in results if not isinstance(r, BaseException)]
