"""Postgres as Dagster's storage: which database the settings mean, and whether it can be reached."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memory_pipeline.errors import SettingsError
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection

VARIABLE = "MEMORY_PIPELINE_POSTGRES_URL"
_DRIVER = "postgresql+psycopg2"
_ACCEPTED = frozenset({"postgres", "postgresql", _DRIVER})
_PATIENCE_S = 10


def database(settings: Settings) -> URL | None:
    """The database of ``POSTGRES_URL`` with the driver that dagster-postgres brings; None where none is set.

    Printed, it shows no password.

    Raises:
        SettingsError: it is not the URL of a Postgres database.
    """
    if settings.postgres_url is None:
        return None
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    hint = f"{VARIABLE}: write it as postgresql://user:password@host:5432/database"
    try:
        url = make_url(settings.postgres_url.get_secret_value())
    except (ArgumentError, ValueError):
        raise SettingsError(hint, setting=VARIABLE) from None  # what sqlalchemy says of it quotes the password
    if url.drivername not in _ACCEPTED:
        raise SettingsError(f"{hint}; {url.drivername!r} is no driver that Dagster can use here", setting=VARIABLE)
    if not url.database:
        raise SettingsError(f"{hint}; it names no database", setting=VARIABLE)
    return url.set(drivername=_DRIVER)


def secret(url: URL) -> str:
    """The URL with its password, for Dagster alone."""
    return url.render_as_string(hide_password=False)


def location(url: URL) -> str:
    """Where the database is, without who asks: host, port and name."""
    return f"{url.host or 'the local socket'}{f':{url.port}' if url.port else ''}/{url.database}"


def require(url: URL) -> None:
    """See that the database answers.

    Raises:
        SettingsError: it does not; in one line, without the password.
    """
    with _connected(url):
        pass


def runs_in(url: URL) -> int:
    """How many runs Dagster knows there; 0 where it has not been yet.

    Raises:
        SettingsError: see :func:`require`.
    """
    from sqlalchemy import inspect, text

    with _connected(url) as connection:
        if not inspect(connection).has_table("runs"):
            return 0
        return int(connection.execute(text("SELECT count(*) FROM runs")).scalar_one())


@contextmanager
def _connected(url: URL) -> Iterator[Connection]:
    from sqlalchemy import create_engine
    from sqlalchemy.exc import SQLAlchemyError
    from sqlalchemy.pool import NullPool

    engine = create_engine(
        url.update_query_dict({"connect_timeout": str(_PATIENCE_S), **url.query}), poolclass=NullPool
    )
    try:
        with engine.connect() as connection:
            yield connection
    except SQLAlchemyError as error:
        said = str(getattr(error, "orig", error)).strip()
        line = next(iter(said.splitlines()), type(error).__name__).rstrip(": ")
        if url.password:
            line = line.replace(str(url.password), "***")
        sentence = f"Postgres at {location(url)} cannot be used ({VARIABLE}): {line}"
        raise SettingsError(sentence, setting=VARIABLE) from None
    finally:
        engine.dispose()
