"""A prompt block under a token budget, with an account of what went in and what did not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory_pipeline.domain.reading.recall import ContextBlock
from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.retrieval.prompt.escaping import fenced
from memory_pipeline.retrieval.scores.hits import Hit


@dataclass(frozen=True, slots=True)
class _Line:
    hit: Hit | None
    text: str
    tokens: int


@dataclass
class Block:
    """Sections in the order of the text; items are offered in the order of their importance.

    Args:
        head: first lines of the block, left out with everything else when nothing goes in.
        titles: of the sections.
        limit: tokens of the whole text at most, estimated.
    """

    head: str
    titles: Sequence[str]
    limit: int
    _lines: dict[str, list[_Line]] = field(default_factory=dict)
    _dropped: list[str] = field(default_factory=list)
    _taken: set[tuple[str, str]] = field(default_factory=set)
    _used: int = 0

    def offer(self, title: str, hit: Hit, content: str, note: str = "") -> bool:
        """Take an item into a section if there is room. An item is taken once, into the first section that it fits.

        Args:
            content: remembered text; it is fenced here.
            note: what the pipeline itself says of it.
        """
        if self.holds(hit):
            return False
        if not self._put(title, hit, self._line(content, note)):
            if hit.id not in self._dropped:
                self._dropped.append(hit.id)
            return False
        self._taken.add((hit.layer, hit.id))
        if hit.id in self._dropped:
            self._dropped.remove(hit.id)
        return True

    def say(self, title: str, content: str, note: str = "") -> bool:
        """Take a text that is no item into a section, at its end, if there is room.

        Args:
            content, note: as in :meth:`offer`.
        """
        return self._put(title, None, self._line(content, note))

    def _put(self, title: str, hit: Hit | None, text: str) -> bool:
        tokens = estimate_tokens(text + "\n")
        needed = tokens
        if not self._lines:
            needed += estimate_tokens(self.head + "\n")
        if title not in self._lines:
            needed += estimate_tokens(title + "\n") + 1
        if self._used + needed > self.limit:
            return False
        self._used += needed
        self._lines.setdefault(title, []).append(_Line(hit, text, tokens))
        return True

    def lengthen(self, hit: Hit, content: str, note: str = "") -> bool:
        """Say more of an item that is in already, if there is room for all of it."""
        text = self._line(content, note)
        for lines in self._lines.values():
            for place, line in enumerate(lines):
                if line.hit is not None and (line.hit.layer, line.hit.id) == (hit.layer, hit.id):
                    tokens = estimate_tokens(text + "\n")
                    if self._used + tokens - line.tokens > self.limit:
                        return False
                    self._used += tokens - line.tokens
                    lines[place] = _Line(hit, text, tokens)
                    return True
        return False

    def _line(self, content: str, note: str) -> str:
        return f"- {fenced(content, self.titles)}{f' ({note})' if note else ''}"

    def holds(self, hit: Hit) -> bool:
        """Whether an item is in already."""
        return (hit.layer, hit.id) in self._taken

    def hits(self, *titles: str) -> list[Hit]:
        """What went into some sections (all, when none is named), in the order of the text."""
        lines = (line for title in titles or self.titles for line in self._lines.get(title, ()))
        return [line.hit for line in lines if line.hit is not None]

    def sort(self, title: str) -> None:
        """Order a section of items by time, oldest first."""
        self._lines.get(title, []).sort(key=lambda line: (line.hit.observed_at, line.hit.id) if line.hit else ())

    def finish(self, recall_id: str) -> ContextBlock:
        """The block; empty text when nothing went in."""
        sections = {
            title: "\n".join(line.text for line in self._lines[title]) for title in self.titles if title in self._lines
        }
        body = "\n\n".join(f"{title}\n{lines}" for title, lines in sections.items())
        text = f"{self.head}\n{body}" if self.head and body else body
        tokens = estimate_tokens(text)
        account = {
            title: {"used": sum(line.tokens for line in self._lines[title]), "limit": self.limit} for title in sections
        }
        account["total"] = {"used": tokens, "limit": self.limit, "dropped": len(self._dropped)}
        return ContextBlock(
            text=text,
            sections=sections,
            item_ids=tuple(dict.fromkeys(hit.id for hit in self.hits())),
            tokens=tokens,
            dropped=tuple(self._dropped),
            budget=account,
            recall_id=recall_id,
        )
