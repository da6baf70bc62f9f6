"""Draws ``docs/asset-graph.svg`` from the real definitions: one column a group, arrows for dependencies.

Run it after changing the graph: ``python docs/asset_graph.py``. A test compares the picture with the definitions.
"""

from __future__ import annotations

from collections import defaultdict
from html import escape
from pathlib import Path

WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN, HEAD = 158, 44, 46, 22, 20, 46
COLOURS = ("#e8f1fb", "#e9f7ef", "#fdf3e1", "#f3ecfa", "#fdeaea", "#eef2f4", "#e6f6f6")


def graph() -> tuple[dict[str, list[str]], list[tuple[str, str]]]:
    """Assets by group, and (upstream, downstream) pairs."""
    from memory_pipeline.definitions import defs

    nodes = defs.resolve_asset_graph()
    groups: dict[str, list[str]] = defaultdict(list)
    edges = []
    for key in nodes.toposorted_asset_keys:
        node = nodes.get(key)
        groups[node.group_name].append(key.to_user_string())
        edges += [(parent.to_user_string(), key.to_user_string()) for parent in node.parent_keys]
    return dict(sorted(groups.items())), sorted(edges)


def draw() -> str:
    """The picture as SVG."""
    groups, edges = graph()
    place = {
        name: (MARGIN + column * (WIDTH + GAP_X), HEAD + row * (HEIGHT + GAP_Y))
        for column, names in enumerate(groups.values())
        for row, name in enumerate(names)
    }
    width = 2 * MARGIN + len(groups) * (WIDTH + GAP_X) - GAP_X
    low = HEAD + max(map(len, groups.values())) * (HEIGHT + GAP_Y)
    lanes = {
        name: n for n, name in enumerate(dict.fromkeys(a for a, b in edges if place[b][0] - place[a][0] > WIDTH * 2))
    }
    height = low + 12 * len(lanes) + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="13">',
        '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#7b8794"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    parts += [_arrow(place[a], place[b], lanes.get(a, 0), low) for a, b in edges]
    for column, (group, names) in enumerate(groups.items()):
        x = MARGIN + column * (WIDTH + GAP_X)
        parts.append(f'<text x="{x}" y="28" fill="#52606d" font-weight="600">{escape(group)}</text>')
        for name in names:
            _, y = place[name]
            parts.append(
                f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="7" '
                f'fill="{COLOURS[column % len(COLOURS)]}" stroke="#9fb3c8"/>'
                f'<text x="{x + WIDTH / 2}" y="{y + HEIGHT / 2 + 5}" text-anchor="middle" fill="#1f2933">'
                f"{escape(name)}</text>"
            )
    return "\n".join([*parts, "</svg>", ""])


def _arrow(start: tuple[int, int], end: tuple[int, int], lane: int, low: int) -> str:
    """A line to the next column or down its own; farther ones take the source's lane below the boxes."""
    (x1, y1), (x2, y2) = start, end
    a, b, d = x1 + WIDTH, y1 + HEIGHT / 2, y2 + HEIGHT / 2
    if x1 == x2:
        path = f"M{x1 + WIDTH / 2} {y1 + HEIGHT}L{x1 + WIDTH / 2} {y2}"
    elif x2 - a <= GAP_X:
        middle = a + GAP_X / 2
        path = f"M{a} {b}C{middle} {b} {middle} {d} {x2} {d}"
    else:
        out, back, y = a + 8 + 5 * lane, x2 - 10 - 4 * lane, low + 12 * lane
        path = f"M{a} {b}L{out} {b}L{out} {y}L{back} {y}L{back} {d}L{x2} {d}"
    return f'<path d="{path}" stroke="#7b8794" fill="none" stroke-linejoin="round" marker-end="url(#a)"/>'


def main() -> None:
    """Write the picture beside this script."""
    Path(__file__).with_name("asset-graph.svg").write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
