"""Errors as ``application/problem+json`` (RFC 9457): every error of the package by its class, and what the framework
refuses."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from memory_pipeline import errors
from memory_pipeline.errors import MemoryPipelineError

MEDIA_TYPE = "application/problem+json"
_STATUS: dict[type[MemoryPipelineError], int] = {
    errors.NotFound: 404,
    errors.QueryError: 422,
    errors.CurationError: 422,
    errors.IngestError: 422,
    errors.AuditFailed: 409,
    errors.BundleError: 422,
    errors.BudgetExceeded: 503,
    errors.ModelError: 502,
    errors.StorageError: 503,
    errors.SettingsError: 503,
    MemoryPipelineError: 503,
}
# Where things lie on the server, and what a model has said of others, is nobody's business; the sentence is the detail.
_WITHHELD = frozenset({"message", "path", "files", "reason", "reply", "status", "url", "address", "node"})
_SHOWN = 20  # places of a body that are wrong
_log = logging.getLogger(__name__)


class Refused(MemoryPipelineError):
    """A request that is not answered, with the status that says why.

    Args:
        message: what is wrong, and what to do about it.
        status: of HTTP.
        headers: of the answer.
    """

    def __init__(self, message: str, status: int, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}


def problem(status: int, detail: str, *, headers: dict[str, str] | None = None, **more: Any) -> JSONResponse:
    """An answer that says what is wrong.

    Args:
        detail: a sentence for a person.
        more: what programs may want to know.
    """
    title = HTTPStatus(status).phrase
    name = more.pop("error", title)
    body = {"type": f"urn:memory-pipeline:{_dashed(name)}", "title": title, "status": status, "detail": detail, **more}
    return JSONResponse(body, status, headers=headers, media_type=MEDIA_TYPE)


def of_error(error: MemoryPipelineError) -> JSONResponse:
    """The answer to a request that ended in one of the package's errors."""
    told = error.to_dict()
    if isinstance(error, Refused):
        return problem(error.status, str(error), headers=error.headers)
    shown = {name: value for name, value in told.items() if name not in _WITHHELD}
    return problem(status_of(error), detail_of(error), **shown)


def status_of(error: MemoryPipelineError) -> int:
    """The status of HTTP that one of the package's errors has."""
    if isinstance(error, Refused):
        return error.status
    return next(_STATUS[cls] for cls in type(error).__mro__ if cls in _STATUS)


def detail_of(error: MemoryPipelineError) -> str:
    """What an error says to a caller: nothing of where things lie on the server, which is in its log."""
    message: str = error.to_dict()["message"]
    if not isinstance(error, errors.StorageError):
        return message
    _log.error("%s", message)
    return "a store of the server cannot be read or written at the moment; its log says more"


def install(app: FastAPI) -> None:
    """Have an application answer every error this way."""

    @app.exception_handler(MemoryPipelineError)
    async def _own(_: Request, error: MemoryPipelineError) -> JSONResponse:
        return of_error(error)

    @app.exception_handler(RequestValidationError)
    async def _malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        found = [
            {"at": [_writable(str(part)) for part in e["loc"]], "what": _writable(str(e["msg"]))}
            for e in error.errors()[:_SHOWN]
        ]
        places = "; ".join(f"{'.'.join(f['at'])}: {f['what']}" for f in found)
        return problem(422, f"the request is not of the shape that is asked for: {places}", errors=found)

    @app.exception_handler(HTTPException)
    async def _refused(_: Request, error: HTTPException) -> JSONResponse:
        headers = dict(error.headers) if error.headers else None
        return problem(error.status_code, str(error.detail), headers=headers)

    @app.exception_handler(Exception)
    async def _unforeseen(request: Request, error: Exception) -> JSONResponse:
        return problem(500, "the server has met an error that nobody foresaw; its log says more")


def _writable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _dashed(name: str) -> str:
    return "".join(f"-{c.lower()}" if c.isupper() and n else c.lower() for n, c in enumerate(name.replace(" ", "")))
