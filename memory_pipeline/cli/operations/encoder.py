"""``encoder``: another encoder's vectors are built beside those in force, compared, and put in their place."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from memory_pipeline.cli.output import console, print_json, print_table, progress
from memory_pipeline.cli.reads.reading import AsJson
from memory_pipeline.cli.root import Group
from memory_pipeline.cli.runs.shadow import shadow

if TYPE_CHECKING:
    from memory_pipeline.settings import Settings
    from memory_pipeline.stages.context import StageContext
    from memory_pipeline.storage.vectors.encoder_pointer import EncoderChoice

app = typer.Typer(
    cls=Group,
    help="Another encoder: build its vectors beside those in force, compare, switch, go back.",
    no_args_is_help=True,
)
Kind = Annotated[str, typer.Option(help="builtin or openai.")]
Model = Annotated[str | None, typer.Option(help="Its model, for openai; by default the setting.", show_default=False)]
Dimensions = Annotated[int | None, typer.Option(help="Its vectors' length, for openai.", min=8, show_default=False)]


@app.command()
def status(as_json: AsJson = False) -> None:
    """Which encoder's vectors are in force, and which others there are."""
    from memory_pipeline.stages.operations.reencode import status as stands

    found = stands(_context(_settings()))
    if as_json:
        print_json(found)
        return
    print_table("", ("", ""), [(name.replace("_", " "), _cell(value)) for name, value in found.items() if value])


@app.command()
def build(
    encoder: Kind = "openai", model: Model = None, dimensions: Dimensions = None, as_json: AsJson = False
) -> None:
    """Encode everything once more, beside the vectors in force; what is done is left alone the next time."""
    from memory_pipeline.stages.operations.reencode import build as made
    from memory_pipeline.stages.operations.reencode import uncalibrated

    settings = _settings()
    target, ctx = _target(settings, encoder, model, dimensions), _context(settings)
    with progress(not as_json) as ctx.progress:
        written = made(ctx, target)
    warning = uncalibrated(settings, target)
    if as_json:
        print_json({"encoder": target.name, "written": written, "warning": warning})
        return
    console().print(f"{target.name}: {', '.join(f'{n} {name}' for name, n in written.items())} written.", markup=False)
    _warn(warning)


@app.command()
def compare(
    encoder: Kind = "openai",
    model: Model = None,
    dimensions: Dimensions = None,
    first: Annotated[str | None, typer.Option("--from", help="First day of reads, UTC; yesterday.")] = None,
    last: Annotated[str | None, typer.Option("--to", help="Last day; the first.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before hosted models cost something.")] = False,
    as_json: AsJson = False,
) -> None:
    """Replay real reads with the other encoder beside the one in force, as `shadow --encoder` does."""
    shadow(
        encoder=encoder,
        encoder_model=model,
        encoder_dimensions=dimensions,
        first=first,
        last=last,
        limit_users=None,
        yes=yes,
        promote=False,
        as_json=as_json,
    )


@app.command()
def switch(
    encoder: Kind = "openai",
    model: Model = None,
    dimensions: Dimensions = None,
    back: Annotated[bool, typer.Option("--back", help="Go back to the encoder that was in force before.")] = False,
    unevaluated: Annotated[bool, typer.Option("--unevaluated", help="Although no comparison has passed.")] = False,
    recompute: Annotated[
        bool, typer.Option("--recompute", help="The next run makes links and summaries anew by it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Put another encoder's vectors in force, once a comparison has passed; the older ones stay until dropped."""
    from memory_pipeline.errors import SettingsError
    from memory_pipeline.stages.operations.reencode import switch as put_in_force
    from memory_pipeline.stages.operations.reencode import uncalibrated
    from memory_pipeline.storage.vectors.encoder_pointer import read

    settings = _settings()
    pointer = read(settings)
    if back:
        if pointer is None or pointer.previous is None:
            sentence = "no other encoder was in force before: there is nothing to go back to"
            raise SettingsError(sentence, setting="MEMORY_PIPELINE_ENCODER")
        target = pointer.previous
    else:
        target = _target(settings, encoder, model, dimensions)
        if not unevaluated:
            _compared(settings, target)
    ctx = _context(_following(settings))
    with progress(not as_json) as ctx.progress:
        moved = put_in_force(ctx, target, recompute=recompute)
    warning = uncalibrated(settings, target)
    if as_json:
        print_json({"in_force": moved.choice.name, "previous": moved.previous, "warning": warning})
        return
    console().print(f"In force now: {moved.choice.name}. `encoder switch --back` goes back.", markup=False)
    if target.encoder != "builtin" and settings.encoder == "builtin":
        console().print(f"Set MEMORY_PIPELINE_ENCODER={target.encoder}: without it no text leaves the machine.")
    _warn(warning)


@app.command()
def drop(
    name: Annotated[
        str | None, typer.Argument(help="As `encoder status` lists it under `beside`.", show_default=False)
    ] = None,
    encoder: Kind = "openai",
    model: Model = None,
    dimensions: Dimensions = None,
    as_json: AsJson = False,
) -> None:
    """Remove the vectors of an encoder that is not in force; `--encoder builtin` those of the shipped one."""
    from memory_pipeline.stages.operations.reencode import drop as remove

    settings = _settings()
    folder = name or _target(settings, encoder, model, dimensions).folder
    removed = remove(_context(settings), folder)
    if as_json:
        print_json({"encoder": folder, "removed": removed})
        return
    console().print(f"{folder}: {'removed' if removed else 'there were none'}.", markup=False)


def _settings() -> Settings:
    from memory_pipeline.settings import Settings

    return Settings.load()


def _context(settings: Settings) -> StageContext:
    from memory_pipeline.stages.context import StageContext

    now = datetime.now(UTC)
    return StageContext(settings, f"encoder-{now:%Y%m%dT%H%M%S}", now)


def _following(settings: Settings) -> Settings:
    """The settings, allowed to reach the encoder that is in force: going back from it must always be possible."""
    from memory_pipeline.storage.vectors.encoder_pointer import read

    pointer = read(settings)
    return settings.model_copy(update={"encoder": pointer.choice.encoder}) if pointer else settings


def _target(settings: Settings, encoder: str, model: str | None, dimensions: int | None) -> EncoderChoice:
    """The encoder that the options name."""
    from memory_pipeline.evaluation.shadow.candidate import with_values
    from memory_pipeline.stages.operations.reencode import choice_of

    values = {"encoder": encoder, "encoder_model": model, "encoder_dimensions": dimensions}
    return choice_of(with_values(_following(settings), **{k: v for k, v in values.items() if v is not None}))


def _compared(settings: Settings, target: EncoderChoice) -> None:
    """Raises:
    EvaluationError: no comparison with this encoder has passed.
    """
    from memory_pipeline.errors import EvaluationError
    from memory_pipeline.evaluation.history import newest
    from memory_pipeline.evaluation.shadow.candidate import digest_of
    from memory_pipeline.storage.parquet.lake import Lake

    result = newest(Lake(settings.path("lake")), digest_of(target.applied(settings)), digest_of(settings))
    if result is None or not result.passed:
        why = "did not pass: " + "; ".join(result.reasons) if result else "was not compared with what is in force"
        raise EvaluationError(
            f"{target.name} {why}; run `memory-pipeline encoder compare`, or say --unevaluated to switch all the same"
        )


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{n} {name}" for name, n in value.items())
    return ", ".join(value) if isinstance(value, list) else str(value)


def _warn(text: str) -> None:
    if text:
        console().print(f"Note: {text}", markup=False)
