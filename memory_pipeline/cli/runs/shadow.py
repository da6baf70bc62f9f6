"""Commands that try a change before it holds: shadow and promote."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_pipeline.cli.output import confirm, console, print_account, print_json, progress
from memory_pipeline.cli.reads.reading import AsJson
from memory_pipeline.cli.runs.writing import day_of

if TYPE_CHECKING:
    from memory_pipeline.evaluation.shadow.shadow import ShadowReport
    from memory_pipeline.stages.plan.forecast import Forecast

app = typer.Typer()
PolicyFile = Annotated[
    Path | None,
    typer.Option(help="TOML file in place of the policy in force.", exists=True, dir_okay=False, show_default=False),
]
Profile = Annotated[str | None, typer.Option(help="Profile whose figures `default` is to have.", show_default=False)]
PromptsFolder = Annotated[
    Path | None,
    typer.Option("--prompts", help="Folder of templates.", exists=True, file_okay=False, show_default=False),
]


@app.command()
def shadow(
    policy: PolicyFile = None,
    profile: Profile = None,
    prompts_folder: PromptsFolder = None,
    encoder: Annotated[str | None, typer.Option(help="builtin or openai.", show_default=False)] = None,
    encoder_model: Annotated[str | None, typer.Option(help="Its model.", show_default=False)] = None,
    encoder_dimensions: Annotated[int | None, typer.Option(help="Its vectors' length.", show_default=False)] = None,
    chat: Annotated[str | None, typer.Option(help="builtin or openai.", show_default=False)] = None,
    chat_model: Annotated[str | None, typer.Option(help="Its model.", show_default=False)] = None,
    first: Annotated[
        str | None, typer.Option("--from", help="First day of reads, UTC; yesterday.", show_default=False)
    ] = None,
    last: Annotated[str | None, typer.Option("--to", help="Last day; the first.", show_default=False)] = None,
    limit_users: Annotated[
        int | None, typer.Option(min=1, help="Only so many users, those who read most.", show_default=False)
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before hosted models cost something.")] = False,
    promote: Annotated[bool, typer.Option("--promote", help="Put it in force if it passes.")] = False,
    as_json: AsJson = False,
) -> None:
    """Replay real reads with a changed policy, profile, prompts or model beside what is in force; change nothing."""
    from memory_pipeline.evaluation.shadow.candidate import Change, opened
    from memory_pipeline.evaluation.shadow.promotion import promote as put_in_force
    from memory_pipeline.evaluation.shadow.shadow import shadow as evaluate
    from memory_pipeline.evaluation.shadow.shadow_home import Declined
    from memory_pipeline.settings import Settings

    now = datetime.now(UTC)
    start = day_of(first) or day_of(last) or now.date() - timedelta(days=1)
    end = day_of(last) or start
    if end < start:
        raise typer.BadParameter(f"--to {end} is before --from {start}")
    models = {
        "encoder": encoder,
        "encoder_model": encoder_model,
        "encoder_dimensions": encoder_dimensions,
        "chat": chat,
        "chat_model": chat_model,
    }
    change = Change(policy, profile, prompts_folder, {k: v for k, v in models.items() if v is not None})
    written: list[Path] = []
    with opened(Settings.load(), change) as candidate:
        try:
            with progress(not as_json) as tell:
                report = evaluate(
                    candidate,
                    start,
                    end,
                    now,
                    limit_users=limit_users,
                    agree=lambda forecast: yes or _agreed(forecast),
                    progress=tell,
                )
        except Declined as declined:
            raise typer.Exit(1) from declined
        if promote and report.passed:
            written = put_in_force(candidate, now)
    if as_json:
        print_json({**_plain(report), "promoted": [str(path) for path in written]})
    else:
        _print(report)
        _print_written("In force now", written)
    if not report.passed:
        raise typer.Exit(1)


@app.command()
def promote(
    policy: PolicyFile = None,
    profile: Profile = None,
    prompts_folder: PromptsFolder = None,
    undo: Annotated[bool, typer.Option("--undo", help="Put back what the last promotion replaced.")] = False,
    as_json: AsJson = False,
) -> None:
    """Put a change in force that has passed `shadow`, with the same options."""
    from memory_pipeline.evaluation.shadow import promotion
    from memory_pipeline.evaluation.shadow.candidate import Change, opened
    from memory_pipeline.settings import Settings

    settings = Settings.load()
    change = Change(policy, profile, prompts_folder)
    if undo:
        if change != Change():
            raise typer.BadParameter("--undo goes back to what was before; it takes no other option")
        written = promotion.undo(settings)
    else:
        with opened(settings, change) as candidate:
            written = promotion.promote(candidate, datetime.now(UTC))
    if as_json:
        print_json({"undone" if undo else "promoted": written})
        return
    _print_written("Back to what was before" if undo else "In force now", written)


def _agreed(forecast: Forecast) -> bool:
    """Ask, where somebody is there; without a terminal hosted models need ``--yes``."""
    told = f"{forecast.calls:,} calls, {forecast.tokens:,} tokens, about {forecast.usd:.2f} USD"
    print(f"The memories of these users must be made anew for it: {told}.", file=sys.stderr)
    if not sys.stdin.isatty():
        print("Say --yes to go on, or --limit-users to make it less.", file=sys.stderr)
        return False
    return confirm("Go on?")


def _plain(report: ShadowReport) -> dict[str, Any]:
    from memory_pipeline.domain.plain import plain

    found: dict[str, Any] = plain(report)
    return found


_ROWS = (
    ("items that had helped", "helpful_base", "{:.0f}", "helpful_candidate"),
    ("items that had not", "unhelpful_base", "{:.0f}", "unhelpful_candidate"),
    ("MRR of what had helped", "mrr_base", "{:.3f}", "mrr_candidate"),
    ("latency p50, ms", "p50_ms_base", "{:.2f}", "p50_ms_candidate"),
    ("latency p95, ms", "p95_ms_base", "{:.2f}", "p95_ms_candidate"),
    ("tokens", "tokens_base", "{:.0f}", "tokens_candidate"),
    ("of others", "foreign_base", "{:.0f}", "foreign_candidate"),
    ("above the ceiling", "above_ceiling_base", "{:.0f}", "above_ceiling_candidate"),
    ("of another domain", "other_domain_base", "{:.0f}", "other_domain_candidate"),
    ("of another agent", "other_agent_base", "{:.0f}", "other_agent_candidate"),
    ("of another session", "other_session_base", "{:.0f}", "other_session_candidate"),
    ("taken back", "forgotten_base", "{:.0f}", "forgotten_candidate"),
    ("not to be brought up", "avoided_base", "{:.0f}", "avoided_candidate"),
    ("failed reads", "failed_base", "{:.0f}", "failed_candidate"),
)


def _print(report: ShadowReport) -> None:
    metrics = dict(report.metrics)
    overlap = next(name for name in metrics if name.startswith("overlap@"))
    console().print(
        f"{report.subject}: {metrics['reads']:.0f} reads of {metrics['users']:.0f} users, {_span(report)}; "
        f"{metrics['reads_changed']:.0f} answered otherwise\n"
        f"{overlap} {metrics[overlap]:.3f}, rank-biased overlap {metrics['rank_biased_overlap']:.3f}, "
        f"{metrics['gained']:.0f} items gained, {metrics['lost']:.0f} lost",
        markup=False,
    )
    if report.left_out:
        console().print(f"{report.left_out} reads of other users were left out.", markup=False)
    print_account(
        "",
        ("", "in force", "candidate"),
        [(title, _cell(metrics, one, form), _cell(metrics, two, form)) for title, one, form, two in _ROWS],
        figures=(1, 2),
    )
    if report.examples:
        print_account(
            "Reads to look at",
            ("read", "query", "gained", "lost"),
            [(e.recall_id, e.query, "\n".join(e.gained[:3]), "\n".join(e.lost[:3])) for e in report.examples],
        )
    console().print("passed" if report.passed else "not passed", style="bold")
    for reason in report.reasons:
        console().print(f"- {reason}", markup=False)


def _cell(metrics: dict[str, float], name: str, form: str) -> str:
    rated = metrics["helpful_base"] + metrics["helpful_gained"]
    return "–" if name.startswith("mrr") and not rated else form.format(metrics[name])


def _span(report: ShadowReport) -> str:
    first, last = report.first, report.last
    return str(first) if first == last else f"{first} to {last}"


def _print_written(title: str, written: list[Path]) -> None:
    for path in written:
        console().print(f"{title}: {path}", markup=False, soft_wrap=True)
    if written:
        console().print("`memory-pipeline run` makes anew what follows from it; `doctor` says what is in force.")
