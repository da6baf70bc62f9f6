"""The policy table: every figure is checked, and what is wrong is named."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from memory_pipeline.domain.policy import Handling, Policy, SensitiveClass, build
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.errors import SettingsError
from memory_pipeline.settings import Settings, shipped


def _load(tmp_path: Path, text: str) -> Settings:
    own = tmp_path / "policy.toml"
    own.write_text(text)
    return Settings.load(policy=own)


def test_one_figure_can_be_overridden(tmp_path: Path) -> None:
    own = _load(tmp_path, '[gate.sensitive]\nemail = "mask"\n').policies
    assert own.gate.sensitive[SensitiveClass.EMAIL] is Handling.MASK
    assert own.gate.sensitive[SensitiveClass.CARD] is Handling.REJECT


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[gate.sensitive]\nemail = "hide"\n', "hide"),
        ('[gate.sensitive]\nhoroscope = "mask"\n', "horoscope"),
        ("[gate]\nmin_known_names = true\n", "min_known_names"),
        ("[gate.quality]\nlength = 'long'\n", "gate.quality.length"),
        ("[gate]\nstrictness = 11\n", "strictness"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        _ = _load(tmp_path, text).policies


def test_the_version_of_a_part_changes_with_that_part_alone(tmp_path: Path) -> None:
    shipped, own = Settings.load().policies, _load(tmp_path, '[gate.sensitive]\nemail = "mask"\n').policies
    assert own.version("gate.sensitive") != shipped.version("gate.sensitive")
    assert own.version("gate") != shipped.version("gate")
    assert own.version("gate.quality", "summary") == shipped.version("gate.quality", "summary")


@pytest.mark.parametrize("kind", MemoryType)
def test_every_type_of_memory_has_its_rules_of_time(kind: MemoryType) -> None:
    table = tomllib.loads((shipped("policy.toml")).read_text(encoding="utf-8"))
    del table["lifecycle"][str(kind)]
    with pytest.raises(ValueError, match=f"policy.lifecycle.{kind} is missing"):
        build(Policy, table)
