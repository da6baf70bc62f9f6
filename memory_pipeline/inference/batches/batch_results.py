"""Waiting for batches, and handing out what is in them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_pipeline.errors import MemoryPipelineError, ModelError, ReplyError
from memory_pipeline.inference.batches.batch_api import ENDED, BatchApi
from memory_pipeline.inference.batches.batch_files import NEVER_CAME, Outcome, outcomes
from memory_pipeline.inference.batches.batch_jobs import Job, PendingRequest
from memory_pipeline.inference.batches.batch_records import BatchRecord, BatchRecords
from memory_pipeline.inference.hosted.openai_chat import NEGOTIABLE, OpenAIChat
from memory_pipeline.inference.hosted.retries import MalformedAnswer, transient
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from openai.types import Batch

Tell = Callable[[str, int, int | None], None]
_GROWTH = 1.5
_LONGEST = 20  # first pauses
_PATIENCE = 12  # looks at a batch that may fail in a row: about an hour of the provider's absence
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RemainingRequests:
    """What a batch has left open.

    Attributes:
        status: how it ended; "lost" when the server does not know it any more.
        reason: what the server says about that.
        unfinished: requests that were not carried out.
        refused: requests that the server would take if they were put in another way.
    """

    job: Job
    status: str
    reason: str
    unfinished: Sequence[PendingRequest]
    refused: Sequence[PendingRequest]


class BatchResults:
    """Follows batches to their ends.

    Args:
        tell: called with a batch's name, its requests done, and their number.
    """

    def __init__(self, live: OpenAIChat, api: BatchApi, records: BatchRecords, settings: Settings, tell: Tell) -> None:
        self._live = live
        self._api = api
        self._records = records
        self._settings = settings
        self._tell = tell

    async def has_ended(self, job: Job) -> bool:
        """Whether a batch's results can be had now."""
        batch = await self._api.look(job.record.batch_id or "")
        return batch is None or batch.status in ENDED

    async def follow(self, job: Job) -> RemainingRequests:
        """Wait for a batch and hand out its replies. Returns what it has left open, which its record then forgets.

        Raises:
            ModelError: the batch cannot be looked at or collected; it goes on, and can be followed again.
        """
        batch = await self._ended(job)
        found: dict[str, Outcome] = {}
        if batch is not None:
            found = outcomes(await self._api.download(batch.error_file_id))
            found |= outcomes(await self._api.download(batch.output_file_id))
        unfinished, refused, settling = [], [], []
        for name, asked in job.asked.items():
            outcome = found.get(name, NEVER_CAME)
            if outcome.unfinished:
                unfinished.append(asked)
            elif self._negotiable(asked, outcome):
                refused.append(asked)
            else:
                settling.append((asked, outcome))
        useful = await asyncio.gather(*(self._settle(asked, outcome) for asked, outcome in settling))
        useless = [asked for (asked, _), good in zip(settling, useful, strict=True) if not good]
        self._records.put(job.record.without(a.name for a in (*unfinished, *refused, *useless)))
        status = "lost" if batch is None else batch.status
        self._tell(f"batch {job.record.batch_id}", len(job.record.custom_ids), len(job.record.custom_ids))
        _log.info("%s %s: %d replies, %d left open", job.record.batch_id, status, sum(useful), len(unfinished))
        return RemainingRequests(job, status, _reason(batch), unfinished, refused)

    async def live(self, asked: Iterable[PendingRequest]) -> None:
        """Have the live model answer requests; errors go to those who wait for them."""

        async def one(each: PendingRequest) -> None:
            try:
                each.answer(await self._live.complete(each.request))
            except MemoryPipelineError as error:
                each.fail(error)

        await asyncio.gather(*map(one, asked))

    async def _ended(self, job: Job) -> Batch | None:
        record = job.record
        label, pause, failures = f"batch {record.batch_id}", self._settings.chat_batch_poll_s, 0
        longest = pause * _LONGEST
        try:
            while True:
                try:
                    batch = await self._api.look(record.batch_id or "")
                except ModelError as error:
                    failures += 1
                    if failures > _PATIENCE or not transient(error.__cause__ or error):
                        raise ModelError(f"{error}; {_goes_on(record)}") from error
                    _log.warning("%s cannot be looked at: %s", record.batch_id, error)
                else:
                    failures = 0
                    if batch is None or batch.status in ENDED:
                        return batch
                    counts = batch.request_counts
                    done = counts.completed + counts.failed if counts else 0
                    self._tell(label, done, len(record.custom_ids))
                await asyncio.sleep(pause)
                pause = min(pause * _GROWTH, longest)
        except asyncio.CancelledError:
            _log.warning(_goes_on(record))
            raise

    def _negotiable(self, asked: PendingRequest, outcome: Outcome) -> bool:
        dialect = asked.dialect or self._live.dialect
        return outcome.status in NEGOTIABLE and dialect.without(outcome.said) is not None

    async def _settle(self, asked: PendingRequest, outcome: Outcome) -> bool:
        """Answer a request from its line, or with the live model's help. Returns whether the line is of use again."""
        from openai.types.chat import ChatCompletion

        if not outcome.answered:
            _log.info("%s failed in its batch (%s): asked live", asked.name, outcome.said[:300])
            await self.live([asked])
            return False
        try:
            completion = ChatCompletion.construct(**outcome.body)
            first = self._live.read(completion, asked.prompt, self._settings.chat_batch_price)
        except (MalformedAnswer, AttributeError, TypeError) as error:
            _log.warning("%s: what its batch says is no completion (%s): asked live", asked.name, error)
            await self.live([asked])
            return False
        try:
            asked.answer(await self._live.settle(asked.request, asked.prompt, first))
        except ReplyError as error:  # the next run shall not find the same again
            asked.fail(error)
            return False
        except MemoryPipelineError as error:
            asked.fail(error)
        return True


def _goes_on(record: BatchRecord) -> str:
    return (
        f"{record.batch_id} goes on at {record.url}: `memory-pipeline run --batch` waits for it and takes its replies"
    )


def _reason(batch: Batch | None) -> str:
    errors = (batch.errors.data if batch is not None and batch.errors else None) or []
    return "; ".join(f"{e.code}: {e.message}" for e in errors[:3])
