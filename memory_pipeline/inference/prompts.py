"""The prompts: one Jinja template a task, rendered into a system and a user message.

A template has two blocks, ``system`` (the same for every request, so that providers can cache it) and ``user`` (the
inputs). Texts that users wrote pass the ``data`` filter, which no text can break out of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from memory_pipeline.domain.consolidation.slots import ATTRIBUTES
from memory_pipeline.domain.ids import digest
from memory_pipeline.errors import SettingsError
from memory_pipeline.inference.replies import TASKS
from memory_pipeline.settings import Settings, shipped

if TYPE_CHECKING:
    from jinja2 import Environment, Template

CANARIES = ("Zorblax", "Vemquil", "Ostrimo")
"""Names that stand in the templates' examples and nowhere else: a proposal that contains one was copied from there."""

_SETTING = "MEMORY_PIPELINE_PROMPTS"
_SUFFIX = ".jinja"
_VERSION = re.compile(r"\{#-? version: (\d+)\s")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_ESCAPES = {ord("\u2028"): "\\u2028", ord("\u2029"): "\\u2029", ord("\x85"): "\\u0085", ord("\x7f"): "\\u007f"}


class PromptMessage(TypedDict):
    """One message of a rendered prompt."""

    role: str
    content: str


class Prompts:
    """The templates as they stood when this object was made: text and hash cannot drift apart within a run.

    Args:
        folder: templates that replace the shipped ones of the same name.

    Raises:
        SettingsError: a template cannot be read, has a syntax error, misses something that it includes, or replaces
            nothing.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._places = _templates(shipped("prompts"))
        own = {} if folder is None else _templates(folder)
        self._places |= own
        self._sources = {name: _read(path) for name, path in self._places.items()}
        self._environment = _environment(tuple(sorted(self._sources.items())))
        self._closures = {task.name: self._closure(task.name + _SUFFIX) for task in TASKS}
        self._hashes = {task: self._hash(names) for task, names in self._closures.items()}
        for name in sorted(own.keys() - set().union(*self._closures.values())):
            tasks = ", ".join(sorted(self._closures))
            raise _wrong(f"{own[name]} replaces no template; the tasks are {tasks}", own[name])

    @classmethod
    def open(cls, settings: Settings) -> Prompts:
        """The shipped templates, with those of ``MEMORY_PIPELINE_PROMPTS`` or of the home in their place.

        Raises:
            SettingsError: see the class.
        """
        return cls(settings.prompts_folder)

    def render(self, task: str, inputs: Mapping[str, Any]) -> list[PromptMessage]:
        """The messages of one request: a system and a user message.

        Raises:
            SettingsError: there is no template for the task, it lacks a block, or it uses a value that is not there.
        """
        from jinja2 import TemplateError

        template = self._template(task)
        try:
            return [PromptMessage(role=role, content=_block(template, role, inputs)) for role in ("system", "user")]
        except (TemplateError, KeyError, TypeError, ValueError) as error:
            given = ", ".join(sorted(inputs))
            place = self._places[task + _SUFFIX]
            raise _wrong(f"{place}: {error}; the inputs of {task} are {given}", place) from error

    def prompt_hash(self, task: str) -> str:
        """Digest of everything constant in a task's prompt: its template, what that includes, the vocabulary.

        Raises:
            SettingsError: there is no template for the task.
        """
        self._known(task)
        return self._hashes[task]

    def version(self, task: str) -> int:
        """The version that a task's template states in its first line ("{#- version: 2"); 0 where it states none.

        Raises:
            SettingsError: there is no template for the task.
        """
        self._known(task)
        stated = _VERSION.match(self._sources[task + _SUFFIX])
        return int(stated.group(1)) if stated else 0

    def _template(self, task: str) -> Template:
        self._known(task)
        return self._environment.get_template(task + _SUFFIX)

    def _known(self, task: str) -> None:
        if task not in self._closures:
            raise SettingsError(f"there is no prompt for {task!r}; the tasks are {', '.join(sorted(self._closures))}")

    def _closure(self, name: str) -> frozenset[str]:
        """A template and everything it includes, imports or extends."""
        found: set[str] = set()
        waiting = [name]
        while waiting:
            current = waiting.pop()
            if current in found:
                continue
            if current not in self._sources:
                sentence = f"the prompt {name} needs {current}, which is not in {shipped('prompts')}"
                raise _wrong(sentence, self._places.get(name))
            found.add(current)
            waiting += self._needs(current)
        return frozenset(found)

    def _needs(self, name: str) -> tuple[str, ...]:
        """The templates that one includes, imports or extends by itself."""
        from jinja2 import TemplateSyntaxError

        try:
            others = _references(self._sources[name])
        except TemplateSyntaxError as error:
            place = self._places[name]
            raise _wrong(f"{place}, line {error.lineno}: {error.message}", place) from error
        if None in others:
            place = self._places[name]
            raise _wrong(f"{place}: an include needs a constant name, for the hash", place)
        return tuple(other for other in others if other is not None)

    def _hash(self, names: frozenset[str]) -> str:
        sources = (part for name in sorted(names) for part in (name, self._sources[name]))
        return digest(*sources, *CANARIES, *ATTRIBUTES)


def data(value: Any) -> str:
    """A value as JSON on one line, in which no tag can be closed: fences untrusted text in a prompt.

    ``</`` is written ``<\\/``, which JSON reads as the same; half surrogates, which no request can carry, become ``?``.
    """
    text = json.dumps(value, ensure_ascii=False).replace("</", "<\\/").translate(_ESCAPES)
    return text.encode("utf-8", "replace").decode("utf-8")


def day(value: str) -> str:
    """The local day of an ISO 8601 time as a heading: "Tue 2026-03-10 +01:00".

    The offset stands in it, so that the lines under a heading are unambiguous where clocks are changed.
    """
    at = datetime.fromisoformat(value)
    offset = at.isoformat()[len(at.replace(tzinfo=None).isoformat()) :]
    return f"{_WEEKDAYS[at.weekday()]} {at.date().isoformat()} {offset}".strip()


def clock(value: str) -> str:
    """The local time of day of an ISO 8601 time: "09:15"."""
    return datetime.fromisoformat(value).strftime("%H:%M")


def _block(template: Template, name: str, inputs: Mapping[str, Any]) -> str:
    if name not in template.blocks:
        raise ValueError(f"there is no {{% block {name} %}}")
    return "".join(template.blocks[name](template.new_context(dict(inputs)))).strip()


@lru_cache(maxsize=64)
def _references(source: str) -> tuple[str | None, ...]:
    """The templates that a text includes, imports or extends; None for one whose name is not constant.

    Every stage of every partition opens the prompts anew, and nearly always finds the same texts.
    """
    from jinja2 import meta

    return tuple(meta.find_referenced_templates(_environment(()).parse(source)))


@lru_cache(maxsize=8)
def _environment(sources: tuple[tuple[str, str], ...]) -> Environment:
    """Compiled templates, by name and text: who opens the same ones again finds them compiled."""
    from jinja2 import DictLoader, Environment, StrictUndefined

    environment = Environment(
        loader=DictLoader(dict(sources)),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(data=data, day=day, clock=clock)
    environment.globals.update(canaries=CANARIES, attributes=tuple(ATTRIBUTES))
    return environment


def _templates(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise _wrong(f"{_SETTING}: {folder} is not a folder", folder)
    return {path.name: path for path in sorted(folder.glob(f"*{_SUFFIX}"))}


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _wrong(f"{path} cannot be read: {error}", path) from error


def _wrong(sentence: str, place: Path | None) -> SettingsError:
    return SettingsError(sentence, setting=_SETTING, path=None if place is None else str(place))
