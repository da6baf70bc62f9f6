"""The HTTP client below a hosted model: it goes nowhere else, and reads no more than a reply may be long.

A redirect to another host would carry transcripts and the key there; a reply without an end would fill the memory.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import httpx2 as httpx

MOST_BYTES = 8 * 1024 * 1024
"""Of a chat completion: a hundred times what models write."""

MOST_VECTOR_BYTES = 64 * 1024 * 1024
MOST_FILE_BYTES = 2 * 1024 * 1024 * 1024
"""Of a file of a batch's replies."""

_PACKED = 64  # a packed reply may hold so many times its bytes; it was not asked for
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HEADERS = {"Accept-Encoding": "identity"}


class RefusedAnswer(Exception):
    """The server's answer is not taken: it leads elsewhere, or it is too large. Asking again would not help."""


class TooLate(Exception):
    """No answer in time, also with more of it: a server that hangs is not asked on and on."""


def asynchronous_client(timeout: httpx.Timeout, most_bytes: int = MOST_BYTES) -> httpx.AsyncClient:
    """A client for calls in an event loop.

    Args:
        most_bytes: of one answer; reading more raises :class:`RefusedAnswer`.
    """
    import httpx2 as httpx

    class Bounded(httpx.AsyncByteStream):
        def __init__(self, inner: httpx.AsyncByteStream, most: int) -> None:
            self._inner, self._most = inner, most

        async def __aiter__(self) -> AsyncIterator[bytes]:
            read = 0
            async for part in self._inner:
                read += len(part)
                if read > self._most:
                    raise too_large(self._most)
                yield part

        async def aclose(self) -> None:
            await self._inner.aclose()

    async def watch(response: httpx.Response) -> None:
        check_redirect(response)
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = Bounded(response.stream, _most(response, most_bytes))

    hooks = {"response": [watch]}
    return httpx.AsyncClient(timeout=timeout, follow_redirects=True, event_hooks=hooks, headers=_HEADERS)


def synchronous_client(timeout: httpx.Timeout, most_bytes: int = MOST_VECTOR_BYTES) -> httpx.Client:
    """The same for calls in threads."""
    import httpx2 as httpx

    class Bounded(httpx.SyncByteStream):
        def __init__(self, inner: httpx.SyncByteStream, most: int) -> None:
            self._inner, self._most = inner, most

        def __iter__(self) -> Iterator[bytes]:
            read = 0
            for part in self._inner:
                read += len(part)
                if read > self._most:
                    raise too_large(self._most)
                yield part

        def close(self) -> None:
            self._inner.close()

    def watch(response: httpx.Response) -> None:
        check_redirect(response)
        assert isinstance(response.stream, httpx.SyncByteStream)
        response.stream = Bounded(response.stream, _most(response, most_bytes))

    class Closing(httpx.Client):
        """An encoder lives as long as somebody refers to it, and is closed by nobody, as with openai's own client."""

        def __del__(self) -> None:
            if not self.is_closed:
                self.close()

    return Closing(timeout=timeout, follow_redirects=True, event_hooks={"response": [watch]}, headers=_HEADERS)


def check_redirect(response: httpx.Response) -> None:
    """Let a redirect pass that stays on the host and does not leave encryption.

    Raises:
        RefusedAnswer: it leads elsewhere.
    """
    if response.status_code not in _REDIRECTS or "location" not in response.headers:
        return
    here = response.request.url
    there = here.join(response.headers["location"])
    safer = there.scheme == here.scheme or (here.scheme, there.scheme) == ("http", "https")
    same = there.host == here.host and (_port(there) == _port(here) or here.scheme != there.scheme)
    if not (safer and same):
        place = urlsplit(str(there))
        raise RefusedAnswer(
            f"it redirects to {place.scheme}://{place.netloc.rpartition('@')[2]}, and transcripts go to no "
            "other host than the one that is set: if that one is meant, set OPENAI_BASE_URL to it"
        )


def refusal(error: BaseException | None) -> RefusedAnswer | None:
    """The refusal behind an error of a client, if there is one."""
    while error is not None:
        if isinstance(error, RefusedAnswer):
            return error
        error = error.__cause__ or error.__context__
    return None


def too_large(most: int) -> RefusedAnswer:
    """The error of an answer of more bytes than that."""
    return RefusedAnswer(f"its answer has more than {most:,} bytes, which no reply needs: look at the server")


def _most(response: httpx.Response, most_bytes: int) -> int:
    if response.request.url.path.endswith("/content"):
        return MOST_FILE_BYTES
    packed = response.headers.get("content-encoding", "identity").lower() not in ("", "identity")
    return most_bytes // _PACKED if packed else most_bytes


def _port(url: httpx.URL) -> int | None:
    return url.port or {"http": 80, "https": 443}.get(url.scheme)
