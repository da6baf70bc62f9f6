"""A candidate: what would be in force if it were promoted, and how far that reaches into what is stored."""

from __future__ import annotations

import json
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.policy import Policy
from memory_pipeline.errors import EvaluationError
from memory_pipeline.inference.models import chat_name, encoder_name, in_force
from memory_pipeline.inference.prompts import Prompts
from memory_pipeline.inference.replies import TASKS
from memory_pipeline.settings import Settings
from memory_pipeline.stages.plan.freshness import code_version
from memory_pipeline.stages.plan.registry import STAGES


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be tried, as it is asked for; what is left out stays as it is.

    Attributes:
        policy: TOML file in place of the one in force; figures that it does not name are the shipped ones.
        profile: whose figures the profile ``default`` is to have.
        prompts: folder of templates in place of the one in force.
        models: settings of the chat model or the encoder, by name.
    """

    policy: Path | None = None
    profile: str | None = None
    prompts: Path | None = None
    models: Mapping[str, Any] = field(default_factory=dict)

    def told(self) -> str:
        """In words."""
        said = [f"{name} {value}" for name, value in self.models.items()]
        if self.prompts:
            said.insert(0, f"prompts {self.prompts.name}")
        if self.profile:
            said.insert(0, f"profile {self.profile} as default")
        if self.policy:
            said.insert(0, f"policy {self.policy.name}")
        return ", ".join(said) or "what is in force"


class Reaching(StrEnum):
    """What must be made for a candidate before its reads can be compared.

    ``reads``: nothing, it only reads otherwise. ``vectors``: an index of its own. ``memories``: everything that follows
    from the transcripts.
    """

    READS = "reads"
    VECTORS = "vectors"
    MEMORIES = "memories"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change, resolved.

    Attributes:
        base, settings: what is in force, and what would be.
        base_digest, digest: of policy, prompts and models of each, by their content.
        policy_text: what the home's policy file would hold; None where the change does not touch it.
    """

    change: Change
    base: Settings
    settings: Settings
    base_digest: str
    digest: str
    policy_text: str | None

    @property
    def changed_stages(self) -> tuple[str, ...]:
        """The stages whose output may change."""
        old, new = Prompts.open(self.base), Prompts.open(self.settings)
        return tuple(s.name for s in STAGES if code_version(self.base, old, s) != code_version(self.settings, new, s))

    @property
    def reaching(self) -> Reaching:
        """What must be made before its reads can be compared."""
        changed = set(self.changed_stages)
        if not changed:
            return Reaching.READS
        encoder = {name for name in self.change.models if name.startswith("encoder")}
        only_vectors = self.policy_text is None and self.change.prompts is None and encoder == set(self.change.models)
        return Reaching.VECTORS if only_vectors or changed == {"message_vectors"} else Reaching.MEMORIES


def digest_of(settings: Settings) -> str:
    """Digest of the policy, the prompts and the models of some settings: the same content, the same digest."""
    prompts = Prompts.open(settings)
    policy = settings.policies.version(*(f.name for f in fields(Policy)))
    hashes = [prompts.prompt_hash(task.name) for task in TASKS]
    return digest(policy, *hashes, chat_name(settings), encoder_name(settings))[:24]


def with_values(settings: Settings, **values: Any) -> Settings:
    """Settings with some values changed; policy, prompts and encoder in force stay, also in another home."""
    served = in_force(settings)
    kept = {name: getattr(served, name) for name in Settings.model_fields}
    named = any(name.startswith("encoder") for name in values)
    kept["encoder_fixed"] = settings.encoder_fixed or named  # a candidate's own encoder is not the one in force
    kept |= {"policy": settings.policy_file, "prompts": settings.prompts_folder}
    return Settings.load(**{**kept, **values})


@contextmanager
def opened(base: Settings, change: Change) -> Iterator[Candidate]:
    """A candidate, for as long as its files are needed.

    Raises:
        SettingsError: its policy, prompts or models cannot be used.
        EvaluationError: there is no profile of that name.
    """
    text = _policy_text(base, change)
    with tempfile.TemporaryDirectory() as folder:
        values: dict[str, Any] = dict(change.models)
        if text is not None:
            file = Path(folder, "policy.toml")
            file.write_text(text, encoding="utf-8")
            values["policy"] = file
        if change.prompts is not None:
            values["prompts"] = change.prompts
        settings = with_values(base, **values)
        yield Candidate(change, base, settings, digest_of(base), digest_of(settings), text)


def _policy_text(base: Settings, change: Change) -> str | None:
    if change.policy is None and change.profile is None:
        return None
    file = change.policy or base.policy_file
    try:
        text = "" if file is None else file.read_text(encoding="utf-8")
    except OSError as error:
        raise EvaluationError(f"the policy file cannot be read: {error}", path=str(file)) from error
    if change.profile is None:
        return text
    own = with_values(base, policy=file) if file else base
    if change.profile not in own.policies.profiles:
        known = ", ".join(sorted(own.policies.profiles))
        raise EvaluationError(f"there is no profile {change.profile!r}; there are {known}")
    profile = own.policies.profiles[change.profile]
    figures = {f.name: getattr(profile, f.name) for f in fields(profile)}
    # A weight that the default has and the profile has not would stay beside it otherwise.
    silenced = dict.fromkeys(own.policies.profiles["default"].weights, 0.0)
    figures["weights"] = silenced | dict(profile.weights)
    table = tomllib.loads(text)
    table.setdefault("profiles", {})["default"] = figures
    return _toml(table)


def _toml(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> str:
    """A table of the policy as TOML."""
    lines = [f"{json.dumps(k)} = {_scalar(v)}" for k, v in table.items() if not isinstance(v, Mapping)]
    head = ["[" + ".".join(json.dumps(part) for part in path) + "]"] if path and lines else []
    parts = ["\n".join([*head, *lines])] if lines else []
    parts += [_toml(v, (*path, k)) for k, v in table.items() if isinstance(v, Mapping)]
    return "\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def _scalar(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_scalar, value)) + "]"
    return json.dumps(value) if isinstance(value, (str, bool)) else repr(value)
