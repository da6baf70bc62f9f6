"""Batches and the requests that wait for them: found again, or sent."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.inference.batches.batch_api import BatchApi
from memory_pipeline.inference.batches.batch_files import line, split
from memory_pipeline.inference.batches.batch_records import BatchRecord, BatchRecords
from memory_pipeline.inference.chat import ChatReply, ChatRequest
from memory_pipeline.inference.hosted.openai_chat import OpenAIChat
from memory_pipeline.inference.hosted.structured_output import Dialect
from memory_pipeline.inference.prompts import PromptMessage

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class PendingRequest:
    """A request that waits for its reply.

    Attributes:
        name: its custom id.
        dialect: in which this process has sent it; None when another one has.
    """

    name: str
    request: ChatRequest[Any]
    prompt: Sequence[PromptMessage]
    future: asyncio.Future[ChatReply[Any]]
    dialect: Dialect | None = None

    @property
    def tokens(self) -> int:
        """Of the prompt, estimated."""
        return sum(estimate_tokens(m["content"]) for m in self.prompt)

    def answer(self, reply: ChatReply[Any]) -> None:
        if not self.future.done():
            self.future.set_result(reply)

    def fail(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)


@dataclass(frozen=True, slots=True)
class Job:
    """A batch, and those of its requests that are waited for."""

    record: BatchRecord
    asked: Mapping[str, PendingRequest]


class BatchJobs:
    """Finds the batches of requests, or sends them, and writes down which is where."""

    def __init__(self, live: OpenAIChat, api: BatchApi, records: BatchRecords) -> None:
        self._live = live
        self._api = api
        self._records = records
        self._required = False

    async def take(self, asked: Mapping[str, PendingRequest], attempt: int, *, submit: bool = True) -> list[Job]:
        """The batches that hold these requests; what none holds is sent, if it may be.

        Raises:
            SettingsError: the server has no Batch API; nothing was sent.
            ModelError: something could not be sent; what was sent is found again by the next call.
        """
        async with self._records.exclusive():
            jobs = await self._found(asked)
            held = {name for job in jobs for name in job.asked}
            rest = {name: each for name, each in asked.items() if name not in held}
            if rest and submit:
                jobs += await self._sent(rest, attempt)
        return jobs

    async def require(self) -> None:
        """Make sure, once, that there is a Batch API; see :meth:`BatchApi.require`."""
        if not self._required:
            await self._api.require()
            self._required = True

    async def _found(self, asked: Mapping[str, PendingRequest]) -> list[Job]:
        jobs: list[Job] = []
        open_ = dict(asked)
        for record in self._records.all():
            mine = {name: open_[name] for name in record.custom_ids if name in open_}
            if not mine or record.url != self._live.endpoint.url:
                continue
            if record.batch_id is None:
                batch = await self._api.find(record.key, record.submitted_at)
                if batch is None:  # killed before it was started
                    self._records.drop(record)
                    continue
                record = replace(record, batch_id=batch.id)
                self._records.put(record)
            _log.info("%s holds %d of the requests", record.batch_id, len(mine))
            jobs.append(Job(record, mine))
            open_ = {name: each for name, each in open_.items() if name not in mine}
        return jobs

    async def _sent(self, asked: Mapping[str, PendingRequest], attempt: int) -> list[Job]:
        await self.require()
        dialect = self._live.dialect
        jobs = []
        for part in split((each.name, self._line(each, dialect)) for each in asked.values()):
            subjects = {self._records.subject(asked[name].request.scope) for name in part}
            record = BatchRecord.new(self._live.endpoint.url, part, attempt, datetime.now(UTC), subjects)
            self._records.put(record)
            file_id = await self._api.upload(f"{record.key}.jsonl", b"".join(part.values()))
            batch = await self._api.create(file_id, record.key, record.submitted_at)
            record = replace(record, batch_id=batch.id)
            self._records.put(record)
            _log.info("%s: %d requests sent to %s", batch.id, len(part), record.url)
            jobs.append(Job(record, {name: asked[name] for name in part}))
        return jobs

    def _line(self, asked: PendingRequest, dialect: Dialect) -> bytes:
        asked.dialect = dialect
        request = asked.request
        arguments = dialect.request(request.task, asked.prompt, request.reply, request.max_tokens)
        return line(asked.name, self._live.model, self._live.with_options(arguments))
