"""How the methods of a memory reach it: each is one call by its name, with the arguments that were given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol


class Way(Protocol):
    """A way to a memory: carries out calls by their names, with the arguments that were given."""

    def do(self, call: str, given: Mapping[str, Any]) -> Any: ...

    async def ado(self, call: str, given: Mapping[str, Any]) -> Any: ...

    def close(self) -> None: ...

    async def aclose(self) -> None: ...


class Calls:
    """The part of ``Memory`` that hands calls on."""

    _do: Callable[[str, Mapping[str, Any]], Any]

    def _call(self, call: str, user_id: str, tenant_id: str | None, **given: Any) -> Any:
        about = {"user_id": user_id, "tenant_id": tenant_id}
        return self._do(call, {name: value for name, value in {**about, **given}.items() if value is not None})
