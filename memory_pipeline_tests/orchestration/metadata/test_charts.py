from __future__ import annotations

import pytest

from memory_pipeline.orchestration.metadata.charts import bars, lines
from memory_pipeline.orchestration.metadata.values import chart


def test_lines_stand_at_their_height_and_share_a_place_openly() -> None:
    drawn = lines({"kept": [1, 1, 1, 1], "lost": [1, 0.5, 0, 0]}, ["0", "end"]).splitlines()
    assert drawn[0] == " 1.0 ┤*111"
    assert drawn[7] == " 0.5 ┤ 2"
    assert drawn[14] == " 0.0 ┤  22"
    assert drawn[16].split() == ["0", "end"]
    assert drawn[-1] == "1 kept   2 lost   * several"


def test_values_outside_the_scale_are_drawn_at_its_ends() -> None:
    drawn = lines({"odd": [-3, 7]}, ["0"]).splitlines()
    assert (drawn[0], drawn[14]) == (" 1.0 ┤ 1", " 0.0 ┤1")


def test_bars_are_as_long_as_their_counts() -> None:
    drawn = bars({"young": {"active": 30, "stale": 10}, "old": {"stale": 5}, "none": {}}).splitlines()
    assert drawn[0] == f"young ┤{'█' * 36}{'▓' * 12} 40"
    assert drawn[1] == f"old   ┤{'▓' * 6} 5"
    assert drawn[2] == "none  ┤ 0"
    assert drawn[-1] == "█ active   ▓ stale"


@pytest.mark.parametrize("counts", [[1] * 7, [3, 5, 8, 13], [1, 1_000]])
def test_rounding_loses_no_part_of_the_longest_bar(counts: list[int]) -> None:
    row = bars({"all": {f"part {n}": count for n, count in enumerate(counts)}}).splitlines()[0]
    assert len(row.split("┤")[1].split(" ")[0]) == 48


def test_nothing_makes_an_empty_chart() -> None:
    assert bars({}).strip() == ""


def test_a_chart_keeps_its_columns_in_markdown() -> None:
    assert chart("a\nb").value == "```\na\nb\n```"
