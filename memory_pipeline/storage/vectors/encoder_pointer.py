"""The pointer to the vectors in force: ``index/encoder.json`` names the encoder whose tables are read and written.

Each encoder's tables lie in a folder of their own, so a second one is built beside the first and put in force by one
rename of this small file; going back is the same. A home without it goes by the settings, as it was set up.
"""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memory_pipeline.errors import SchemaTooNew, StorageError
from memory_pipeline.settings import Settings

FILE = "encoder.json"
_FORM = 1


@dataclass(frozen=True, slots=True)
class EncoderChoice:
    """An encoder as the settings name it.

    Attributes:
        name: of the encoder, as ``Encoder.model``.
        dimensions: of its vectors.
        model: ``encoder_model`` of the settings; it says nothing for the builtin encoder.
    """

    encoder: str
    model: str
    dimensions: int
    name: str

    @property
    def folder(self) -> str:
        """Where its tables lie, inside the index."""
        return folder_of(self.name, self.dimensions)

    def applied(self, settings: Settings) -> Settings:
        """The settings with this encoder, whatever the home's pointer says."""
        changes: dict[str, Any] = {"encoder": self.encoder, "encoder_fixed": True}
        if self.encoder != "builtin":
            changes |= {"encoder_model": self.model, "encoder_dimensions": self.dimensions}
        return settings.model_copy(update=changes)


@dataclass(frozen=True, slots=True)
class Pointer:
    """What is in force.

    Attributes:
        made_by: name of the encoder by which the memories were made that stand: part of the code version of what goes
            by vectors, so that a switch alone makes nothing stale.
        previous: what was in force before; None before the first switch.
        switched_at: ISO 8601, UTC.
    """

    choice: EncoderChoice
    made_by: str
    previous: EncoderChoice | None
    switched_at: str


def folder_of(name: str, dimensions: int) -> str:
    """Folder name of an encoder's tables."""
    return f"{slug(name)}-{dimensions}"


def slug(name: str) -> str:
    """A model's name as part of a file name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def mark(settings: Settings, place: str) -> object:
    """What differs once the pointer has moved: of a local home a look at one file, of a remote one its content.

    Args:
        place: of the pointer; see :func:`place_of`.
    """
    if settings.remote:
        return _raw(settings)
    try:
        stat = os.stat(place)
    except OSError:
        return None
    return stat.st_ino, stat.st_mtime_ns


def read(settings: Settings) -> Pointer | None:
    """The pointer of the settings' home, None where it has none.

    Raises:
        StorageError: it is damaged.
        SchemaTooNew: a newer release has written it.
    """
    raw = _raw(settings)
    if not raw:
        return None
    try:
        note = json.loads(raw)
        if int(note["form"]) > _FORM:
            raise SchemaTooNew(
                f"{place_of(settings)} was written by a newer release of memory-pipeline: install that one",
                path=place_of(settings),
                version=int(note["form"]),
                supported=_FORM,
            )
        previous = note["previous"]
        return Pointer(
            _choice(note["choice"]), str(note["made_by"]), _choice(previous) if previous else None, note["switched_at"]
        )
    except (ValueError, KeyError, TypeError) as error:
        raise StorageError(
            f"{place_of(settings)} is damaged ({error}): "
            "run `memory-pipeline encoder switch` with the encoder to be used"
        ) from error


def move(settings: Settings, pointer: Pointer) -> None:
    """Put an encoder in force: one rename (one PUT on object storage).

    Raises:
        StorageError: it cannot be written.
    """
    note = json.dumps({"form": _FORM, **asdict(pointer)}, indent=1).encode()
    if settings.remote:
        _files(settings).put(FILE, note)
        return
    place = Path(place_of(settings))
    making = place.with_name(f".{FILE}-{uuid.uuid4().hex}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with open(making, "wb") as out:
            out.write(note)
            out.flush()
            os.fsync(out.fileno())
        os.replace(making, place)
    except OSError as error:
        raise StorageError(f"cannot write {place}: {error}") from error
    finally:
        making.unlink(missing_ok=True)


def _choice(given: Mapping[str, Any]) -> EncoderChoice:
    return EncoderChoice(str(given["encoder"]), str(given["model"]), int(given["dimensions"]), str(given["name"]))


def place_of(settings: Settings) -> str:
    """Path or URI of the pointer. To work it out takes twenty times as long as to look at it."""
    return settings.path("index", FILE)


def _raw(settings: Settings) -> bytes:
    try:
        if settings.remote:
            files = _files(settings)
            with files.fs.open_input_stream(f"{files.base}/{FILE}") as stream:
                return bytes(stream.read())
        return Path(place_of(settings)).read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise StorageError(f"cannot read {place_of(settings)}: {error}") from error


def _files(settings: Settings) -> Any:
    from memory_pipeline.storage.parquet.files import Files

    return Files(settings.path("index"))
