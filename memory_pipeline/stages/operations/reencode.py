"""Another encoder's vectors, built beside those in force and put in their place by moving a pointer.

Rows are copied from the index in force and encoded; no chat model is asked. Building is resumable: what the new tables
hold already is left alone, so the same function catches up with what was said meanwhile. Vectors hold content: whoever
erases a user must clear the tables of every encoder (:func:`tables`), not only of the one in force.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_pipeline.errors import IndexMismatch, SettingsError, StorageError
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.landing.message_log import exclusive
from memory_pipeline.storage.vectors.encoder_pointer import EncoderChoice, Pointer, move, read

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.vectors.index import Index

_BATCH = 1024
_SETTING = "MEMORY_PIPELINE_ENCODER"
# What tells a row that is encoded from one that must be: its text and what else is stored with the vector.
_TELLING = {
    "memories": ("memory_id", "version_id"),
    "messages": ("message_key", "content", "previous"),
    "summaries": ("summary_id", "content", "memory_ids"),
}


def choice_of(settings: Settings) -> EncoderChoice:
    """The encoder that settings name, as the home's pointer would."""
    from memory_pipeline.inference.models import in_force, open_encoder

    own = in_force(settings)
    encoder = open_encoder(own)
    return EncoderChoice(own.encoder, own.encoder_model, encoder.dimensions, encoder.model)


def build(ctx: StageContext, target: EncoderChoice) -> dict[str, int]:
    """Make the tables of another encoder hold what those in force hold. Returns the rows written or removed, by table.

    The home is told which encoder is in force if it did not say so yet: from then on every process may be allowed to
    reach the other one (``MEMORY_PIPELINE_ENCODER``) before the switch, and none goes over to it by that alone.

    Raises:
        SettingsError: it is the one in force.
        BudgetExceeded, ModelError: encoding stopped; the same command goes on where it was.
    """
    current = choice_of(ctx.settings)
    if target.folder == current.folder:
        raise SettingsError(f"{target.name} is the encoder in force: name another one", setting=_SETTING)
    if read(ctx.settings) is None:
        move(ctx.settings, Pointer(current, current.name, None, ctx.now.isoformat()))
    with _beside(ctx, target) as other:
        return _caught_up(ctx.index, other)


def switch(ctx: StageContext, target: EncoderChoice, *, recompute: bool = False) -> Pointer:
    """Put another encoder's tables in force, after catching up with what was said since they were built.

    Readers and writers that were opened before notice with their next act: readers of the library follow, runs stop
    with a clear error. Whatever was written to the older tables in between is caught up with at once.

    Args:
        recompute: let the next run make anew what goes by vectors (links, summaries), else it stands; memories
            stand in either case.

    Raises:
        IndexMismatch: its tables do not exist.
        SettingsError: it is the one in force.
    """
    from memory_pipeline.inference.models import encoder_of_record

    before, old = choice_of(ctx.settings), ctx.index
    record = target.name if recompute else encoder_of_record(ctx.settings)
    if target.folder == before.folder:
        raise SettingsError(f"{target.name} is the encoder in force already", setting=_SETTING)
    with _beside(ctx, target) as other:
        if other.index.dataset("memories") is None and old.dataset("memories") is not None:
            raise IndexMismatch(
                f"there are no vectors of {target.name} yet: run `memory-pipeline encoder build`",
                path=other.index.uri,
                encoder=target.name,
                in_force=before.name,
            )
        _caught_up(old, other)
        pointer = Pointer(target, record, before, ctx.now.isoformat())
        former = _fixed_index(ctx, before)
        move(ctx.settings, pointer)
        _caught_up(former, other)
    ctx.reopen_index()
    return pointer


def drop(ctx: StageContext, folder: str) -> bool:
    """Remove the tables of an encoder that is not in force, and its kept vectors. Returns whether there were any.

    Args:
        folder: ``EncoderChoice.folder``, one of :func:`tables`: that encoder itself need not be reachable any more.

    Raises:
        SettingsError: it is in force.
        StorageError: the home is remote, or they cannot be removed.
    """
    from memory_pipeline.storage.vectors.kept_vectors import forget_encoder

    if folder == choice_of(ctx.settings).folder:
        raise SettingsError(f"{folder} is in force: switch to another encoder first", setting=_SETTING)
    if ctx.settings.remote:
        raise StorageError(
            f"remove {ctx.settings.path('index')}, folder {folder}, with the object storage's tools", path=str(folder)
        )
    if folder not in tables(ctx.settings):
        return False
    place = Path(ctx.settings.path("index", folder))
    with exclusive(ctx.settings):
        forget_encoder(ctx.lake, folder)
    try:
        shutil.rmtree(place)
    except OSError as error:
        raise StorageError(f"cannot remove {place}: {error}") from error
    return True


def tables(settings: Settings) -> list[str]:
    """Folders of the index that hold an encoder's tables, in order: those in force and all others."""
    place = Path(settings.path("index"))
    return sorted(p.name for p in place.iterdir() if p.is_dir()) if not settings.remote and place.is_dir() else []


def uncalibrated(settings: Settings, choice: EncoderChoice) -> str:
    """A warning where the policy's thresholds of likeness were measured with another encoder, else ""."""
    known = settings.policies.calibration
    if choice.name == known.encoder or choice.name in known.others:
        return ""
    return (
        f"the thresholds of [similarity] were measured with {known.encoder}, not with {choice.name}: measure them, and "
        f'put figures for it into [calibration.others."{choice.name}"] of the policy file'
    )


# -- beside one another


@dataclass
class _Beside:
    """Another encoder's tables, and the run in which they are written."""

    ctx: StageContext

    @property
    def index(self) -> Index:
        return self.ctx.index

    def __enter__(self) -> _Beside:
        return self

    def __exit__(self, *_: object) -> None:
        close: Callable[[], None] | None = getattr(self.ctx.encoder, "close", None)
        if close is not None:
            close()


def _beside(ctx: StageContext, target: EncoderChoice) -> _Beside:
    own = StageContext(target.applied(ctx.settings), ctx.run_id, ctx.now, ctx.progress)
    own.lake = ctx.lake
    return _Beside(own)


def _fixed_index(ctx: StageContext, choice: EncoderChoice) -> Index:
    """The tables of an encoder for reading, whatever the pointer says by then."""
    from memory_pipeline.storage.vectors.index import Index

    return Index(ctx.settings.path("index"), choice.name, choice.dimensions)


@dataclass(frozen=True, slots=True)
class _Difference:
    wanted: Sequence[str]
    gone: Sequence[str]


_NOTHING = _Difference([], [])


def _difference(old: Index, new: Index, name: str) -> _Difference:
    there, here = _told(old, name), _told(new, name)
    wanted = sorted(key for key, told in there.items() if here.get(key) != told)
    return _Difference(wanted, sorted(here.keys() - there.keys()))


def _told(index: Index, name: str) -> dict[str, tuple[str, ...]]:
    columns = index.all(name, _TELLING[name])
    rows = zip(*(columns[c].to_pylist() for c in _TELLING[name]), strict=True)
    return {key: tuple(map(str, told)) for key, *told in rows}


def _caught_up(old: Index, other: _Beside) -> dict[str, int]:
    """Write what differs, until nothing does: rows of the tables in force as they are, with the other's vectors."""
    written = dict.fromkeys(_TELLING, 0)
    for name in _TELLING:
        label = f"encoding {name}"
        # Again, until a look finds nothing: what was erased while its row was on the way must not stay behind.
        while (found := _difference(old, other.index, name)) != _NOTHING:
            other.index.delete(name, found.gone)
            written[name] += len(found.gone)
            for done, keys in _batches(found.wanted):
                other.ctx.progress(label, done, len(found.wanted))
                written[name] += _copy(old, other, name, keys)
            other.ctx.progress(label, len(found.wanted), len(found.wanted))
    return written


def _batches(keys: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    for start in range(0, len(keys), _BATCH):
        yield start, keys[start : start + _BATCH]


def _copy(old: Index, other: _Beside, name: str, keys: Sequence[str]) -> int:
    columns = [field.name for field in old.schema(name) if field.name != "vector"]
    rows = old.lookup(name, keys, columns)
    if rows.num_rows:
        other.index.upsert(name, *_encoded(other.ctx, name, rows.select(columns)))
    return int(rows.num_rows)


def _encoded(ctx: StageContext, name: str, rows: pa.Table) -> tuple[pa.Table, Any]:
    """Rows of one encoder's table as those of another's, and their vectors; the tokens are another's, too."""
    texts = _texts(ctx, name, rows)
    if name != "messages":
        return rows, ctx.encoder.encode(texts)
    from memory_pipeline.inference.token_vectors import encodings
    from memory_pipeline.stages.messages.index_messages import with_encodings

    return with_encodings(rows, encodings(ctx.encoder, texts))


def _texts(ctx: StageContext, name: str, rows: pa.Table) -> list[str]:
    """The part of each row that its vector is made of."""
    if name != "messages":
        texts: list[str] = rows["content"].to_pylist()
        return texts
    from memory_pipeline.stages.messages.index_messages import encoded_text
    from memory_pipeline.storage.parquet.arrow_rows import from_table
    from memory_pipeline.storage.vectors.index import IndexedMessage

    return [encoded_text(turn, ctx.policy.retrieval) for turn in from_table(rows, IndexedMessage)]


def status(ctx: StageContext) -> dict[str, Any]:
    """What is in force, what was before, and which tables there are."""
    from memory_pipeline.storage.vectors.index import TABLES

    choice, pointer = choice_of(ctx.settings), read(ctx.settings)
    rows = {name: int(found.count_rows()) for name in TABLES if (found := ctx.index.dataset(name)) is not None}
    return {
        "in_force": choice.name,
        "dimensions": choice.dimensions,
        "rows": rows,
        "switched_at": pointer.switched_at if pointer else None,
        "made_by": pointer.made_by if pointer else choice.name,
        "previous": pointer.previous.name if pointer and pointer.previous else None,
        "beside": [folder for folder in tables(ctx.settings) if folder != choice.folder],
        "warning": uncalibrated(ctx.settings, choice),
    }
