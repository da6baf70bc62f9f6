"""Arguments that stand in the address of a page."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from memory_pipeline.serving.requests import Name, Text

_FAR = 10_000_000
User = Annotated[Name | None, Query()]
Tenant = Annotated[Name | None, Query()]
Words = Annotated[Text | None, Query(max_length=2000)]
Offset = Annotated[int, Query(ge=0, le=_FAR)]
