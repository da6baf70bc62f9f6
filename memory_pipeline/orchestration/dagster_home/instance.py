"""Dagster's home: under the pipeline's own, with the settings file of the repository; its storage in Postgres where
the settings name one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

import dagster as dg
from dagster._core.instance.ref import InstanceRef

from memory_pipeline.errors import SettingsError
from memory_pipeline.orchestration.dagster_home.postgres import VARIABLE, database, require, secret
from memory_pipeline.orchestration.processes.liveness import end_dead_runs
from memory_pipeline.settings import Settings, shipped
from memory_pipeline.stages.publication.one_writer import alone

_OPENING = "dagster"
_EVENTS_AT_ONCE = 500  # of what is planned and made of many partitions; Dagster stores them one by one otherwise
# A file of Dagster's has no conditions.
_SQLITE = """
storage:
  custom:
    module: memory_pipeline.orchestration.kept_sqlite
    class: KeptSqliteStorage
    config:
      base_dir: {home}
"""
# A command writes to its own terminal. Dagster would put a file in the way and four processes for each run that copy it
# back, which a Ctrl-C reaches as well: they told of it with tracebacks, and the command could not tell of it any more.
_UNMIRRORED = {
    "compute_logs": {"module": "dagster._core.storage.noop_compute_log_manager", "class": "NoOpComputeLogManager"}
}
_POSTGRES = f"""
storage:
  postgres:
    postgres_url:
      env: {VARIABLE}
"""


def prepare_home(settings: Settings) -> Path:
    """Make DAGSTER_HOME ready and name it in the environment; Postgres when ``POSTGRES_URL`` is set.

    A home on object storage leaves Dagster's own files to the local folder that DAGSTER_HOME names; the settings file
    that is there stays as it is.

    Raises:
        SettingsError: there is no local folder for Dagster's files, or Postgres cannot be used.
    """
    url = database(settings)
    if url is not None:
        require(url)
        os.environ[VARIABLE] = secret(url)
    home = folder(settings)
    home.mkdir(parents=True, exist_ok=True)
    text = shipped("dagster.yaml").read_text(encoding="utf-8") + (
        _POSTGRES if url is not None else _SQLITE.format(home=json.dumps(str(home)))
    )
    target = home / "dagster.yaml"
    if not target.exists() or (not settings.remote and target.read_text(encoding="utf-8") != text):
        _write(target, text)
    os.environ["DAGSTER_HOME"] = str(home)
    os.environ.setdefault("DAGSTER_EVENT_BATCH_SIZE", str(_EVENTS_AT_ONCE))
    os.environ["MEMORY_PIPELINE_HOME"] = settings.home
    return home


def _write(target: Path, text: str) -> None:
    """Put the file in its place as a whole: the programs of a deployment start together, and share the home."""
    with NamedTemporaryFile("w", encoding="utf-8", dir=target.parent, prefix=".dagster-", delete=False) as made:
        made.write(text)
    os.chmod(made.name, 0o644)
    os.replace(made.name, target)


def folder(settings: Settings) -> Path:
    """Where Dagster keeps its own files."""
    if not settings.remote:
        return Path(settings.path("dagster"))
    if not (given := os.environ.get("DAGSTER_HOME")):
        sentence = "Dagster keeps its own files locally: set DAGSTER_HOME to a local folder"
        raise SettingsError(sentence, setting="DAGSTER_HOME")
    return Path(given).expanduser().absolute()


@contextmanager
def instance(settings: Settings) -> Iterator[dg.DagsterInstance]:
    """The Dagster instance of the settings' home, closed at the end. What died in it earlier is put in order first.

    Raises:
        SettingsError: see :func:`prepare_home`.
    """
    home = prepare_home(settings)
    with alone(settings, _OPENING):  # two that open a new home at once would both make its tables
        found = dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(home), overrides=_UNMIRRORED))
    with found:
        end_dead_runs(found, settings)
        yield found
