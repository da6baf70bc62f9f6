"""The benchmark of an ageing store runs on a handful of nights, and tells a flat store from one that grows."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import ageing, line_chart, lives, nights
from memory_pipeline_tests.store import WordEncoder


def test_lives_are_the_same_each_time_and_do_not_repeat_one_sentence() -> None:
    days = [nights.START + timedelta(days=n) for n in range(20)]
    one, same = lives.people(3), lives.people(3)
    told = [line for d in days for p in one for line in p.day(d)]
    assert told == [line for d in days for p in same for line in p.day(d)]
    own = [line["content"] for line in told if line["role"] == "user"]
    assert len({line["message_id"] for line in told}) == len(told) and len(set(own)) > len(own) / 2


def test_nights_make_what_is_missing(tmp_path: Path) -> None:
    rows = ageing.simulate(str(tmp_path), 2, 2, encoder=WordEncoder())
    assert [row["night"] for row in rows] == [1, 2] and rows[-1]["messages"] > 0
    assert {"plan", "memories", "daily_summaries", "audits", "maintenance"} <= rows[-1]["cpu"].keys()
    assert all(0 < row["live_bytes"] < row["bytes"] for row in rows)
    assert rows[-1]["memories"]["active"] > 0 and rows[-1]["stores"]["index"]["bytes"] > 0
    assert all(met is None for met in ageing.report(rows, 2)["targets"].values())  # too short to tell


@pytest.mark.parametrize(("growth", "met"), [(0.0, True), (0.01, False)])
def test_ageing_tells_a_flat_store_from_one_that_grows(growth: float, met: bool) -> None:
    rows = [
        {
            "night": n,
            "messages": 100 * n,
            "cpu": {"memories": 1 + growth * n},
            "bytes": round(1000 * n * (1 + growth * n)),
            "live_bytes": 900 * n,
            "stores": {store: {"bytes": 1000 * n * (1 + growth * n), "files": n} for store in ("lake", "index")},
            "memories": {"active": round(50 * n ** (1.0 + growth * 10 if growth else 0.5)), "archived": n},
        }
        for n in range(1, 401)
    ]
    assert set(ageing.report(rows, 10)["targets"].values()) == {met}
    drawn = ElementTree.fromstring(line_chart.svg(ageing.charts(rows, 10)))
    assert sum(1 for part in drawn.iter() if part.tag.endswith("polyline")) == 1 + 2 + 4
