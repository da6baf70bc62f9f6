"""Charts in plain text, for metadata: a code block looks the same in Dagster's UI, in a log and at a terminal.

The UI's markdown lets no image through that is given as data (its filter of addresses, 1.13), so there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_HEIGHT = 14
_BAR = 48
_FILLS = "█▓▒░▚▞▤▥"


def lines(series: Mapping[str, Sequence[float]], ticks: Sequence[str]) -> str:
    """Several series of one length, with values from 0 to 1, each drawn with a digit that a legend names.

    Args:
        ticks: labels of the horizontal axis, spread over it evenly.
    """
    width = max(len(values) for values in series.values())
    grid = [[" "] * width for _ in range(_HEIGHT + 1)]
    for mark, values in enumerate(series.values(), start=1):
        for place, value in enumerate(values):
            row = grid[_HEIGHT - round(min(max(value, 0.0), 1.0) * _HEIGHT)]
            row[place] = str(mark) if row[place] in (" ", str(mark)) else "*"
    labels = {0: "1.0", _HEIGHT // 2: "0.5", _HEIGHT: "0.0"}
    drawn = [f"{labels.get(n, ''):>4} ┤{''.join(row).rstrip()}" for n, row in enumerate(grid)]
    legend = "   ".join(f"{mark} {name}" for mark, name in enumerate(series, start=1))
    return "\n".join([*drawn, "     └" + "─" * width, "      " + _spread(ticks, width), "", f"{legend}   * several"])


def bars(rows: Mapping[str, Mapping[str, int]]) -> str:
    """One bar a row, made of parts that a legend names; the longest one fills the width."""
    parts = list(dict.fromkeys(part for counts in rows.values() for part in counts))
    totals = {name: sum(counts.values()) for name, counts in rows.items()}
    top = max([*totals.values(), 1])
    margin = max([len(name) for name in rows], default=0)
    drawn = [f"{name:<{margin}} ┤{_bar(counts, parts, top)} {totals[name]}" for name, counts in rows.items()]
    legend = "   ".join(f"{_fill(n)} {part}" for n, part in enumerate(parts))
    return "\n".join([*drawn, "", legend])


def _bar(counts: Mapping[str, int], parts: Sequence[str], top: int) -> str:
    """Parts end where their running total says, so that the bar's length is right whatever rounding does."""
    drawn, total = "", 0
    for n, part in enumerate(parts):
        total += counts.get(part, 0)
        drawn += _fill(n) * (round(_BAR * total / top) - len(drawn))
    return drawn


def _fill(part: int) -> str:
    return _FILLS[part % len(_FILLS)] if part < len(_FILLS) else chr(ord("a") + (part - len(_FILLS)) % 26)


def _spread(ticks: Sequence[str], width: int) -> str:
    line = [" "] * (width + max(len(t) for t in ticks))
    for n, tick in enumerate(ticks):
        at = round(n * (width - 1) / max(len(ticks) - 1, 1))
        line[at : at + len(tick)] = tick
    return "".join(line).rstrip()
