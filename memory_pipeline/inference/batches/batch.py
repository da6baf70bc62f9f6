"""Back-fills through OpenAI's Batch API: what is asked together becomes one batch, at half the price, within a day.

Replies are the same as live ones, and are kept under the same keys: model, parameters, prompts and the rules for a
reply that does not fit are those of the live model, which is asked for whatever a batch leaves open.

A kill at any moment costs nothing when the same requests come again: they find their batch by their digests
(:mod:`batch_records`), and wait for it or collect it. A batch whose id could not be written down any more is found
through its metadata in the provider's list. Not guaranteed:

* that list may lag behind by moments, and then the batch is sent once more;
* a request that has changed meanwhile (other messages in the same prompt, another template or model) is another one;
* replies can be collected as long as the provider keeps them, which is 30 days;
* a remote home has no lock: two runs there at the same moment may send the same requests twice.

The messages stand in the provider's files as long as it keeps them, or until an erasure has them deleted
(:mod:`batch_deletion`). No word of them is written on our side but to the reply cache.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from memory_pipeline.inference.batches.batch_api import BatchApi
from memory_pipeline.inference.batches.batch_attempts import BatchAttempts
from memory_pipeline.inference.batches.batch_files import custom_id
from memory_pipeline.inference.batches.batch_jobs import BatchJobs, PendingRequest
from memory_pipeline.inference.batches.batch_records import BatchRecords
from memory_pipeline.inference.batches.batch_results import BatchResults, Tell
from memory_pipeline.inference.chat import ChatReply, ChatRequest, Usage
from memory_pipeline.inference.hosted.limits import Limits
from memory_pipeline.inference.hosted.openai_chat import OpenAIChat
from memory_pipeline.settings import Settings

R = TypeVar("R")
_QUIET_S = 0.1  # without a new request, until those at hand are sent
LIVE_TASKS = frozenset({"consolidate", "answer"})
"""Tasks that are asked live all the same. The judge's next question depends on its last answer, one day of the user's
after the other: a batch for each would take months. For an answer somebody waits."""


@dataclass
class _Gathering:
    """Requests that go out together.

    Attributes:
        timer: sends them; started anew by each that comes.
        task: sees to them from then on.
        waiting: how many wait for a reply.
    """

    asked: dict[str, PendingRequest] = field(default_factory=dict)
    timer: asyncio.TimerHandle | None = None
    task: asyncio.Task[None] | None = None
    waiting: int = 0


class BatchChat:
    """A chat model that gathers what is asked at the same time and has it answered in batches.

    Tasks whose requests depend on each other's replies, and questions that somebody waits for, go to the live model at
    once. May be used from several event loops.

    Args:
        live: the model behind it; it repairs replies that do not fit, and answers what batches leave open.
        tell: progress: a batch's name, requests done, their number.
        submit: False = no new batches: replies of batches that have ended are taken, all else is asked live.
    """

    def __init__(
        self, live: OpenAIChat, settings: Settings, tell: Tell = lambda *_: None, *, submit: bool = True
    ) -> None:
        self._live = live
        self._settings = settings
        self._submit = submit
        api, records = BatchApi(live, settings), BatchRecords(settings)
        self._jobs = BatchJobs(live, api, records)
        self._attempts = BatchAttempts(live, self._jobs, BatchResults(live, api, records, settings, tell))
        self._held = frozenset[str]() if submit else frozenset(n for r in records.all() for n in r.custom_ids)
        self._gatherings: dict[asyncio.AbstractEventLoop, _Gathering] = {}

    @property
    def model(self) -> str:
        return self._live.model

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Those of the live model: a reply is kept under the same key, whichever way it came."""
        return self._live.parameters

    @property
    def limits(self) -> Limits:
        """Those of the live model."""
        return self._live.limits

    async def complete(self, request: ChatRequest[R]) -> ChatReply[R]:
        """Answer one request, together with those that are asked at the same time; see :class:`ChatModel`.

        The usage is that of its line at the batch's price, and of live calls made for it at theirs.

        Raises:
            UnfitReply, ReplyError, SettingsError: as :meth:`OpenAIChat.complete`.
            SettingsError: the server has no Batch API, or there is a problem as with the live model.
            BatchError: the batch has failed or was cancelled, twice; the message says what to do.
            ModelError: it cannot be sent, looked at or collected. Batches under way go on, and are found again.
        """
        if request.task in LIVE_TASKS:
            return await self._live.complete(request)
        prompt = self._live.prompt(request)
        name = custom_id(self.model, request, prompt, self._settings.chat_options)
        if not self._submit and name not in self._held:
            return await self._live.complete(request)
        loop = asyncio.get_running_loop()
        gathering = self._gatherings.setdefault(loop, _Gathering())
        known = gathering.asked.get(name)
        asked = known or gathering.asked.setdefault(name, PendingRequest(name, request, prompt, loop.create_future()))
        if gathering.timer is not None:
            gathering.timer.cancel()
        gathering.timer = loop.call_later(_QUIET_S, self._start, loop)
        reply: ChatReply[R] = await self._waited(gathering, asked)
        return replace(reply, usage=Usage(calls=0)) if known else reply

    async def require(self) -> None:
        """Make sure that the server has a Batch API.

        Raises:
            SettingsError: it has none.
            ModelError: it cannot be asked.
        """
        async with self._live.connected():
            await self._jobs.require()

    async def aclose(self) -> None:
        """Release the live model's connections."""
        await self._live.aclose()

    async def _waited(self, gathering: _Gathering, asked: PendingRequest) -> ChatReply[Any]:
        """The reply to a request. The last one to wait sees the task out, so that nothing is left open in the loop."""
        gathering.waiting += 1
        try:
            return await asyncio.shield(asked.future)
        except asyncio.CancelledError:
            if gathering.waiting == 1 and gathering.task is not None:
                gathering.task.cancel()
            raise
        finally:
            gathering.waiting -= 1
            if not gathering.waiting and gathering.task is not None:
                await asyncio.wait([gathering.task])

    def _start(self, loop: asyncio.AbstractEventLoop) -> None:
        gathering = self._gatherings.pop(loop)
        if gathering.waiting:
            gathering.task = loop.create_task(self._run(gathering.asked))

    async def _run(self, asked: Mapping[str, PendingRequest]) -> None:
        try:
            async with self._live.connected():
                for group in self._groups(asked):
                    await (self._attempts.answer(group) if self._submit else self._attempts.take_ended(group))
        except Exception as error:  # whoever waits is told, whatever it is
            for each in asked.values():
                each.fail(error)

    def _groups(self, asked: Mapping[str, PendingRequest]) -> Iterator[dict[str, PendingRequest]]:
        """All at once, or one after another when the provider's queue is bounded."""
        most = self._settings.chat_batch_tokens
        group: dict[str, PendingRequest] = {}
        tokens = 0
        for name, each in asked.items():
            if most is not None and group and tokens + each.tokens > most:
                yield group
                group, tokens = {}, 0
            group[name] = each
            tokens += each.tokens if most is not None else 0
        yield group
