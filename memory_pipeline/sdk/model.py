"""The chat model of an application: any server of OpenAI's chat completions, asked through the ``openai`` package."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memory_pipeline.errors import ModelError, SettingsError
from memory_pipeline.sdk.twins import PerLoop

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

_DEFAULT = "gpt-4o-mini"
_NAME = "MEMORY_PIPELINE_CHAT_MODEL"
Prompt = Iterable[Mapping[str, Any]]


class Model:
    """A chat model. Safe for threads.

    Args:
        name: of the model; ``MEMORY_PIPELINE_CHAT_MODEL``, else gpt-4o-mini, when None.
        base_url, api_key: of its server; ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY`` when None.

    Raises:
        SettingsError: from any method: the package ``openai`` or a key is missing.
        ModelError: from any method: the model gave no reply.
    """

    def __init__(self, name: str | None = None, *, base_url: str | None = None, api_key: str | None = None) -> None:
        self.name = name or os.environ.get(_NAME) or _DEFAULT
        self._base_url = base_url
        self._api_key = api_key
        self._clients: PerLoop[AsyncOpenAI] = PerLoop(self._async_client)

    @cached_property
    def _client(self) -> OpenAI:
        with _told(self.name):
            from openai import OpenAI

            return OpenAI(base_url=self._base_url, api_key=self._api_key)

    def _async_client(self) -> AsyncOpenAI:
        with _told(self.name):
            from openai import AsyncOpenAI

            return AsyncOpenAI(base_url=self._base_url, api_key=self._api_key)

    def reply(self, prompt: Prompt, options: Mapping[str, Any]) -> tuple[str, str]:
        """The reply to a prompt, and the name of the model that gave it.

        Args:
            options: further parameters of the request, such as ``temperature``.
        """
        with _told(self.name):
            return _said(self._client.chat.completions.create(**self._request(prompt, options)))

    async def areply(self, prompt: Prompt, options: Mapping[str, Any]) -> tuple[str, str]:
        """See :meth:`reply`."""
        with _told(self.name):
            return _said(await self._clients.get().chat.completions.create(**self._request(prompt, options)))

    def stream(self, prompt: Prompt, options: Mapping[str, Any]) -> Iterator[str]:
        """The reply in parts, as they come."""
        with _told(self.name):
            for chunk in self._client.chat.completions.create(**self._request(prompt, options), stream=True):
                if part := _part(chunk):
                    yield part

    async def astream(self, prompt: Prompt, options: Mapping[str, Any]) -> AsyncIterator[str]:
        """See :meth:`stream`."""
        with _told(self.name):
            chunks = await self._clients.get().chat.completions.create(**self._request(prompt, options), stream=True)
            async for chunk in chunks:
                if part := _part(chunk):
                    yield part

    def _request(self, prompt: Prompt, options: Mapping[str, Any]) -> dict[str, Any]:
        return {"model": self.name, "messages": [dict(message) for message in prompt], **options}

    def close(self) -> None:
        """Let go of connections; a later call opens them again."""
        client = self.__dict__.pop("_client", None)
        if client is not None:
            client.close()

    async def aclose(self) -> None:
        """See :meth:`close`."""
        self.close()
        client = self._clients.pop()
        if client is not None:
            await client.close()


def _said(completion: Any) -> tuple[str, str]:
    text = completion.choices[0].message.content if completion.choices else None
    if not text:
        raise ModelError(f"model {completion.model} gave an empty reply", model=completion.model)
    return text, completion.model


def _part(chunk: Any) -> str:
    return (chunk.choices[0].delta.content or "") if chunk.choices else ""


@contextmanager
def _told(name: str) -> Iterator[None]:
    """What the package says, as errors of this one."""
    try:
        from openai import APIError, OpenAIError
    except ModuleNotFoundError as error:
        raise SettingsError("a chat model needs the package openai: pip install openai") from error
    try:
        yield
    except APIError as error:
        raise ModelError(f"model {name} gave no reply: {error}", model=name) from error
    except OpenAIError as error:
        raise SettingsError(str(error)) from error
