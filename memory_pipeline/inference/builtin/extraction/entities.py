"""Names of people, places and things in a clause: runs of capitalised words, and proper values."""

from __future__ import annotations

from collections.abc import Iterable

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.inference.builtin.lexicon import NOT_NAMES
from memory_pipeline.inference.builtin.verbs import FORMS
from memory_pipeline.language.times.words import MONTHS, WEEKDAYS

_RUN = lazy(
    r"[A-ZÀ-Þ][\w'’&+#-]*(?:\.[\w]+)*(?: (?:(?:of|the|de|da|di|del|la|le|van|von|der|al|y|&) )*[A-ZÀ-Þ0-9][\w'’&+#-]*)*"
)
_LIMIT = 8


def entities(text: str, extra: Iterable[str] = ()) -> list[str]:
    """Names in order, each once; a capital at the start of the text alone makes no name of a common word."""
    found: dict[str, None] = {}
    for run in _RUN.finditer(text):
        words = run.group().removesuffix("'s").removesuffix("’s").split()
        while words and _common(words[0], first=run.start() == 0):
            words.pop(0)
        if all(w.isdigit() for w in words):  # the year of "March 2026"
            continue
        if not (len(words) == 1 and (len(words[0]) < 2 or run.start() == 0)):
            found.setdefault(" ".join(words).strip(".'’"), None)
    for name in extra:
        if name:
            found.setdefault(name, None)
    return list(found)[:_LIMIT]


def _common(word: str, *, first: bool) -> bool:
    low = word.lower().strip(".'’")
    return low in NOT_NAMES or low in MONTHS or low in WEEKDAYS or (first and low in FORMS)
