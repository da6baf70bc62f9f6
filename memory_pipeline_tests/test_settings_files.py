"""Secrets that stand in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_pipeline.errors import SettingsError
from memory_pipeline.settings import Settings

SECRETS = ("postgres_url", "alert_webhook", "telemetry_key")


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_may_stand_in_a_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "secret"
    file.write_text("hush\n")
    monkeypatch.setenv(f"MEMORY_PIPELINE_{name.upper()}_FILE", str(file))
    monkeypatch.setenv(f"MEMORY_PIPELINE_{name.upper()}", "")
    assert getattr(Settings.load(), name).get_secret_value() == "hush"
    assert "hush" not in repr(Settings.load())
    monkeypatch.setenv(f"MEMORY_PIPELINE_{name.upper()}", "said outright")
    assert getattr(Settings.load(), name).get_secret_value() == "said outright"


@pytest.mark.parametrize(("content", "reason"), [(None, "No such file"), (b"", "is empty"), (b"\xff\xfe", "no text")])
def test_a_file_that_holds_no_secret_is_named(
    content: bytes | None, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setenv("MEMORY_PIPELINE_TELEMETRY_KEY_FILE", str(file))
    with pytest.raises(SettingsError, match=rf"MEMORY_PIPELINE_TELEMETRY_KEY: .*{file}.*{reason}") as wrong:
        Settings.load()
    assert wrong.value.setting == "MEMORY_PIPELINE_TELEMETRY_KEY"
