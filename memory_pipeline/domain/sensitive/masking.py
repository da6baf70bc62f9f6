"""Masking: a sensitive span gives way to a fixed marker that names its class."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.policy import SensitiveClass
from memory_pipeline.domain.sensitive.detection import cleaned, find

MARKER = lazy(rf"\[withheld ({'|'.join(kind.replace('_', ' ') for kind in SensitiveClass)})\]")
"""What stands in place of a span: "[withheld card]". Group 1 names the class."""


def marker(kind: SensitiveClass) -> str:
    """The text that takes the place of a span of this class."""
    return f"[withheld {kind.replace('_', ' ')}]"


def marked(text: str) -> frozenset[SensitiveClass]:
    """The classes whose markers stand in a text."""
    if "[withheld " not in text:
        return frozenset()
    return frozenset(SensitiveClass(m[1].replace(" ", "_")) for m in MARKER.finditer(text))


def masked(text: str, kinds: Container[SensitiveClass]) -> str:
    """The text with the spans of some classes masked; the very same text when it has none."""
    spans = [span for span in find(text) if span.kind in kinds]
    if not spans:
        return text
    plain, parts, at = cleaned(text), [], 0
    for span in spans:
        parts += [plain[at : span.start], marker(span.kind)]
        at = span.end
    return "".join([*parts, plain[at:]])


@dataclass(frozen=True, slots=True)
class Hider:
    """Masks further texts where they repeat what was found in others: a bare "hunter2" has no format of its own."""

    values: tuple[tuple[str, SensitiveClass], ...]

    @classmethod
    def of(cls, texts: tuple[str, ...], kinds: Container[SensitiveClass], shortest: int = 4) -> Hider:
        """A hider of what these texts hold of some classes, the longest first.

        Args:
            shortest: values of fewer characters are not looked for elsewhere.
        """
        values = {
            cleaned(text)[span.start : span.end]: span.kind
            for text in texts
            for span in find(text)
            if span.kind in kinds and span.end - span.start >= shortest
        }
        return cls(tuple(sorted(values.items(), key=lambda item: (-len(item[0]), item[0]))))

    def hide(self, text: str, kinds: Container[SensitiveClass]) -> str:
        """The text with its own spans and the known values masked."""
        text = masked(text, kinds)
        for value, kind in self.values:
            if value in text:
                text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", lambda _, kind=kind: marker(kind), text)  # type: ignore[misc]
        return text
