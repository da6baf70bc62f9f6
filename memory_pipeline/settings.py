"""Every setting, and the environment variable it comes from (prefix ``MEMORY_PIPELINE_``)."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import date
from difflib import get_close_matches
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from memory_pipeline.domain.calendar import zone
from memory_pipeline.domain.policy import Policy, build
from memory_pipeline.errors import SettingsError

_PACKAGE = Path(__file__).parent
_TO_CHILDREN = "FIRST_PARTITION"  # what a process of Dagster hands to those that it starts
_OF_SERVICES = re.compile(r"_(?:SERVICE_(?:HOST|PORT\w*)|PORT(?:_\d+_(?:TCP|UDP)\w*)?|NAME|ENV_\w+)$")


class Settings(BaseSettings):
    """What a process needs to know. Read once from the environment, or given as keyword arguments.

    Raises:
        SettingsError: through :meth:`load`, with the name of the variable that is wrong.
    """

    model_config = SettingsConfigDict(env_prefix="MEMORY_PIPELINE_", frozen=True, extra="forbid", env_ignore_empty=True)

    home: str = Field("./data", description="Path or object-storage URI that holds everything.")
    chat: Literal["builtin", "openai"] = Field("builtin", description="Who extracts, judges and summarises.")
    chat_model: str = Field("gpt-4o-mini", description="Model name for CHAT=openai.")
    chat_timeout_s: float = Field(
        60.0, gt=0, description="Limit of one model call, for each 1,000 tokens that its reply may have."
    )
    chat_options: Annotated[dict[str, Any], NoDecode] = Field(
        default_factory=dict, description="JSON object: parameters that are passed to the server; null leaves one out."
    )
    chat_retries: int = Field(4, ge=0, le=20, description="Further tries after a failed model call.")
    chat_concurrency: int = Field(8, ge=1, le=256, description="Model calls under way at once.")
    chat_input_usd: float = Field(0.15, ge=0, description="USD for a million prompt tokens.")
    chat_cached_usd: float = Field(0.075, ge=0, description="USD for a million prompt tokens cached there.")
    chat_output_usd: float = Field(0.60, ge=0, description="USD for a million completion tokens.")
    chat_batch: bool = Field(False, description="Stages ask through the Batch API: cheaper, up to a day's wait.")
    chat_batch_window: str = Field("24h", description="Time that the provider may take for a batch.")
    chat_batch_price: float = Field(0.5, ge=0, le=1, description="Price of a batched call, as a share of a live one.")
    chat_batch_poll_s: float = Field(15.0, gt=0, description="First pause between two looks at a batch; it grows.")
    chat_batch_tokens: int | None = Field(
        None, ge=1, description="Most prompt tokens enqueued at once; then batches go one after another."
    )
    encoder: Literal["builtin", "openai"] = Field("builtin", description="Who makes the vectors.")
    encoder_model: str = Field("text-embedding-3-small", description="Model name for ENCODER=openai.")
    encoder_dimensions: int = Field(1536, ge=8, le=8192, description="Vector length for ENCODER=openai.")
    encoder_fixed: bool = Field(
        False, description="Use ENCODER's vectors, whatever the home was switched to: for readers of the older ones."
    )
    encoder_usd: float = Field(0.02, ge=0, description="USD for a million tokens encoded.")
    engine: Literal["local", "ray"] = Field(
        "local", description="Where runs work on users: this process, or the Ray cluster that RAY_ADDRESS names."
    )
    engine_workers: int | None = Field(
        None, ge=1, description="Tasks at once with ENGINE=ray; unset, as many as the cluster has processors."
    )
    timezone: str = Field("UTC", description="Zone of users whose messages name none.")
    start_date: date = Field(date(2020, 1, 1), description="First partition day; unset, that of the first message.")
    budget_usd_per_day: float | None = Field(
        None, ge=0, description="USD a day (UTC) for hosted models: calls stop when it is spent; 0 allows none."
    )
    postgres_url_file: Path | None = Field(None, description="File that holds POSTGRES_URL, where that is not set.")
    postgres_url: SecretStr | None = Field(
        None, validate_default=True, description="Dagster's storage instead of SQLite."
    )
    alert_webhook_file: Path | None = Field(None, description="File that holds ALERT_WEBHOOK, likewise.")
    alert_webhook: SecretStr | None = Field(
        None, validate_default=True, description="URL to which alerts are posted as JSON."
    )
    telemetry_ids: Literal["hashed", "plain", "none"] = Field(
        "hashed", description="How OpenTelemetry spans of reads name tenant and user."
    )
    telemetry_key_file: Path | None = Field(None, description="File that holds TELEMETRY_KEY, likewise.")
    telemetry_key: SecretStr | None = Field(
        None, validate_default=True, description="Key of these hashes; without one, ids can be guessed."
    )
    sql_timeout_s: float = Field(60.0, gt=0, description="Seconds that one query of `sql` may take.")
    sql_memory_mb: int = Field(1024, ge=64, description="Megabytes that one query of `sql` and its result may take.")
    url: str | None = Field(None, description="The server that `Memory.connect` and `mcp` ask, unless one is named.")
    key: SecretStr | None = Field(None, description="The key that they show there.")
    keys_file: Path | None = Field(None, description="The server's keys; keys.json in the home when unset.")
    panel_url: str | None = Field(None, description="Address of the server: Dagster's pages link to its panel.")
    dagster_url: str | None = Field(None, description="Address of Dagster: the panel's page of runs links there.")
    policy: Path | None = Field(None, description="TOML file that overrides figures of policy.toml.")
    prompts: Path | None = Field(None, description="Folder of templates that replace the shipped ones.")

    @field_validator("chat_options", mode="before")
    @classmethod
    def _json_object(cls, value: Any) -> Any:
        try:
            made = json.loads(value) if isinstance(value, str) else value
        except ValueError as error:
            raise ValueError(f"it is no JSON: {error}") from error
        if not isinstance(made, dict):
            raise ValueError('it is no JSON object such as {"reasoning_effort": "low"}')
        return made

    @field_validator("postgres_url", "alert_webhook", "telemetry_key", mode="before")
    @classmethod
    def _from_file(cls, value: Any, info: ValidationInfo) -> Any:
        file = info.data.get(f"{info.field_name}_file")
        return secret_in(file) if value is None and file is not None else value

    @field_validator("home")
    @classmethod
    def _plain_uri(cls, value: str) -> str:
        if "://" in value and "?" in value:
            raise ValueError(
                "leave out what follows the question mark: object stores take their settings from the environment, "
                "such as AWS_ENDPOINT_URL, AWS_REGION and AWS_ALLOW_HTTP=true"
            )
        return value

    @field_validator("panel_url", "dagster_url")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is not None and not re.match(r"https?://[^\s/]", value):
            raise ValueError("it is no address such as https://memory.example.com")
        return None if value is None else value.rstrip("/")

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        zone(value)
        return value

    @classmethod
    def load(cls, **given: Any) -> Settings:
        """Settings from the environment and from keyword arguments, which win.

        Raises:
            SettingsError: naming each wrong setting.
        """
        try:
            return cls(**{k: v for k, v in given.items() if v is not None})
        except ValidationError as error:
            wrong = "; ".join(
                f"MEMORY_PIPELINE_{'_'.join(str(p) for p in e['loc']).upper()}: {e['msg']}"
                for e in error.errors(include_input=False)
            )
            first = "_".join(str(part) for part in error.errors()[0]["loc"]).upper()
            raise SettingsError(wrong, setting=f"MEMORY_PIPELINE_{first}") from error

    @property
    def remote(self) -> bool:
        """Whether the home is an object-storage URI."""
        return "://" in self.home and not self.home.startswith("file://")

    def path(self, *parts: str) -> str:
        """A place under the home, as a path or a URI."""
        if self.remote:
            return "/".join([self.home.rstrip("/"), *parts])
        return str(Path(self.home.removeprefix("file://")).expanduser().absolute().joinpath(*parts))

    def promoted(self, name: str) -> Path | None:
        """A file or folder that ``memory-pipeline promote`` has put into the home; None where there is none."""
        if self.remote:
            return None
        place = Path(self.path(name))
        # It may be put back or replaced between the first look and the second.
        return next((there for there in (place, set_aside(place), place) if there.exists()), None)

    @property
    def policy_file(self) -> Path | None:
        """The file in force that overrides figures of the policy: the one that is set, else the home's own."""
        return self.policy or self.promoted("policy.toml")

    @property
    def prompts_folder(self) -> Path | None:
        """The folder in force of templates of one's own: the one that is set, else the home's own."""
        return self.prompts or self.promoted("prompts")

    @cached_property
    def policies(self) -> Policy:
        """The policy table with the user's overrides.

        Raises:
            SettingsError: the override file is missing or has an unknown or malformed figure.
        """
        file = self.policy_file
        try:
            return _policy((_PACKAGE / "policy.toml").read_text(encoding="utf-8"), file and file.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise SettingsError(
                f"policy{f' ({file})' if file else ''}: {error}",
                setting="MEMORY_PIPELINE_POLICY",
                path=None if file is None else str(file),
            ) from error


@lru_cache(maxsize=16)  # a process has settings in many places, and they say the same
def _policy(table: str, over: str | None) -> Policy:
    """The policy of a table in TOML, and of another one whose figures go before it."""
    policy: Policy = build(Policy, _merged(tomllib.loads(table), tomllib.loads(over or "")))
    return policy


def secret_in(file: Path) -> str:
    """The secret that a file holds, without the line end after it.

    Raises:
        ValueError: the file cannot be read, or is empty; the message names it, and nothing of what it holds.
    """
    try:
        found = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{file} cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}") from None
    if not found:
        raise ValueError(f"{file} is empty")
    return found


def unknown_variables(environment: Iterable[str]) -> list[tuple[str, str | None]]:
    """Variables that are named like settings and are none, each with the setting that is named most alike, if any is.

    What Kubernetes and Docker put beside a service that is called ``memory-pipeline`` is none of them.
    """
    prefix = str(Settings.model_config["env_prefix"])
    known = [*(name.upper() for name in Settings.model_fields), _TO_CHILDREN]
    given = (n.removeprefix(prefix) for n in environment if n.startswith(prefix) and not _OF_SERVICES.search(n))
    near = {name: get_close_matches(name, known, n=1) for name in sorted(given) if name not in known}
    return [(prefix + name, prefix + found[0] if found else None) for name, found in near.items()]


def set_aside(place: Path) -> Path:
    """Where a folder in force lies while another one takes its place; it is in force as long as none is there."""
    return place.with_name(f".{place.name}-before")


def shipped(name: str) -> Path:
    """A file or folder that ships with the package: beside it in a checkout, inside it in a wheel."""
    inside = _PACKAGE / Path(name).name
    return inside if inside.exists() else _PACKAGE.parent / name


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged
