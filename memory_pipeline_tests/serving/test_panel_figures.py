"""Plots and wordings of the panel: where bars and points stand, and how values read."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from memory_pipeline.domain.ledger.memory import Cause, Change, Status
from memory_pipeline.domain.proposal import MemoryType, Outcome, Surface
from memory_pipeline.language.standing import Standing
from memory_pipeline.retrieval.lists.block_account import Fate
from memory_pipeline.retrieval.lists.browse import ORDERS, STATES
from memory_pipeline.serving.panel import plots
from memory_pipeline.serving.panel.pages import pages_of
from memory_pipeline.serving.panel.wording import LABELS, marked, moment, number, percent

DAY = date(2026, 3, 9)


def test_the_highest_bar_fits_and_parts_stand_on_each_other() -> None:
    plot = plots.stacked(
        [(DAY, {"accepted": 30, "merged": 5, "rejected": 11, "x": 99}), (DAY + timedelta(days=1), {"accepted": 0})],
        plots.OUTCOMES,
    )
    full, empty = plot.columns
    assert [bar.part for bar in full.bars] == ["accepted", "merged", "rejected"] and empty.bars == ()
    low, middle, high = full.bars
    assert low.y + low.height == pytest.approx(plot.bottom) and middle.y + middle.height == pytest.approx(
        low.y, abs=0.02
    )
    assert high.y > 0 and low.height / high.height == pytest.approx(30 / 11, rel=0.01)
    assert full.told == "9 March 2026: 30 kept, 5 merged, 11 turned away"
    assert [tick.text for tick in plot.rows] == ["0", "25", "50"]
    assert plot.told == "30 kept, 5 merged, 11 turned away, 9 March 2026 to 10 March 2026"
    assert plots.stacked([], plots.OUTCOMES).columns == ()


def test_a_line_stays_in_the_picture() -> None:
    plot = plots.line([(DAY, 0.0), (DAY, 0.9), (DAY, 0.2)], 0.5, "junk")
    heights = [float(point.split(",")[1]) for point in plot.points.split()]
    assert heights[1] < plot.limit < heights[2] < heights[0] and min(heights) >= 0 and max(heights) <= plot.height
    assert plot.told == "junk: last 20 %, highest 90 %"
    assert plots.line([], 0.5, "junk").last is None


def test_quotes_are_marked_where_they_stand() -> None:
    def told(content: str, *quotes: str) -> str:
        return "".join(f"[{p['text']}]" if p["quoted"] else p["text"] for p in marked(content, quotes))

    assert (
        told("I live in Lisbon, near the sea.", "LIVE IN LISBON", "the sea.") == "I [live in Lisbon], near [the sea.]"
    )
    assert told("abcabc", "abc", "bca") == "[abc][a]bc"
    assert told("Nothing of it.", "elsewhere", " ") == "Nothing of it."
    long = told("x" * 1000 + " I live here. " + "y" * 1000, "I live here.")
    assert long.startswith("…x") and long.endswith("y…") and "[I live here.]" in long and len(long) < 700
    assert told("İ live in Lisbon.", "live in Lisbon.") == "İ live in Lisbon.", "folding would move the places"


def test_every_code_has_a_label() -> None:
    known = {
        "types": MemoryType,
        "states": STATES,
        "orders": ORDERS,
        "changes": Change,
        "causes": Cause,
        "standings": Standing,
        "outcomes": Outcome,
        "surfaces": Surface,
        "fates": Fate,
    }
    for table, codes in known.items():
        assert {str(code) for code in codes} <= LABELS[table].keys(), table
    assert set(Status) <= LABELS["states"].keys()


def test_figures() -> None:
    assert (number(12345), number(0.12345), number(2.0)) == ("12,345", "0.123", "2")
    assert (percent(0.0), percent(0.0123), percent(0.345)) == ("0 %", "1.2 %", "34 %")
    assert moment(datetime(2026, 4, 1, 9, 5, tzinfo=UTC)) == "1 Apr 2026, 09:05"
    assert pages_of(120, 50, 50) == {"first": 51, "last": 100, "total": 120, "before": 0, "after": 100}
    assert pages_of(0, 0, 50) == {"first": 0, "last": 0, "total": 0, "before": None, "after": None}
