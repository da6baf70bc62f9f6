"""An application's memory on a server, over HTTP. Nothing but the standard library and httpx."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from memory_pipeline import errors
from memory_pipeline.domain.plain import parsed
from memory_pipeline.domain.reading.recall import Answer, ContextBlock, Payload, RecalledItem, StandingProfile
from memory_pipeline.errors import MemoryPipelineError, ServerError, SettingsError
from memory_pipeline.sdk.results import MemoryHistory, MemoryRecord, Receipt, Say
from memory_pipeline.sdk.turns import iso
from memory_pipeline.sdk.twins import PerLoop

if TYPE_CHECKING:
    from httpx import AsyncBaseTransport, AsyncClient, Client, Response

_URL, _KEY = "MEMORY_PIPELINE_URL", "MEMORY_PIPELINE_KEY"
_LOCAL = "http://127.0.0.1:8300"
_CONNECTS = 2  # further tries where a connection cannot be made
_PAGE = 500
_TYPE = "urn:memory-pipeline:"


@dataclass(frozen=True, slots=True)
class Route:
    """How a call is put over HTTP.

    Attributes:
        path: with the names of arguments that stand in it.
        made: the result of an answer's JSON.
        paged: the answer is a page of a list; ``made`` makes one item.
    """

    method: str
    path: str
    made: Callable[[Any], Any]
    paged: bool = False


def _each(cls: type[Any]) -> Callable[[Any], Any]:
    return lambda rows: [parsed(cls, row) for row in rows]


def _one(cls: type[Any]) -> Callable[[Any], Any]:
    return lambda row: parsed(cls, row)


_ROUTES: Mapping[str, Route] = {
    "add": Route("POST", "/v1/messages", _one(Receipt)),
    "end_session": Route("POST", "/v1/sessions/{session_id}/end", lambda row: bool(row["ended"])),
    "search": Route("POST", "/v1/search", _each(RecalledItem)),
    "context": Route("POST", "/v1/context", _one(ContextBlock)),
    "payload": Route("POST", "/v1/payload", _one(Payload)),
    "ask": Route("POST", "/v1/ask", _one(Answer)),
    "say": Route("POST", "/v1/say", _one(Say)),
    "memories": Route("GET", "/v1/memories", _one(MemoryRecord), paged=True),
    "history": Route("GET", "/v1/memories/{memory_id}/history", _one(MemoryHistory)),
    "profile": Route("GET", "/v1/profile", _one(StandingProfile)),
    "timeline": Route("GET", "/v1/timeline", dict, paged=True),
    "users": Route("GET", "/v1/users", dict, paged=True),
    "remember": Route("POST", "/v1/memories", _one(MemoryRecord)),
    "update": Route("PATCH", "/v1/memories/{memory_id}", _one(MemoryRecord)),
    "forget": Route("DELETE", "/v1/memories/{memory_id}", _one(MemoryRecord)),
    "undo": Route("POST", "/v1/undo", _one(MemoryRecord)),
    "feedback": Route("POST", "/v1/feedback", lambda row: None),
}
_BODIES = ("POST", "PATCH")


class Remote:
    """Carries out calls by requests to a server. Connections are opened when they are first needed, and kept.

    Args:
        headers: of every request.
        transport: of asynchronous calls, in place of the network.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str], timeout_s: float, transport: AsyncBaseTransport | None = None
    ) -> None:
        self._url = url
        self._headers = dict(headers)
        self._timeout_s = timeout_s
        self._transport = transport
        self._clients: PerLoop[AsyncClient] = PerLoop(self._async_client)

    @cached_property
    def _client(self) -> Client:
        from httpx import Client, HTTPTransport

        ways = HTTPTransport(retries=_CONNECTS)
        return Client(base_url=self._url, headers=self._headers, timeout=self._timeout_s, transport=ways)

    def _async_client(self) -> AsyncClient:
        from httpx import AsyncClient, AsyncHTTPTransport

        ways = self._transport or AsyncHTTPTransport(retries=_CONNECTS)
        return AsyncClient(
            base_url=self._url,
            headers=self._headers,
            timeout=self._timeout_s,
            transport=ways,
            trust_env=self._transport is None,
        )

    def do(self, call: str, given: Mapping[str, Any]) -> Any:
        """Carry out a call."""
        route, request = _ROUTES[call], _request(_ROUTES[call], given)
        if not route.paged:
            return _made(route, self._sent(request))
        found: list[Any] = []
        for _ in _pages(request, found):
            page = self._sent(request)
            found.append(page)
        return _made(route, found)

    async def ado(self, call: str, given: Mapping[str, Any]) -> Any:
        """Carry out a call without blocking."""
        route, request = _ROUTES[call], _request(_ROUTES[call], given)
        if not route.paged:
            return _made(route, await self._asent(request))
        found: list[Any] = []
        for _ in _pages(request, found):
            page = await self._asent(request)
            found.append(page)
        return _made(route, found)

    def _sent(self, request: Mapping[str, Any]) -> Any:
        with _reached(self._url):
            return _json(self._client.request(**request))

    async def _asent(self, request: Mapping[str, Any]) -> Any:
        with _reached(self._url):
            return _json(await self._clients.get().request(**request))

    def close(self) -> None:
        """Let go of the connections; a later call opens them again."""
        client = self.__dict__.pop("_client", None)
        if client is not None:
            client.close()

    async def aclose(self) -> None:
        """See :meth:`close`."""
        self.close()
        client = self._clients.pop()
        if client is not None:
            await client.aclose()


def remote(url: str | None, key: str | None, timeout_s: float) -> Remote:
    """The way to a server; what is not given comes from the environment.

    Raises:
        SettingsError: the package httpx is missing, or the key is none.
    """
    key = key or os.environ.get(_KEY)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    if key and not (key.isascii() and key.isprintable()):
        raise SettingsError("this is no key of a server: keys read mp_…, with letters, digits, - and _", setting=_KEY)
    if find_spec("httpx") is None:
        raise SettingsError("a server is asked with the package httpx, which is missing: pip install httpx")
    return Remote(url or os.environ.get(_URL) or _LOCAL, headers, timeout_s)


def _request(route: Route, given: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: quote(str(value), safe="") for name, value in given.items() if f"{{{name}}}" in route.path}
    rest = {name: _sendable(value) for name, value in given.items() if name not in named}
    where = {"method": route.method, "url": route.path.format(**named)}
    if route.method in _BODIES:
        return {**where, "json": rest}
    return {**where, "params": {**rest, **({"limit": _PAGE} if route.paged else {})}}


def _sendable(value: Any) -> Any:
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    return iso(value)


def _pages(request: Mapping[str, Any], found: list[Any]) -> Iterator[None]:
    """A turn for each page of a list, with the cursor of the page before in the request."""
    yield
    while (cursor := found[-1]["next_cursor"]) is not None:
        request["params"]["cursor"] = cursor
        yield


def _made(route: Route, answer: Any) -> Any:
    try:
        if route.paged:
            return [route.made(item) for page in answer for item in page["items"]]
        return route.made(answer)
    except (ValueError, TypeError, KeyError) as error:
        raise ServerError(f"{route.path} answered with something else than was expected: {error}") from error


@contextmanager
def _reached(url: str) -> Iterator[None]:
    import httpx

    try:
        yield
    except httpx.HTTPError as error:
        said = str(error) or type(error).__name__
        raise ServerError(f"the server at {url} cannot be reached: {said}") from error
    except httpx.InvalidURL as error:
        raise SettingsError(f"{url} is no address of a server: {error}", setting=_URL) from error


def _json(response: Response) -> Any:
    """What a server has answered.

    Raises:
        MemoryPipelineError: it was a problem; the error that the server met, as far as it says.
    """
    try:
        told = response.json()
    except ValueError:
        told = None
    if response.is_success and told is not None:
        return told
    raise _problem(response, told if isinstance(told, dict) else {})


def _problem(response: Response, told: Mapping[str, Any]) -> MemoryPipelineError:
    detail = str(told.get("detail") or f"the server answered {response.status_code} {response.reason_phrase}")
    name = str(told.get("type", "")).removeprefix(_TYPE).title().replace("-", "")
    cls = getattr(errors, name, None)
    if response.status_code == 422 and cls is None:
        cls = errors.QueryError
    if not (isinstance(cls, type) and issubclass(cls, MemoryPipelineError)) or cls is MemoryPipelineError:
        wait = response.headers.get("retry-after", "")
        return ServerError(detail, status=response.status_code, retry_after_s=float(wait) if wait.isdecimal() else None)
    facts = {name: value for name, value in told.items() if name != "status"}  # that is the answer's, of HTTP
    try:
        return cls.of_dict(detail, facts)
    except (ValueError, TypeError):  # another release means something else by an attribute
        return cls(detail)
