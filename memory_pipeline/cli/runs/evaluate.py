"""``eval``: the suites of the evaluation, as tables and as a JSON report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_pipeline.cli.output import print_account, print_json, progress
from memory_pipeline.errors import EvaluationError

if TYPE_CHECKING:
    from memory_pipeline.evaluation.suites import Failures, Figure

app = typer.Typer()
AHEAD = "ahead_of"  # as ``evaluation.retrieval_suite`` has it, which is heavy to import
_SYSTEMS = ("bm25", "dense", "rrf", "random")


@app.command("eval")
def evaluate(
    suites: Annotated[
        list[str] | None, typer.Argument(help="Which; the fixtures, and the data sets where their folder is known.")
    ] = None,
    datasets: Annotated[
        Path | None, typer.Option(help="Folder of the data sets; $DATASETS when not given.", show_default=False)
    ] = None,
    profile: Annotated[str, typer.Option(help="Ranking profile.")] = "default",
    limit: Annotated[int | None, typer.Option(help="Questions of a data set at most.", show_default=False)] = None,
    out: Annotated[Path | None, typer.Option(help="Write the JSON report to this file too.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure the reads: evidence found in data sets, beside BM25, cosine, rank fusion and random vectors, with 95 %
    intervals. A star marks what the profile differs from for certain, question by question."""
    from memory_pipeline.evaluation.suites import Options
    from memory_pipeline.evaluation.suites import evaluate as run
    from memory_pipeline.settings import Settings

    with progress(not as_json) as tell:
        found = run(suites or (), Options(Settings.load(), datasets, profile, limit, tell))
    report = {suite: _flat(figures) for suite, figures in found.items()}
    if out is not None:
        _write(out, report)
    if as_json:
        print_json(report)
        return
    for suite, figures in found.items():
        _table(suite, figures)


def _flat(figures: Mapping[str, Figure | Failures]) -> dict[str, Any]:
    """Every figure as a number; the bounds of its interval stand beside it as ``….low`` and ``….high``."""
    flat: dict[str, Any] = {}
    for name, figure in figures.items():
        if isinstance(figure, float | int | list):
            flat[name] = figure
        else:
            flat |= {name: figure.mean, f"{name}.low": figure.low, f"{name}.high": figure.high}
    return flat


def _write(out: Path, report: Mapping[str, Mapping[str, Any]]) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        sentence = f"the report cannot be written to {out}: {error.strerror}"
        raise EvaluationError(sentence, path=str(out)) from error


def _table(suite: str, measured: Mapping[str, Figure | Failures]) -> None:
    """A row a metric, a column a system; a suite without baselines has one column. Then what failed."""
    figures = {name: figure for name, figure in measured.items() if not isinstance(figure, list)}
    systems = [s for s in _SYSTEMS if any(name.startswith(f"{s}.") for name in figures)]
    own = [name for name in figures if name.partition(".")[0] not in {*systems, AHEAD}]
    rows = [
        (name, _shown(figures[name]), *(_shown(figures.get(f"{s}.{name}")) + _star(figures, s, name) for s in systems))
        for name in own
    ]
    print_account(suite, ("metric", "value", *systems), rows, figures=range(1, 2 + len(systems)))
    for failures in (found for found in measured.values() if isinstance(found, list) and found):
        columns = ("fixture", "check", "expected", "found")
        print_account(f"{suite}: not as expected", columns, [[f[c] for c in columns] for f in failures])


def _star(figures: Mapping[str, Figure], system: str, name: str) -> str:
    ahead = figures.get(f"{AHEAD}.{system}.{name}")
    if ahead is None or isinstance(ahead, float | int):
        return ""
    return " *" if ahead.low > 0 or ahead.high < 0 else ""


def _shown(figure: Figure | None) -> str:
    if figure is None:
        return ""
    if isinstance(figure, int):
        return str(figure)
    if isinstance(figure, float):
        return f"{figure:.3f}"
    return f"{figure.mean:.3f} ± {figure.margin:.3f}"
