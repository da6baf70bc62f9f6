"""The hosted chat model: any server that speaks OpenAI's chat completions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from memory_pipeline.errors import ModelError, ReplyError
from memory_pipeline.inference.chat import ChatReply, ChatRequest, Usage
from memory_pipeline.inference.hosted.completions import Answer, answer_of, checked, fitting, salvaged, total
from memory_pipeline.inference.hosted.connection import RefusedAnswer, TooLate, asynchronous_client, refusal
from memory_pipeline.inference.hosted.endpoint import Endpoint, concerns_content, everything_said, said_by
from memory_pipeline.inference.hosted.limits import Limits, LimitsFile
from memory_pipeline.inference.hosted.reply_usage import estimate_of
from memory_pipeline.inference.hosted.retries import MalformedAnswer, options
from memory_pipeline.inference.hosted.structured_output import (
    SEED,
    Dialect,
    PromptTooLong,
    UnfitReply,
    ignores_schema,
    repair,
    with_options,
)
from memory_pipeline.inference.prompts import PromptMessage, Prompts
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI
    from openai.types.chat import ChatCompletion

R = TypeVar("R")
_log = logging.getLogger(__name__)
_CONNECT_S = 10.0
NEGOTIABLE = frozenset({400, 404, 422})
"""Refusals after which a request may be put in another way."""

_MAY_TELL = frozenset({400, 413, 422, 500})
"""Refusals that may tell a limit of the model: some servers answer 500 to a prompt that is too long."""

_GROWTH = 2  # how much longer a reply may get when it was cut off and cannot be asked for in parts
_TIMED_TOKENS = 1_000  # the time limit of the settings is for so many tokens of reply
_LEAST_ROOM = 256  # tokens; a context that leaves less for a reply is too small


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
        self._file = LimitsFile(settings, self._endpoint.url)
        self._limits = self._file.read()
        self._said = ""  # by the server, of its limits, to this process
        self._sessions: dict[asyncio.AbstractEventLoop, _Session] = {}

    @property
    def model(self) -> str:
        return self._settings.chat_model

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What every request asks for, also of a server that then leaves some of it out: a cache key must not drift."""
        given = self._settings.chat_options
        return MappingProxyType({"temperature": 0, "seed": SEED, **({"options": given} if given else {})})

    @property
    def endpoint(self) -> Endpoint:
        return self._endpoint

    @property
    def dialect(self) -> Dialect:
        """What the server has been found to understand so far."""
        return self._dialect

    @property
    def limits(self) -> Limits:
        """What the server has been found to take and give at once."""
        return self._limits

    def with_options(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The body of a request with what ``MEMORY_PIPELINE_CHAT_OPTIONS`` passes to the server."""
        return with_options(arguments, self._settings.chat_options)

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

        A reply that does not fit is sent back once with what is wrong with it, unless most of its items do: then these
        are the reply, and the others are put aside. One that was cut off is asked for once more with twice the room;
        of a divisible request the items that were finished are the reply. The usage is that of all calls.

        Raises:
            UnfitReply: no fitting reply, or a refusal; it says what that took.
            PromptTooLong: the model's context is too small for the prompt; the message says what to change.
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
        part = salvaged(request, first, self.model, first.usage, strict=True)
        if part is not None:
            return part
        if first.cut_off and request.divisible and not _starved(first):
            raise problem
        if first.cut_off:
            second = await self._ask_for_more(request, prompt, first, problem)
        else:
            second = await self._ask_to_repair(request, prompt, first, problem)
        spent = total(first.usage, second.usage)
        try:
            return fitting(request, second, self.model, spent)
        except UnfitReply as error:
            part = salvaged(request, second, self.model, spent, strict=False)
            if part is not None:
                return part
            message = f"{error} (second reply; the first: {problem})"
            raise UnfitReply(message, error.reply, error.usage, cut_off=error.cut_off) from error

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
        self, request: ChatRequest[Any], prompt: Sequence[PromptMessage], first: Answer, problem: UnfitReply
    ) -> Answer:
        from openai import BadRequestError

        wanted = request.max_tokens if _starved(first) else request.max_tokens * _GROWTH
        estimate = estimate_of(prompt)
        if self.limits.room(estimate, wanted) <= first.usage.completion_tokens:
            raise problem  # it may write no more than it did
        try:
            return await self._ask(request, prompt, wanted)
        except ModelError as error:
            refused = isinstance(error.__cause__, BadRequestError) or isinstance(error, ReplyError)
            if refused:  # the server allows no more: this request is lost, not all
                raise problem from error
            raise

    async def _ask(self, request: ChatRequest[Any], messages: Sequence[PromptMessage], max_tokens: int) -> Answer:
        """One reply in a dialect that the server accepts, no longer than the model is known to write.

        A call that waits to try again keeps its slot, which slows the others down when the server asks for it.
        """
        from openai import APIError, APIStatusError

        estimate = estimate_of(messages)
        async with self._session() as session, session.slots:
            while True:
                dialect, limits = self._dialect, self.limits
                room = self._room(request, estimate, max_tokens)
                arguments = dialect.request(request.task, messages, request.reply, room)
                try:
                    answer = self.read(await self._call(session.client, arguments, room), messages)
                except APIStatusError as error:
                    if self._learnt(limits, error, estimate, room):
                        continue
                    if not self._adapted(dialect, error):
                        raise self._endpoint.failure(error, model=self.model, role="CHAT") from error
                except (APIError, TimeoutError, MalformedAnswer, RefusedAnswer, TooLate) as error:
                    raise self._endpoint.failure(error, model=self.model, role="CHAT") from error
                else:
                    return self._whole(answer, estimate)

    def _room(self, request: ChatRequest[Any], estimate: int, max_tokens: int) -> int:
        """Tokens of reply to ask for.

        Raises:
            PromptTooLong: the server has said in this process that it takes less, so that it need not refuse again.
        """
        room = self.limits.room(estimate, max_tokens)
        least = min(max_tokens, max(_LEAST_ROOM, estimate // 4) if request.divisible else _LEAST_ROOM)
        if room >= least:
            return room
        if self._said and self.limits.context is not None:
            asked = f"about {self.limits.prompt(estimate):,} tokens leave no room for a reply"
            raise PromptTooLong(f"{self._small_context(self.limits.context)}: {asked}", "", Usage(calls=0))
        return max(min(max_tokens, least), 1)

    def _whole(self, answer: Answer, estimate: int) -> Answer:
        """The answer, if the model was shown all of the prompt; thoughts are remembered for the room they need.

        Raises:
            PromptTooLong: the server cut the prompt: whatever the reply says, it is not about what was asked.
        """
        self._remember(self.limits.thought(answer.thoughts))
        if answer.shown is None:
            return answer
        self._remember(replace(self.limits, context=answer.shown))
        self._said = self._said or f"a prompt of about {estimate:,} tokens was read as {answer.shown:,}"
        raise PromptTooLong(self._small_context(answer.shown), answer.text, answer.usage)

    def _small_context(self, context: int) -> str:
        return (
            f"{self._endpoint.url} runs {self.model} with a context of {context:,} tokens ({self._said}): raise it "
            "where the server is started (Ollama: OLLAMA_CONTEXT_LENGTH=16384, vLLM: --max-model-len 16384, llama.cpp: "
            "--ctx-size 16384), or lower pack_tokens in [window] of the policy table"
        )

    def _learnt(self, before: Limits, error: APIStatusError, estimate: int, room: int) -> bool:
        """Whether a refusal has told more of the model's limits, so that the request may be put within them."""
        if error.status_code not in _MAY_TELL:
            return False
        if self.limits != before:  # another call has found out meanwhile
            return True
        learnt = before.told(everything_said(error), estimate, room)
        if learnt == before:
            return False
        _log.info("%s (%d: %s): working within %s", self._endpoint.url, error.status_code, said_by(error), learnt)
        self._said = said_by(error)
        self._remember(learnt)
        return True

    def _remember(self, limits: Limits) -> None:
        if limits != self._limits:
            self._limits = limits
            self._file.write(limits)

    async def _call(self, client: AsyncOpenAI, arguments: Mapping[str, Any], room: int) -> ChatCompletion:
        """One completion, with pauses and further tries; a reply of so many tokens has the time that it takes."""
        from openai import APIConnectionError, APITimeoutError
        from tenacity import AsyncRetrying

        late = 0

        async def once() -> ChatCompletion:
            nonlocal late
            limit = self._settings.chat_timeout_s * max(room / _TIMED_TOKENS, 1.0) * (1 + late)
            try:
                async with asyncio.timeout(limit):
                    completion: Any = await self._create(client, arguments, limit)
            except (TimeoutError, APITimeoutError) as error:
                late += 1
                if late > 1:
                    raise TooLate from error
                raise
            except APIConnectionError as error:
                refused = refusal(error)
                if refused is not None:
                    raise refused from error
                raise
            except (ValueError, RecursionError) as error:  # a body that is not JSON, or nests without end
                raise MalformedAnswer(f"no JSON: {error}") from error
            return checked(completion)

        return await AsyncRetrying(**options(self._settings.chat_retries))(once)

    async def _create(self, client: AsyncOpenAI, arguments: Mapping[str, Any], limit: float) -> Any:
        body = self.with_options(arguments)
        messages = body.pop("messages")
        model = body.pop("model", self.model)
        return await client.chat.completions.create(model=model, messages=messages, extra_body=body, timeout=limit)

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
            timeout = Timeout(limit, connect=min(limit, _CONNECT_S))
            client = AsyncOpenAI(
                api_key=self._endpoint.api_key,
                base_url=self._endpoint.base_url,
                timeout=timeout,
                max_retries=0,
                http_client=asynchronous_client(timeout),
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


def _starved(answer: Answer) -> bool:
    """Whether thoughts took the room of the reply."""
    return answer.cut_off and answer.thoughts * 2 > answer.usage.completion_tokens
