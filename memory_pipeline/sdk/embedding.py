"""Opening a home from an application, which needs the whole package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_pipeline.errors import SettingsError

if TYPE_CHECKING:
    from memory_pipeline.sdk.embedded import Embedded
    from memory_pipeline.settings import Settings


def embedded(home: str | None, settings: Settings | None, work: bool) -> Embedded:
    """The way to a home.

    Raises:
        SettingsError: a setting is wrong, or only the client is installed.
    """
    try:
        from memory_pipeline.sdk.embedded import Embedded
        from memory_pipeline.settings import Settings
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"a home needs the whole package ({error}): pip install memory-pipeline, or use Memory.connect"
        ) from error
    return Embedded(settings or Settings.load(home=home), work=work)
