"""Sessions of browsers that have signed in with a key.

The cookie holds a random token, and the server which key it stands for: the key itself is never kept in a browser, a
session ends the moment that its key is revoked or somebody signs out, and nobody can make one. Sessions live as long as
the server does.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.requests import HTTPConnection
from starlette.types import Scope

COOKIE = "memory_panel"
_TOKEN_BYTES = 32
_MOST = 10_000


def session_of(scope: Scope) -> str | None:
    """The token that a request shows, whatever it is worth."""
    return HTTPConnection(scope).cookies.get(COOKIE)


class Sessions:
    """Who has signed in, by token. Safe for threads.

    Args:
        lifetime_s: seconds until a session ends by itself.
        clock: seconds that never go back.
    """

    def __init__(self, lifetime_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._lifetime_s = lifetime_s
        self._clock = clock
        self._guard = threading.Lock()
        self._secret = secrets.token_bytes(_TOKEN_BYTES)
        self._open: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def begin(self, key_id: str) -> str:
        """The token of a new session."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        with self._guard:
            self._open[_digest(token)] = (key_id, self._clock() + self._lifetime_s)
            while len(self._open) > _MOST:
                self._open.popitem(last=False)
        return token

    def key_of(self, token: str | None) -> str | None:
        """The id of the key that a session was begun with; None where there is no such session, or it is over."""
        with self._guard:
            key_id, ends = self._open.get(_digest(token or ""), (None, 0.0))
        return key_id if self._clock() < ends else None

    def end(self, token: str | None) -> None:
        """End a session, if there is one."""
        with self._guard:
            self._open.pop(_digest(token or ""), None)

    def form_token(self, token: str | None) -> str:
        """What forms of a session carry, so that no other site can send them; None = of whoever needs no session."""
        return hmac.new(self._secret, (token or "").encode("utf-8", "replace"), hashlib.sha256).hexdigest()

    def sent(self, token: str | None, form_token: str) -> bool:
        """Whether a form came from a page of the session."""
        return hmac.compare_digest(self.form_token(token).encode(), form_token.encode("utf-8", "replace"))


def _digest(token: str) -> str:
    """Tokens are looked up by their digest: how long that takes tells nothing of them."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
