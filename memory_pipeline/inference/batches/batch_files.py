"""The files of OpenAI's Batch API: requests as lines of JSON, and what came of each of them."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from memory_pipeline.domain.ids import identifier
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.hosted.structured_output import Dialect, with_options
from memory_pipeline.inference.prompts import PromptMessage

COMPLETIONS: Final = "/v1/chat/completions"
"""The only endpoint that these files are made for."""

MOST_LINES = 50_000
MOST_BYTES = 200 * 1000 * 1000
"""What the API takes in one file."""

_UNFINISHED = frozenset({"batch_expired", "batch_cancelled"})
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one request.

    Attributes:
        status: of its HTTP response; None when it was never carried out.
        body: of that response.
        said: all that was said of a failure, in lower case.
        unfinished: the batch ended before its turn came.
    """

    status: int | None
    body: Mapping[str, Any]
    said: str = ""
    unfinished: bool = False

    @property
    def answered(self) -> bool:
        return self.status == 200


NEVER_CAME = Outcome(None, {}, unfinished=True)
"""A batch ended without a line for a request."""


def custom_id(
    model: str,
    request: ChatRequest[Any],
    prompt: Sequence[PromptMessage],
    given: Mapping[str, Any] = MappingProxyType({}),
) -> str:
    """The name of a request in a batch: a digest of its body, and of whose it is.

    Args:
        given: what the settings pass to the server besides.

    The body is the one for a server that understands everything: the name must not change when it turns out that this
    one does not, or the batch would not be found again.
    """
    body = with_options(Dialect().request(request.task, prompt, request.reply, request.max_tokens), given)
    text = json.dumps(body, sort_keys=True, ensure_ascii=False)
    return identifier("req", model, text, request.scope.tenant_id, request.scope.user_id)


def line(name: str, model: str, arguments: Mapping[str, Any]) -> bytes:
    """A request as a line of an input file; ``arguments`` are those of a live call."""
    whole = {"custom_id": name, "method": "POST", "url": COMPLETIONS, "body": {"model": model, **arguments}}
    return json.dumps(whole, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def split(
    lines: Iterable[tuple[str, bytes]], *, most_lines: int = MOST_LINES, most_bytes: int = MOST_BYTES
) -> Iterator[dict[str, bytes]]:
    """Lines by custom id, in order, in as few files as the limits allow; one that alone exceeds them has its own."""
    part: dict[str, bytes] = {}
    size = 0
    for name, data in lines:
        if part and (len(part) == most_lines or size + len(data) > most_bytes):
            yield part
            part, size = {}, 0
        part[name] = data
        size += len(data)
    if part:
        yield part


def outcomes(content: bytes) -> dict[str, Outcome]:
    """What a result file says, by custom id. A line that cannot be read is left out: its request is asked again."""
    found = {}
    for raw in content.splitlines():
        if not raw.strip():
            continue
        try:
            value = json.loads(raw)
            found[str(value["custom_id"])] = _outcome(value)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            _log.warning("a line of a batch's result file cannot be read (%s): %.200r", error, raw)
    return found


def _outcome(value: Mapping[str, Any]) -> Outcome:
    response, error = value.get("response") or {}, value.get("error") or {}
    body = response.get("body")
    status = None if error else response.get("status_code")
    said = "" if status == 200 else json.dumps(error or body).lower()
    return Outcome(status, body if isinstance(body, dict) else {}, said, error.get("code") in _UNFINISHED)
