"""Dagster's home: under the pipeline's own, with the settings file of the repository."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

from memory_pipeline.errors import SettingsError
from memory_pipeline.settings import Settings, shipped

_POSTGRES = """
storage:
  postgres:
    postgres_url:
      env: MEMORY_PIPELINE_DAGSTER_POSTGRES_URL
"""


def prepare_home(settings: Settings) -> Path:
    """Make DAGSTER_HOME ready and name it in the environment; Postgres when ``POSTGRES_URL`` is set.

    Raises:
        SettingsError: the home is on object storage, where Dagster cannot keep its files.
    """
    if settings.remote:
        raise SettingsError(
            "Dagster keeps its own files locally: set DAGSTER_HOME to a local folder and run `dagster dev` there"
        )
    home = Path(settings.path("dagster"))
    home.mkdir(parents=True, exist_ok=True)
    text = shipped("dagster.yaml").read_text(encoding="utf-8")
    if settings.postgres_url is not None:
        text += _POSTGRES
        # sqlalchemy 2.1 takes a plain postgresql:// for another driver than the one that dagster-postgres brings
        url = settings.postgres_url.get_secret_value().replace("postgres://", "postgresql://", 1)
        os.environ["MEMORY_PIPELINE_DAGSTER_POSTGRES_URL"] = url.replace("postgresql://", "postgresql+psycopg2://", 1)
    target = home / "dagster.yaml"
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")
    os.environ["DAGSTER_HOME"] = str(home)
    os.environ["MEMORY_PIPELINE_HOME"] = settings.home
    return home


@contextmanager
def instance(settings: Settings) -> Iterator[dg.DagsterInstance]:
    """The Dagster instance of the settings' home, closed at the end."""
    prepare_home(settings)
    with dg.DagsterInstance.get() as found:
        yield found
