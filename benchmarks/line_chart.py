"""Line charts as SVG, one below the other: for figures in the repository, without a plotting library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, log10

_WIDTH, _HEIGHT, _LEFT, _TOP, _GAP = 760, 200, 64, 34, 58
_COLOURS = ("#1f5fa8", "#c2571a", "#2f7d3b", "#7a4aa0", "#8a6d1d")


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart.

    Attributes:
        lines: by name, y by x.
    """

    title: str
    lines: Mapping[str, Mapping[float, float]]
    unit: str = ""


def svg(charts: Sequence[Chart]) -> str:
    """All charts, below each other."""
    height = len(charts) * (_HEIGHT + _TOP + _GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH + _LEFT + 24}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for n, chart in enumerate(charts):
        parts += _chart(chart, n * (_HEIGHT + _TOP + _GAP) + _TOP)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _chart(chart: Chart, top: int) -> list[str]:
    points = [p for line in chart.lines.values() for p in line.items()]
    right, high = _round(max((x for x, _ in points), default=1.0)), _round(max((y for _, y in points), default=1.0))
    parts = [f'<text x="{_LEFT}" y="{top - 14}" font-weight="bold">{escape(chart.title)}</text>']
    for step in range(5):
        y = top + _HEIGHT - _HEIGHT * step / 4
        parts.append(f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_LEFT + _WIDTH}" y2="{y:.1f}" stroke="#ddd"/>')
        label = f"{high * step / 4:g}{chart.unit}"
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{escape(label)}</text>')
        x = _LEFT + _WIDTH * step / 4
        parts.append(f'<text x="{x:.1f}" y="{top + _HEIGHT + 16}" text-anchor="middle">{right * step / 4:g}</text>')
    for n, (name, line) in enumerate(chart.lines.items()):
        colour = _COLOURS[n % len(_COLOURS)]
        path = " ".join(
            f"{_LEFT + _WIDTH * x / right:.1f},{top + _HEIGHT * (1 - y / high):.1f}" for x, y in sorted(line.items())
        )
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        place = _LEFT + n * _WIDTH // max(len(chart.lines), 1)
        parts.append(f'<text x="{place}" y="{top + _HEIGHT + 34}" fill="{colour}">{escape(name)}</text>')
    return parts


def _round(value: float) -> float:
    """The next number with one or two figures at or above a value, so that a quarter of it reads well."""
    if value <= 0:
        return 1.0
    step = 10 ** (ceil(log10(value)) - 1) * 0.4
    return float(f"{ceil(value / step) * step:.6g}")
