"""Arguments that stand in the path or the query of a request."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import AfterValidator

from memory_pipeline.serving.answers import Problem
from memory_pipeline.serving.requests import Name, Text

_ID = 512
User = Annotated[Name | None, Query(description="May be left out with a key that is bound to a user.")]
Tenant = Annotated[Name | None, Query(description="The key's own, when left out.")]
Limit = Annotated[int | None, Query(ge=1, description="Items of a page.")]
Cursor = Annotated[Text | None, Query(max_length=4096, description="`next_cursor` of the page before.")]
Text_ = Annotated[Text | None, Query()]
MemoryId = Annotated[str, Path(max_length=_ID), AfterValidator(str)]
PROBLEMS: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem, "content": {"application/problem+json": {}}, "description": what}
    for code, what in {
        401: "No key, or none that holds.",
        403: "The key does not reach so far.",
        404: "There is no such thing for this user.",
        413: "The body is too large.",
        422: "The request cannot be answered as it is.",
        429: "Too many requests with this key.",
        503: "A store or a model cannot be used at the moment.",
    }.items()
}
