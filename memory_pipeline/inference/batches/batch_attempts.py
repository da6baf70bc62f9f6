"""What becomes of requests: a batch, what it leaves open in another one, and then the live model or an error."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from memory_pipeline.errors import BatchError
from memory_pipeline.inference.batches.batch_jobs import BatchJobs, Job, PendingRequest
from memory_pipeline.inference.batches.batch_results import BatchResults, RemainingRequests
from memory_pipeline.inference.hosted.openai_chat import OpenAIChat

_QUEUE_FULL = "token_limit_exceeded"
_log = logging.getLogger(__name__)


class BatchAttempts:
    """Sees requests through to a reply or an error each.

    Lines in error and replies that do not fit are the live model's at once. What was not carried out is sent once
    more; when that has expired, too, the live model is asked, but not when it has failed or was cancelled: then
    somebody did not want it, and the live model costs twice as much.
    """

    def __init__(self, live: OpenAIChat, jobs: BatchJobs, results: BatchResults) -> None:
        self._live = live
        self._jobs = jobs
        self._results = results

    async def answer(self, asked: Mapping[str, PendingRequest]) -> None:
        """Send what no batch holds, wait for all of them, and hand out what is in them.

        Raises:
            SettingsError, ModelError: something cannot be sent, looked at or collected.
        """
        again: dict[str, PendingRequest] = {}
        for left in await self._followed(await self._jobs.take(asked, attempt=1)):
            again |= {each.name: each for each in await self._once_more(left)}
        if again:
            for left in await self._followed(await self._jobs.take(again, attempt=2)):
                await self._last_resort(left)

    async def _followed(self, jobs: list[Job]) -> list[RemainingRequests]:
        """Follow all batches to their ends, then raise the first failure: what the others hold is paid for."""
        results = await asyncio.gather(*map(self._results.follow, jobs), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result
        return [r for r in results if not isinstance(r, BaseException)]

    async def _once_more(self, left: RemainingRequests) -> list[PendingRequest]:
        """Which of the requests that a batch has left open go into another one."""
        if left.job.record.attempt > 1:
            await self._last_resort(left)
            return []
        if left.unfinished and _QUEUE_FULL in left.reason:
            advice = (
                "set MEMORY_PIPELINE_CHAT_BATCH_TOKENS to what your account may have enqueued, or run again when "
                "other batches have ended"
            )
            self._fail(left, advice)
            return []
        again = list(left.unfinished)
        if again:
            said = f" ({left.reason})" if left.reason else ""
            _log.warning("%s %s%s: %d requests are sent again", _id(left), left.status, said, len(again))
        return [*again, *await self._put_in_another_way(left)]

    async def _put_in_another_way(self, left: RemainingRequests) -> list[PendingRequest]:
        """Ask one refused request live: it finds out what the server takes. Then the rest can go into a batch again."""
        if not left.refused:
            return []
        first, *rest = left.refused
        before = first.dialect or self._live.dialect
        await self._results.live([first])
        if self._live.dialect != before:
            return rest
        await self._results.live(rest)
        return []

    async def _last_resort(self, left: RemainingRequests) -> None:
        """Have the live model answer, but not what the provider or somebody there would not have carried out."""
        await self._results.live(left.refused)
        if left.unfinished and left.status in ("failed", "cancelled"):
            self._fail(left, "look at it at the provider, then run again; without --batch the requests are asked live")
        elif left.unfinished:
            _log.warning("%s %s: %d requests are asked live", _id(left), left.status, len(left.unfinished))
            await self._results.live(left.unfinished)

    def _fail(self, left: RemainingRequests, advice: str) -> None:
        said = f" ({left.reason})" if left.reason else ""
        url, count = left.job.record.url, len(left.unfinished)
        error = BatchError(
            f"{_id(left)} {left.status} at {url}{said}: {count} requests are not answered; {advice}",
            model=self._live.model,
            batch_id=left.job.record.batch_id,
            status=left.status,
            url=url,
            unanswered=count,
        )
        for each in left.unfinished:
            each.fail(error)

    async def take_ended(self, asked: Mapping[str, PendingRequest]) -> None:
        """Send nothing: take what batches that have ended have brought, and have all else answered live."""
        held: set[str] = set()
        for job in await self._jobs.take(asked, attempt=1, submit=False):
            if not await self._results.has_ended(job):
                _log.warning(
                    "%s is under way: %d of its requests are asked live and paid twice; `memory-pipeline run --batch` "
                    "waits for it",
                    job.record.batch_id,
                    len(job.asked),
                )
                continue
            held |= job.asked.keys()
            left = await self._results.follow(job)
            await self._results.live([*left.refused, *left.unfinished])
        await self._results.live(each for name, each in asked.items() if name not in held)


def _id(left: RemainingRequests) -> str:
    return str(left.job.record.batch_id)
