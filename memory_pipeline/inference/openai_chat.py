"""The hosted chat model: any server that speaks OpenAI's chat completions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from memory_pipeline.errors import ModelError, ReplyError
from memory_pipeline.inference.chat import ChatReply, ChatRequest
from memory_pipeline.inference.completions import Answer, answer_of, checked, fitting, total
from memory_pipeline.inference.endpoint import Endpoint, concerns_content, everything_said, said_by
from memory_pipeline.inference.prompts import PromptMessage, Prompts
from memory_pipeline.inference.retries import MalformedAnswer, options
from memory_pipeline.inference.structured_output import SEED, Dialect, UnfitReply, ignores_schema, repair
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI
    from openai.types.chat import ChatCompletion

R = TypeVar("R")
_log = logging.getLogger(__name__)
_CONNECT_S = 10.0
NEGOTIABLE = frozenset({400, 404, 422})
"""Refusals after which a request may be put in another way."""

_GROWTH = 2  # how much longer a reply may get when it was cut off


@dataclass
class _Session:
    """The connections of one event loop, open while calls are under way in it."""

    client: AsyncOpenAI
    slots: asyncio.Semaphore
    users: int = 0


class OpenAIChat:
    """A chat model behind OpenAI's protocol (OpenAI, Ollama, vLLM, llama.cpp, Gemini's and Anthropic's endpoints).

    May be used from several event loops, one after another or in threads. Connections live while calls are under way,
    so that nothing is left open in a loop that ends.

    Raises:
        SettingsError: neither ``OPENAI_API_KEY`` nor ``OPENAI_BASE_URL`` is set.
    """

    def __init__(self, settings: Settings, prompts: Prompts) -> None:
        self._settings = settings
        self._prompts = prompts
        self._endpoint = Endpoint.from_environment("MEMORY_PIPELINE_CHAT=openai")
        self._dialect = Dialect()
        self._sessions: dict[asyncio.AbstractEventLoop, _Session] = {}

    @property
    def model(self) -> str:
        return self._settings.chat_model

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What every request asks for, also of a server that then leaves some of it out: a cache key must not drift."""
        return MappingProxyType({"temperature": 0, "seed": SEED})

    @property
    def endpoint(self) -> Endpoint:
        return self._endpoint

    @property
    def dialect(self) -> Dialect:
        """What the server has been found to understand so far."""
        return self._dialect

    def prompt(self, request: ChatRequest[Any]) -> list[PromptMessage]:
        """The request's template, rendered.

        Raises:
            SettingsError: the task's template is missing or broken.
        """
        return self._prompts.render(request.task, request.inputs)

    def read(self, completion: Any, prompt: Sequence[PromptMessage], price: float = 1.0) -> Answer:
        """What a completion says; ``price`` is the share of the live price that it costs.

        Raises:
            MalformedAnswer: it is no completion.
        """
        return answer_of(checked(completion), prompt, self._settings, price)

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[AsyncOpenAI]:
        """The connections of this loop, for other calls than completions; they stay open meanwhile."""
        async with self._session() as session:
            yield session.client

    async def complete(self, request: ChatRequest[R]) -> ChatReply[R]:
        """Answer one request; see :class:`ChatModel`.

        A reply that does not fit is sent back once with what is wrong with it; one that was cut off is asked for once
        more, with twice the room. The usage is that of both calls.

        Raises:
            UnfitReply: no fitting reply, or a refusal; it says what that took.
            ReplyError: the server will not take this prompt for its content.
            ModelError: no reply after the retries; the message says what to do.
            SettingsError: the task's template is missing or broken.
        """
        prompt = self.prompt(request)
        return await self.settle(request, prompt, await self._ask(request, prompt, request.max_tokens))

    async def settle(self, request: ChatRequest[R], prompt: Sequence[PromptMessage], first: Answer) -> ChatReply[R]:
        """The reply in a first answer to a request, however that was got; asked for once more when it does not fit.

        Raises:
            UnfitReply, ReplyError, ModelError: see :meth:`complete`.
        """
        try:
            return fitting(request, first, self.model, first.usage)
        except UnfitReply as error:
            if first.refusal:
                raise
            problem = error
        if first.cut_off:
            second = await self._ask_for_more(request, prompt, problem)
        else:
            second = await self._ask_to_repair(request, prompt, first, problem)
        try:
            return fitting(request, second, self.model, total(first.usage, second.usage))
        except UnfitReply as error:
            message = f"{error} (second reply; the first: {problem})"
            raise UnfitReply(message, error.reply, error.usage) from error

    async def aclose(self) -> None:
        """Release connections: those of calls under way in this loop; others hold none."""
        session = self._sessions.pop(asyncio.get_running_loop(), None)
        if session is not None:
            await session.client.close()

    async def _ask_to_repair(
        self, request: ChatRequest[Any], prompt: Sequence[PromptMessage], answer: Answer, problem: UnfitReply
    ) -> Answer:
        if ignores_schema(answer.text) and self._dialect != self._dialect.unenforced():
            _log.info("%s does not keep to the JSON schema: stating it in the prompts", self._endpoint.url)
            self._dialect = self._dialect.unenforced()
        try:
            return await self._ask(request, repair(prompt, answer.text, str(problem)), request.max_tokens)
        except ReplyError as error:  # the longer prompt is refused for its content: what the first reply took counts
            raise problem from error

    async def _ask_for_more(
        self, request: ChatRequest[Any], prompt: Sequence[PromptMessage], problem: UnfitReply
    ) -> Answer:
        from openai import BadRequestError

        try:
            return await self._ask(request, prompt, request.max_tokens * _GROWTH)
        except ModelError as error:
            if isinstance(error.__cause__, BadRequestError):  # the server allows no more: this request is lost, not all
                raise problem from error
            raise

    async def _ask(self, request: ChatRequest[Any], messages: Sequence[PromptMessage], max_tokens: int) -> Answer:
        """One reply in a dialect that the server accepts.

        A call that waits to try again keeps its slot, which slows the others down when the server asks for it.
        """
        from openai import APIError, APIStatusError

        async with self._session() as session, session.slots:
            while True:
                dialect = self._dialect
                arguments = dialect.request(request.task, messages, request.reply, max_tokens)
                try:
                    return self.read(await self._call(session.client, arguments), messages)
                except APIStatusError as error:
                    if not self._adapted(dialect, error):
                        raise self._endpoint.failure(error, model=self.model, role="CHAT") from error
                except (APIError, TimeoutError, MalformedAnswer) as error:
                    raise self._endpoint.failure(error, model=self.model, role="CHAT") from error

    async def _call(self, client: AsyncOpenAI, arguments: Mapping[str, Any]) -> ChatCompletion:
        from tenacity import AsyncRetrying

        async def once() -> ChatCompletion:
            async with asyncio.timeout(self._settings.chat_timeout_s):
                try:
                    completion: Any = await client.chat.completions.create(model=self.model, **arguments)
                except ValueError as error:  # a body that is not JSON
                    raise MalformedAnswer(f"no JSON: {error}") from error
            return checked(completion)

        return await AsyncRetrying(**options(self._settings.chat_retries))(once)

    def _adapted(self, dialect: Dialect, error: APIStatusError) -> bool:
        """Whether the request can be put in another way after this refusal; the way is remembered."""
        if error.status_code not in NEGOTIABLE or concerns_content(error):
            return False
        if self._dialect != dialect:  # another call has found out meanwhile
            return True
        other = dialect.without((error.param or "").lower()) or dialect.without(everything_said(error))
        if other is None:
            return False
        _log.info("%s (%d: %s): asking with %s", self._endpoint.url, error.status_code, said_by(error), other)
        self._dialect = other
        return True

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[_Session]:
        from openai import AsyncOpenAI, Timeout

        loop = asyncio.get_running_loop()
        session = self._sessions.get(loop)
        if session is None:
            limit = self._settings.chat_timeout_s
            client = AsyncOpenAI(
                api_key=self._endpoint.api_key,
                base_url=self._endpoint.base_url,
                timeout=Timeout(limit, connect=min(limit, _CONNECT_S)),
                max_retries=0,
            )
            session = self._sessions[loop] = _Session(client, asyncio.Semaphore(self._settings.chat_concurrency))
        session.users += 1
        try:
            yield session
        finally:
            session.users -= 1
            if not session.users and self._sessions.get(loop) is session:
                del self._sessions[loop]
                await session.client.close()
