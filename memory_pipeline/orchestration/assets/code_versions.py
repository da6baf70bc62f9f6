"""Code versions of the assets: Dagster marks an asset stale when its prompts, model, policy or encoder change."""

from __future__ import annotations

from functools import cache

from memory_pipeline.evaluation.shadow.candidate import digest_of
from memory_pipeline.inference.prompts import Prompts
from memory_pipeline.settings import Settings
from memory_pipeline.stages.plan.freshness import code_version
from memory_pipeline.stages.plan.registry import BY_NAME


@cache
def _surroundings() -> tuple[Settings, Prompts]:
    settings = Settings.load()
    return settings, Prompts.open(settings)


def version_of(stage: str) -> str:
    """The code version of the asset that runs a stage, under the settings of this process."""
    return code_version(*_surroundings(), BY_NAME[stage])


def version_in_force() -> str:
    """The code version of what depends on everything: the whole policy, every prompt, both models."""
    settings, _ = _surroundings()
    return digest_of(settings)
