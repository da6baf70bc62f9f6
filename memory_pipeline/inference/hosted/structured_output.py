"""Getting a reply of a given JSON schema out of servers that support more or less of the protocol.

A server is first asked for everything (strict JSON schema, temperature 0, a seed). Each thing that it rejects is left
out from then on: the schema goes into the prompt instead, and the reply is looked for in the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.chat import Usage
from memory_pipeline.inference.hosted.thoughts import after
from memory_pipeline.inference.prompts import PromptMessage
from memory_pipeline.inference.replies import parse, schema

R = TypeVar("R")
SEED = 7
_DECORATION = frozenset({"title", "description", "default"})
_FORMAT = re.compile(
    r"response_format|response format|json_schema|json schema|json_object|structured|schema|grammar|guided"
    r"|requested parameters"
)
_SYSTEM = re.compile(
    r"system (?:role|message|prompt)s?\b.{0,40}(?:not|n't|un)|(?:not|n't|unsupported).{0,30}\bsystem\b"
    r"|roles must alternate|only (?:support|allow)s? .{0,20}user",
    re.DOTALL,
)
_DECODER = json.JSONDecoder()
_SHOWN = 16_000  # characters of an unfit reply that are sent back with it
_MOST_OBJECTS = 20  # a reply with more braces than this that start nothing is not worth searching on


class UnfitReply(ReplyError):
    """A reply that does not fit, or a refusal, with what it took all the same.

    Args:
        message, reply: see :class:`ReplyError`.
        usage: of all calls made for the request.
        cut_off: it ended at its limit of tokens.
    """

    def __init__(self, message: str, reply: str, usage: Usage, *, cut_off: bool = False) -> None:
        super().__init__(message, reply=reply)
        self.usage = usage
        self.cut_off = cut_off


class PromptTooLong(UnfitReply):
    """A prompt that the model was not shown in whole, or would not be: a smaller one may be answered."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server has been found to understand.

    Attributes:
        mode: how the shape of the reply is asked for.
        temperature, seed: whether these parameters may be sent.
        limit: the name under which it takes the bound on the reply.
        system: whether it takes messages of the role ``system``; else they stand before the user's.
    """

    mode: Literal["json_schema", "json_object", "text"] = "json_schema"
    temperature: bool = True
    seed: bool = True
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    system: bool = True

    def request(
        self, task: str, messages: Sequence[PromptMessage], reply: type[Any], max_tokens: int
    ) -> dict[str, Any]:
        """Keyword arguments of a chat completion in this dialect."""
        if not self.system:
            messages = _folded(messages)
        request: dict[str, Any] = {"messages": list(messages), self.limit: max_tokens}
        if self.temperature:
            request["temperature"] = 0
        if self.seed:
            request["seed"] = SEED
        if self.mode == "json_schema":
            named = {"name": task, "strict": True, "schema": strict_schema(reply)}
            request["response_format"] = {"type": "json_schema", "json_schema": named}
            return request
        request["messages"] = _with_schema(task, messages, lean_schema(reply))
        if self.mode == "json_object":
            request["response_format"] = {"type": "json_object"}
        return request

    def without(self, refusal: str) -> Dialect | None:
        """The dialect that leaves out what a refusal names; None when it names nothing that could be left out.

        Args:
            refusal: everything the server said, in lower case.
        """
        if self.system and _SYSTEM.search(refusal):
            return replace(self, system=False)
        if self.temperature and "temperature" in refusal:
            return replace(self, temperature=False)
        if self.seed and re.search(r"\bseed\b", refusal):
            return replace(self, seed=False)
        if self.limit == "max_tokens" and "max_completion_tokens" in refusal:
            return replace(self, limit="max_completion_tokens")
        if self.mode != "text" and _FORMAT.search(refusal):
            return replace(self, mode="json_object" if self.mode == "json_schema" else "text")
        return None

    def unenforced(self) -> Dialect:
        """The dialect for a server that took the JSON schema and did not keep to it: the prompt states it too."""
        return replace(self, mode="json_object") if self.mode == "json_schema" else self


def with_options(arguments: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """A request's body with what the settings pass to the server; null leaves a parameter out."""
    return {name: value for name, value in {**arguments, **given}.items() if value is not None or name not in given}


def strict_schema(cls: type[Any]) -> dict[str, Any]:
    """The JSON schema of a reply class as strict mode wants it: no references, no decoration, everything required."""
    required: dict[str, Any] = _all_required(lean_schema(cls))
    return required


def lean_schema(cls: type[Any]) -> dict[str, Any]:
    """The JSON schema of a reply class without references and decoration: what has a default may be left out."""
    whole = schema(cls)
    inlined: dict[str, Any] = _inline(whole, whole.get("$defs", {}))
    return inlined


def read(cls: type[R], text: str) -> tuple[R, str]:
    """The reply in a model's text, and the JSON that it was read from.

    The text may be the JSON itself, or have it in a code fence, after thoughts or among other words; of several
    objects the last one that fits counts, for what stands before it are drafts. Half surrogates, which are no sound
    JSON and come from small models, become ``?``.

    Raises:
        ReplyError: there is no JSON object, or none that fits; the message says where.
    """
    try:
        return parse(cls, text), text
    except ReplyError as error:
        first = error
    problem: ReplyError | None = None
    for value in reversed(list(_objects(after(text)))):
        found = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
        try:
            return parse(cls, found), found
        except ReplyError as error:
            problem = problem or error
    raise ReplyError(str(problem or first), reply=text)


def ignores_schema(text: str) -> bool:
    """Whether an unfit reply shows that the server does not keep to the schema it was given.

    It does where it is prose, or sound JSON of another shape. A broken JSON object alone says nothing of the kind:
    servers that do keep to a schema stop early, too.
    """
    text = text.strip()
    if not text.startswith("{"):
        return bool(text)
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def repair(messages: Sequence[PromptMessage], text: str, problem: str) -> list[PromptMessage]:
    """The conversation continued: what the model said, of an endless reply the beginning, and what is wrong with it."""
    ask = f"That reply does not fit: {problem}. Give the whole corrected JSON object and nothing else."
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    said = [PromptMessage(role="assistant", content=shown)] if text else []
    return [*messages, *said, PromptMessage(role="user", content=ask)]


def _with_schema(task: str, messages: Sequence[PromptMessage], shape: Mapping[str, Any]) -> list[PromptMessage]:
    """The messages, the first of them with the schema in words: servers that cannot enforce it may still follow it."""
    first, *rest = messages
    rule = f'Reply with one JSON object, nothing else, that fits the JSON schema "{task}": '
    content = f"{first['content']}\n\n{rule}{json.dumps(shape, separators=(',', ':'))}"
    return [PromptMessage(role=first["role"], content=content), *rest]


def _folded(messages: Sequence[PromptMessage]) -> list[PromptMessage]:
    """The messages without the role ``system``: what it says stands before what the user says."""
    before = [m["content"] for m in messages if m["role"] == "system"]
    rest = [m for m in messages if m["role"] != "system"]
    if not before or not rest:
        return list(messages)
    first, *others = rest
    content = "\n\n".join([*before, first["content"]])
    return [PromptMessage(role=first["role"], content=content), *others]


def _inline(node: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inline(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _inline(definitions[node["$ref"].rpartition("/")[2]], definitions)
    kept = {key: value for key, value in node.items() if key not in _DECORATION and key != "$defs"}
    if "properties" in kept:  # its keys are the reply's own names, which may be "title" or "description"
        kept["properties"] = {name: _inline(value, definitions) for name, value in kept["properties"].items()}
    return {key: value if key == "properties" else _inline(value, definitions) for key, value in kept.items()}


def _all_required(node: Any) -> Any:
    if isinstance(node, list):
        return [_all_required(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: _all_required(value) for key, value in node.items()}
    return kept | {"required": list(kept["properties"])} if "properties" in kept else kept


def _objects(text: str) -> Iterator[Any]:
    """The JSON objects in a text, outermost ones, in order."""
    place = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if place < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):  # also a number of thousands of digits
            end = place + 1
        else:
            yield value
        place = text.find("{", end)
