"""The calls of OpenAI's Batch API, each tried again while that may help, and what their failures mean."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from memory_pipeline.errors import ModelError, SettingsError
from memory_pipeline.inference.batches.batch_files import COMPLETIONS
from memory_pipeline.inference.hosted.openai_chat import OpenAIChat
from memory_pipeline.inference.hosted.retries import MalformedAnswer, options, pause, transient
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import Batch

T = TypeVar("T")
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
"""The states that no batch leaves again."""

_KEY = "memory_pipeline"  # of our entry in a batch's metadata
_ABSENT = frozenset({404, 405, 501})
_TRANSFER_S = 1200.0  # 200 MB at 1.4 Mbit/s
_PAGE = 100
_CLOCKS = timedelta(hours=2)  # by which the provider's may be behind ours
_log = logging.getLogger(__name__)


class BatchApi:
    """The Batch API of the server that a live chat model uses, over its connections.

    Every call raises a ModelError that says what to do when the server refuses it, or cannot be reached.
    """

    def __init__(self, live: OpenAIChat, settings: Settings) -> None:
        self._live = live
        self._settings = settings

    async def require(self) -> None:
        """Make sure that there is one, before anything is sent.

        Raises:
            SettingsError: the server has none.
        """
        from openai import APIStatusError

        try:
            said = await self._tried(lambda client: client.batches.with_raw_response.list(limit=1))
            listed = json.loads(said.text)
        except ModelError as error:
            cause = error.__cause__
            if isinstance(cause, APIStatusError) and cause.status_code in _ABSENT:
                raise self._absent(str(cause.status_code)) from cause
            raise
        except ValueError as error:
            raise self._absent("what it says is no JSON") from error
        if not isinstance(listed, dict) or not isinstance(listed.get("data"), list):
            raise self._absent("what it says is no list of batches")

    async def upload(self, name: str, content: bytes) -> str:
        """Upload an input file. Returns its id."""
        file = await self._tried(lambda client: client.files.create(file=(name, content), purpose="batch"), _TRANSFER_S)
        return file.id

    async def create(self, file_id: str, key: str, since: datetime) -> Batch:
        """Start a batch. When the answer is lost, the batch is looked for before another one is started.

        Args:
            key: recorded in its metadata.
            since: a time before which it cannot have been started, UTC.
        """
        window: Any = self._settings.chat_batch_window

        def start(client: AsyncOpenAI) -> Awaitable[Batch]:
            return client.batches.create(
                completion_window=window, endpoint=COMPLETIONS, input_file_id=file_id, metadata={_KEY: key}
            )

        for attempt in range(1, self._settings.chat_retries + 1):
            try:
                return await self._once(start)
            except ModelError as error:
                if not transient(error.__cause__ or error):
                    raise
                await asyncio.sleep(pause(error.__cause__, attempt))
            found = await self.find(key, since)
            if found is not None:
                return found
        return await self._once(start)

    async def find(self, key: str, since: datetime) -> Batch | None:
        """The batch with a key in its metadata, among those started since a time."""
        oldest = (since - _CLOCKS).timestamp()

        async def look(client: AsyncOpenAI) -> Batch | None:
            async for batch in client.batches.list(limit=_PAGE):  # newest first
                if (batch.metadata or {}).get(_KEY) == key:
                    return batch
                if batch.created_at < oldest:
                    return None
            return None

        return await self._tried(look, _TRANSFER_S)

    async def look(self, batch_id: str) -> Batch | None:
        """How a batch stands, asked once; None when the server does not know it."""
        from openai import NotFoundError

        try:
            return await self._once(lambda client: client.batches.retrieve(batch_id))
        except ModelError as error:
            if isinstance(error.__cause__, NotFoundError):
                return None
            raise

    async def download(self, file_id: str | None) -> bytes:
        """A result file; nothing for one that was not made, or that the server no longer has."""
        from openai import NotFoundError

        if file_id is None:
            return b""
        try:
            return (await self._tried(lambda client: client.files.content(file_id), _TRANSFER_S)).content
        except ModelError as error:
            if not isinstance(error.__cause__, NotFoundError):
                raise
            _log.warning("%s no longer has the result file %s", self._live.endpoint.url, file_id)
            return b""

    async def cancel(self, batch_id: str) -> Batch:
        """Have a batch stopped; what it has carried out by then is billed."""
        return await self._tried(lambda client: client.batches.cancel(batch_id))

    async def uploaded(self, name: str) -> list[str]:
        """Ids of the input files of a name that the server has."""

        async def look(client: AsyncOpenAI) -> list[str]:
            return [file.id async for file in client.files.list(purpose="batch") if file.filename == name]

        return await self._tried(look, _TRANSFER_S)

    async def delete(self, file_id: str) -> bool:
        """Delete a file. Returns whether it was still there."""
        from openai import NotFoundError

        try:
            await self._tried(lambda client: client.files.delete(file_id))
        except ModelError as error:
            if isinstance(error.__cause__, NotFoundError):
                return False
            raise
        return True

    async def _tried(self, call: Callable[[AsyncOpenAI], Awaitable[T]], limit_s: float | None = None) -> T:
        from tenacity import AsyncRetrying

        with self._told():
            return await AsyncRetrying(**options(self._settings.chat_retries))(self._called, call, limit_s)

    async def _once(self, call: Callable[[AsyncOpenAI], Awaitable[T]]) -> T:
        with self._told():
            return await self._called(call, None)

    async def _called(self, call: Callable[[AsyncOpenAI], Awaitable[T]], limit_s: float | None) -> T:
        limit = self._settings.chat_timeout_s if limit_s is None else limit_s
        async with self._live.connected() as client, asyncio.timeout(limit):
            try:
                return await call(client)
            except ValueError as error:  # a body that is not JSON
                raise MalformedAnswer(f"no JSON: {error}") from error

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Failed calls become a ModelError, with the error as it came for its cause."""
        from openai import APIError

        try:
            yield
        except (APIError, TimeoutError, MalformedAnswer) as error:
            failure = self._live.endpoint.failure(error, model=self._live.model, role="CHAT")
            raise ModelError(str(failure)) from error

    def _absent(self, what: str) -> SettingsError:
        url = self._live.endpoint.url
        return SettingsError(
            f"{url} has no Batch API ({what}): unset MEMORY_PIPELINE_CHAT_BATCH, or leave out --batch",
            setting="MEMORY_PIPELINE_CHAT_BATCH",
        )
