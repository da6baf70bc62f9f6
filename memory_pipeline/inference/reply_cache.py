"""Every model reply is kept, by the hash of what produced it; the same request never costs twice.

The key covers the model, its parameters, the template, the reply's schema and the inputs: together they are the
rendered prompt. What a call cost is entered into the ledger and its reply is written as soon as it arrives, in this
order, so a crash loses only the calls in flight and the ledger never says less than was spent.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from memory_pipeline import telemetry
from memory_pipeline.domain.ids import digest
from memory_pipeline.errors import BudgetExceeded, ReplyError
from memory_pipeline.inference.accounting import Accounts, paid, share
from memory_pipeline.inference.chat import ChatModel, ChatReply, ChatRequest, ImmediateModel, Usage
from memory_pipeline.inference.hosted.salvage import Aside
from memory_pipeline.inference.hosted.structured_output import UnfitReply
from memory_pipeline.inference.prices import most_usd
from memory_pipeline.inference.replies import dump, parse, schema

if TYPE_CHECKING:
    from datetime import date

    import pyarrow as pa

    from memory_pipeline.domain.scope import Scope
    from memory_pipeline.inference.budget import Budget
    from memory_pipeline.inference.prompts import Prompts
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.parquet.lake import Lake

R = TypeVar("R")
_BUFFERED = 2000  # replies of the embedded model held back before they are written
_KEPT = "key, reply, prompt_tokens + completion_tokens AS tokens, usd"
_FIRST = "QUALIFY row_number() OVER (PARTITION BY key ORDER BY recorded_at, reply) = 1"
_NO_CALL = Usage(calls=0)


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


Packer = Callable[[Sequence[ChatRequest[Any]]], Sequence[Pack]]


@dataclass(frozen=True, slots=True)
class CachedReply:
    """A kept reply and what its part of the call took when it was made."""

    reply: str
    tokens: int
    usd: float


@dataclass
class ReplyCache:
    """Answers requests from the kept replies, and asks the model for the rest.

    Attributes:
        calls, hits: calls that the model answered, and requests that took none, since this object was made.
        prompt_tokens, completion_tokens: what those calls took.
        unfit: calls whose reply was of no use.
        put_aside: gets the items of a reply that did not fit, with the task and the key of what it was asked about.
    """

    lake: Lake
    chat: ChatModel
    prompts: Prompts
    settings: Settings
    budget: Budget
    run_id: str
    calls: int = 0
    hits: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unfit: int = 0
    put_aside: Callable[[str, Sequence[Aside]], None] = lambda source, items: None
    _replies: list[Any] = field(default_factory=list)
    _constant: dict[tuple[str, type[Any]], tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._accounts = Accounts(self.lake, self.budget, self.chat.model, self.run_id)

    @property
    def taken(self) -> tuple[int, int, int, int]:
        """Calls, requests that took none, prompt tokens and completion tokens since this object was made."""
        return self.calls, self.hits, self.prompt_tokens, self.completion_tokens

    def add(self, taken: tuple[int, int, int, int, int]) -> None:
        """Count what another process of the run was answered: as :attr:`taken`, and how many calls were of no use."""
        calls, hits, read, written, unfit = taken
        self.calls, self.hits, self.unfit = self.calls + calls, self.hits + hits, self.unfit + unfit
        self.prompt_tokens, self.completion_tokens = self.prompt_tokens + read, self.completion_tokens + written

    def key(self, request: ChatRequest[Any]) -> str:
        """Identity of a request: equal keys mean an equal rendered prompt and schema for the same model."""
        constant = self._constant.get((request.task, request.reply))
        if constant is None:
            constant = self._constant[request.task, request.reply] = (
                self.chat.model,
                json.dumps(dict(self.chat.parameters), sort_keys=True, default=str),
                self.prompts.prompt_hash(request.task),
                json.dumps(schema(request.reply), sort_keys=True),
            )
        inputs = json.dumps(request.inputs, sort_keys=True, ensure_ascii=False)
        return digest(*constant, inputs, request.scope.tenant_id, request.scope.user_id)

    def kept(self, requests: Sequence[ChatRequest[Any]]) -> list[CachedReply | None]:
        """What is kept for requests, in order, without answering them: nothing is counted."""
        keys = [self.key(r) for r in requests]
        known = self._lookup(dict(zip(keys, requests, strict=True)))
        return [known.get(key) for key in keys]

    def kept_of(self, task: str, users: Iterable[Scope], days: Iterable[date]) -> dict[str, CachedReply]:
        """All that is kept of a task for some users and days, by key: for :meth:`recall`."""
        from memory_pipeline.storage.parquet.lake import scopes_table

        found = self.lake.sql(
            f"SELECT {_KEPT} FROM replies SEMI JOIN users USING (tenant_id, user_id) WHERE task = $task {_FIRST}",
            {"task": task},
            days={"replies": days},
            tables={"users": scopes_table(users)},
        )
        return _by_key(found)

    def recall(self, request: ChatRequest[R], known: Mapping[str, CachedReply]) -> ChatReply[R] | None:
        """Answer a request from replies at hand, if it is among them. :meth:`flush` enters what that has saved.

        Args:
            known: kept replies of the request's user, by key.
        """
        key = self.key(request)
        return self._recalled(request, key, known[key]) if key in known else None

    def at_once(self, request: ChatRequest[R]) -> ChatReply[R] | None:
        """Answer a request that nothing kept answers; None where the model must be waited for.

        What is written of it waits for :meth:`flush`.

        Raises:
            ModelError: the model knows no such task.
        """
        if not isinstance(self.chat, ImmediateModel):
            return None
        key, pack = self.key(request), Pack(request, [request], lambda value: [value])
        made = self._taken(pack, [key], self.chat.reply(request))
        return cast(ChatReply[R], made[key])

    async def complete_many(
        self, requests: Sequence[ChatRequest[Any]], pack: Packer | None = None
    ) -> list[ChatReply[Any] | ReplyError]:
        """Answer requests, in order. A reply that does not fit comes back as its error; the others are kept.

        Raises:
            BudgetExceeded: the day's budget allows no further call. Calls under way have ended and are kept.
            ModelError: the model cannot be reached. Replies that had arrived are kept.
        """
        keys = [self.key(r) for r in requests]
        wanted = dict(zip(keys, requests, strict=True))
        answers: dict[str, ChatReply[Any] | ReplyError] = {}
        for key, found in self._lookup(wanted).items():
            answers[key] = self._recalled(wanted[key], key, found)
        missing = {id(r): k for k, r in wanted.items() if k not in answers}
        packs = (pack or singly)([r for k, r in wanted.items() if k not in answers])
        try:
            for made in await self._all(self._ask(p, missing) for p in packs):
                answers.update(made)
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

    def _recalled(self, request: ChatRequest[Any], key: str, kept: CachedReply) -> ChatReply[Any]:
        self.hits += 1
        self._accounts.answered(request, kept.tokens, kept.usd)
        value = parse(request.reply, kept.reply)
        return ChatReply(value, kept.reply, self.chat.model, _NO_CALL, cached=True, key=key)

    async def _all(self, calls: Iterable[Any]) -> list[dict[str, ChatReply[Any] | ReplyError]]:
        """Let every call end, then raise what failed: replies that arrive meanwhile are paid for and kept."""
        results = await asyncio.gather(*calls, return_exceptions=True)
        failures = [r for r in results if isinstance(r, BaseException)]
        over = [f for f in failures if isinstance(f, BudgetExceeded)]
        if len(failures) > len(over):
            raise next(f for f in failures if not isinstance(f, BudgetExceeded))
        if over:
            raise self.budget.exceeded(max(f.usd for f in over), len(over)) from None
        return [r for r in results if not isinstance(r, BaseException)]

    async def _ask(self, pack: Pack, keys: Mapping[int, str]) -> dict[str, ChatReply[Any] | ReplyError]:
        names = [keys.get(id(m)) or self.key(m) for m in pack.members]
        limited = self.budget.limit is not None
        async with self.budget.reserved(most_usd(self.settings, self.prompts, pack.request) if limited else None):
            try:
                reply = await self.chat.complete(replace(pack.request, divisible=len(pack.members) > 1))
            except ReplyError as error:
                usage = error.usage if isinstance(error, UnfitReply) else Usage()
                self._called(pack, usage, usage.calls)
                return dict.fromkeys(names, error)
            return self._taken(pack, names, reply)

    def _taken(self, pack: Pack, names: Sequence[str], reply: ChatReply[Any]) -> dict[str, ChatReply[Any] | ReplyError]:
        """The parts of a reply by the keys of what they answer, entered and kept."""
        parts = pack.split(reply.value)
        nothing = all(part is None for part in parts)
        self._called(pack, reply.usage, reply.usage.calls - (not nothing))
        if reply.aside:
            self.put_aside(f"{pack.request.task}/{names[0]}", reply.aside)
        found: dict[str, ChatReply[Any] | ReplyError] = {}
        for n, (key, value) in enumerate(zip(names, parts, strict=True)):
            if value is None:
                found[key] = _missing(reply)
                continue
            raw = dump(value)
            found[key] = ChatReply(value, raw, reply.model, reply.usage, key=key)
            self._keep(key, pack.members[n], raw, share(reply.usage, n, len(pack.members)))
        if paid(reply.usage) or len(self._replies) >= _BUFFERED:
            self.flush()
        return found

    def _called(self, pack: Pack, usage: Usage, unfit: int) -> None:
        self.calls += usage.calls
        self.unfit += unfit
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        telemetry.count("model.calls", usage.calls, "{call}", task=pack.request.task, model=self.chat.model)
        telemetry.count("model.cost", usage.usd, "USD", task=pack.request.task, model=self.chat.model)
        self._accounts.called(pack.request, pack.members, usage, unfit)

    def _lookup(self, wanted: Mapping[str, ChatRequest[Any]]) -> dict[str, CachedReply]:
        """What is kept by key, and for the user who asks: a reply that came with another's bundle answers nobody else.

        Where two processes have asked the same, the reply that was there first counts.
        """
        if not wanted:
            return {}
        import pyarrow as pa

        found = self.lake.sql(
            f"SELECT {_KEPT} FROM replies SEMI JOIN wanted USING (key, tenant_id, user_id) {_FIRST}",
            days={"replies": {r.day for r in wanted.values()}},
            tables={
                "wanted": pa.table(
                    {
                        "key": list(wanted),
                        "tenant_id": [r.scope.tenant_id for r in wanted.values()],
                        "user_id": [r.scope.user_id for r in wanted.values()],
                    }
                )
            },
        )
        return _by_key(found)

    def _keep(self, key: str, request: ChatRequest[Any], raw: str, part: Usage) -> None:
        from memory_pipeline.storage.parquet.schemas import Reply

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
                prompt_tokens=part.prompt_tokens,
                completion_tokens=part.completion_tokens,
                usd=part.usd,
                recorded_at=self.budget.clock(),
            )
        )

    def flush(self) -> None:
        """Write the replies held back and what has cost nothing so far."""
        replies, self._replies = self._replies, []
        self.lake.append("replies", replies)
        self._accounts.flush()


def _missing(reply: ChatReply[Any]) -> ReplyError:
    """Why a joint reply says nothing of a part."""
    if reply.cut_off:
        return UnfitReply("the reply was cut off before this part", reply.raw, _NO_CALL, cut_off=True)
    return ReplyError("the reply left this part out", reply=reply.raw)


def _by_key(found: pa.Table) -> dict[str, CachedReply]:
    rows = zip(*(found[name].to_pylist() for name in ("key", "reply", "tokens", "usd")), strict=True)
    return {key: CachedReply(reply, tokens, usd) for key, reply, tokens, usd in rows}


def singly(requests: Sequence[ChatRequest[Any]]) -> list[Pack]:
    """A call for each request."""
    return [Pack(r, [r], lambda value: [value]) for r in requests]
