"""Forms: read from the body, and only if a page of this server sent them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends, Request

from memory_pipeline.serving.access import same_origin
from memory_pipeline.serving.problems import Refused
from memory_pipeline.serving.sessions import Sessions, session_of

_TYPE = "application/x-www-form-urlencoded"
_FIELDS = 50
TOKEN = "form_token"


async def fields(request: Request) -> Mapping[str, str]:
    """The fields of a form, the last of each name.

    Raises:
        Refused: the body is no form.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _TYPE:
        raise Refused("this takes a form", 415)
    try:
        pairs = parse_qsl((await request.body()).decode("utf-8"), keep_blank_values=True, max_num_fields=_FIELDS)
    except ValueError as error:
        raise Refused("the form cannot be read", 400) from error
    return {name: value.replace("\x00", "") for name, value in pairs}


async def form(request: Request) -> Mapping[str, str]:
    """The fields of a form of the caller's own session.

    Raises:
        Refused: another site sent it, or the page that it stood on is of a session that has ended.
    """
    given = await fields(request)
    sessions: Sessions = request.app.state.sessions
    if not same_origin(request.scope) or not sessions.sent(session_of(request.scope), given.get(TOKEN, "")):
        raise Refused("this form is not of your session: open the page again", 403)
    return given


Form = Annotated[Mapping[str, str], Depends(form)]
