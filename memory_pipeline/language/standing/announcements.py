"""Sentences behind which a text begins that somebody hands over: to translate, to answer, to judge, to go on with."""

from __future__ import annotations

from memory_pipeline.language.standing.acts import request
from memory_pipeline.language.standing.sentences import Unit
from memory_pipeline.language.standing.tables import row

_SHORT_VERDICT = 4  # words: "feedback welcome", "be brutal"


def announces(shown: str) -> str:
    """ "strong" where a folded sentence announces a text wherever it stands, "weak" where it must stand apart."""
    colon = shown.rstrip().endswith(":")
    if row("ghost").search(shown):
        return "strong" if not row("own_writing").search(shown) else ""
    if row("announce").search(shown):
        return "strong"
    if row("announce_weak").search(shown) and (colon or not row("lasting").search(shown)):
        return "weak"
    if colon and row("announce_more").search(shown):
        return "weak"
    named = colon and row("announce_noun").search(shown) and not row("own_writing").search(shown)
    return "weak" if named else ""


def speaks_of_work(low: str) -> bool:
    """Whether a folded sentence names a work that somebody has written, not one that is to be made."""
    return bool(row("piece").search(low)) and not row("creates").search(low)


def shown_work(unit: Unit, low: str, spoken_of: bool) -> str:
    """ "weak" where somebody asks how a work of theirs is, or names it above the work, else "".

    Args:
        low: the sentence folded.
        spoken_of: its paragraph has named a work up to here.
    """
    made = row("creates").search(low)
    if row("piece_shown").search(low) and not made and (unit.colon or (unit.opens_line and not unit.listed)):
        return "weak"
    asked = unit.stop == "?" or unit.colon or request(low) or len(low.split()) <= _SHORT_VERDICT
    if not asked or not row("judge").search(low):
        return ""
    return "weak" if spoken_of or row("craft").search(low) else ""
