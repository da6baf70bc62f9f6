"""The hosted chat model: any server that speaks OpenAI's chat completions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.errors import ModelError, ReplyError
from memory_pipeline.inference.chat import ChatReply, ChatRequest, Usage
from memory_pipeline.inference.endpoint import Endpoint, concerns_content, everything_said, said_by
from memory_pipeline.inference.prompts import PromptMessage, Prompts
from memory_pipeline.inference.retries import MalformedAnswer, options
from memory_pipeline.inference.structured_output import SEED, Dialect, UnfitReply, ignores_schema, read, repair
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI
    from openai.types.chat import ChatCompletion

R = TypeVar("R")
_log = logging.getLogger(__name__)
_CONNECT_S = 10.0
_NEGOTIABLE = frozenset({400, 404, 422})
_GROWTH = 2  # how much longer a reply may get when it was cut off


@dataclass
class _Session:
    """The connections of one event loop, open while calls are under way in it."""

    client: AsyncOpenAI
    slots: asyncio.Semaphore
    users: int = 0


@dataclass(frozen=True, slots=True)
class _Answer:
    text: str
    cut_off: bool
    refusal: str | None
    usage: Usage


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
        prompt = self._prompts.render(request.task, request.inputs)
        first = await self._ask(request, prompt, request.max_tokens)
        try:
            return self._fitting(request, first, first.usage)
        except UnfitReply as error:
            if first.refusal:
                raise
            problem = error
        if first.cut_off:
            second = await self._ask_for_more(request, prompt, problem)
        else:
            second = await self._ask_to_repair(request, prompt, first, problem)
        try:
            return self._fitting(request, second, _sum(first.usage, second.usage))
        except UnfitReply as error:
            message = f"{error} (second reply; the first: {problem})"
            raise UnfitReply(message, error.reply, error.usage) from error

    async def aclose(self) -> None:
        """Release connections: those of calls under way in this loop; others hold none."""
        session = self._sessions.pop(asyncio.get_running_loop(), None)
        if session is not None:
            await session.client.close()

    def _fitting(self, request: ChatRequest[R], answer: _Answer, spent: Usage) -> ChatReply[R]:
        """The reply in an answer, or an UnfitReply that says why there is none."""
        about = f"{self.model}, task {request.task}"
        if answer.refusal:
            raise UnfitReply(f"{about}: the model refused: {answer.refusal}", answer.text or answer.refusal, spent)
        if answer.cut_off:
            raise UnfitReply(f"{about}: the reply was cut off at its limit of tokens", answer.text, spent)
        try:
            value, raw = read(request.reply, answer.text)
        except ReplyError as error:
            raise UnfitReply(f"{about}: {error}", answer.text, spent) from error
        return ChatReply(value, raw, self.model, spent)

    async def _ask_to_repair(
        self, request: ChatRequest[Any], prompt: Sequence[PromptMessage], answer: _Answer, problem: UnfitReply
    ) -> _Answer:
        if ignores_schema(answer.text) and self._dialect != self._dialect.unenforced():
            _log.info("%s does not keep to the JSON schema: stating it in the prompts", self._endpoint.url)
            self._dialect = self._dialect.unenforced()
        return await self._ask(request, repair(prompt, answer.text, str(problem)), request.max_tokens)

    async def _ask_for_more(
        self, request: ChatRequest[Any], prompt: Sequence[PromptMessage], problem: UnfitReply
    ) -> _Answer:
        from openai import BadRequestError

        try:
            return await self._ask(request, prompt, request.max_tokens * _GROWTH)
        except ModelError as error:
            if isinstance(error.__cause__, BadRequestError):  # the server allows no more: this request is lost, not all
                raise problem from error
            raise

    async def _ask(self, request: ChatRequest[Any], messages: Sequence[PromptMessage], max_tokens: int) -> _Answer:
        """One reply in a dialect that the server accepts.

        A call that waits to try again keeps its slot, which slows the others down when the server asks for it.
        """
        from openai import APIError, APIStatusError

        async with self._session() as session, session.slots:
            while True:
                dialect = self._dialect
                arguments = dialect.request(request.task, messages, request.reply, max_tokens)
                try:
                    return self._answer(await self._call(session.client, arguments), messages)
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
            if not getattr(completion, "choices", None) or completion.choices[0].message is None:
                raise MalformedAnswer(f"no choices in it: {str(completion)[:200]}")
            answered: ChatCompletion = completion
            return answered

        return await AsyncRetrying(**options(self._settings.chat_retries))(once)

    def _adapted(self, dialect: Dialect, error: APIStatusError) -> bool:
        """Whether the request can be put in another way after this refusal; the way is remembered."""
        if error.status_code not in _NEGOTIABLE or concerns_content(error):
            return False
        if self._dialect != dialect:  # another call has found out meanwhile
            return True
        other = dialect.without((error.param or "").lower()) or dialect.without(everything_said(error))
        if other is None:
            return False
        _log.info("%s (%d: %s): asking with %s", self._endpoint.url, error.status_code, said_by(error), other)
        self._dialect = other
        return True

    def _answer(self, completion: ChatCompletion, messages: Sequence[PromptMessage]) -> _Answer:
        choice = completion.choices[0]
        text = choice.message.content or ""
        refusal = choice.message.refusal
        if choice.finish_reason == "content_filter":
            refusal = refusal or "its content filter stepped in"
        return _Answer(text, choice.finish_reason == "length", refusal, self._usage(completion, messages, text))

    def _usage(self, completion: ChatCompletion, messages: Sequence[PromptMessage], text: str) -> Usage:
        """Tokens as the server counts them, estimated where it does not, so that a budget holds everywhere."""
        if completion.usage is None:
            prompt, written, cached = sum(estimate_tokens(m["content"]) for m in messages), estimate_tokens(text), 0
        else:
            details = completion.usage.prompt_tokens_details
            prompt, written = completion.usage.prompt_tokens or 0, completion.usage.completion_tokens or 0
            cached = min((details.cached_tokens if details else None) or 0, prompt)
        s = self._settings
        millions = (prompt - cached) * s.chat_input_usd + cached * s.chat_cached_usd + written * s.chat_output_usd
        return Usage(prompt, cached, written, millions / 1_000_000)

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


def _sum(a: Usage, b: Usage) -> Usage:
    return Usage(
        a.prompt_tokens + b.prompt_tokens,
        a.cached_tokens + b.cached_tokens,
        a.completion_tokens + b.completion_tokens,
        a.usd + b.usd,
    )
