"""Keys: hashed, bound, rotated, revoked, expired."""

from __future__ import annotations

import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memory_pipeline.cli import app
from memory_pipeline.errors import NotFound, SettingsError
from memory_pipeline.serving.keys import Grant, Keys, Right
from memory_pipeline.serving.run import refusal
from memory_pipeline.settings import Settings

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
READ = (Right.READ,)


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(Settings.load(home=str(tmp_path)))


def test_only_a_hash_is_kept(keys: Keys, tmp_path: Path) -> None:
    made, text = keys.create(("acme", "ann"), READ, NOW)
    file = tmp_path / "keys.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert text.startswith(f"mp_{made.key_id}_")
    assert text.removeprefix(f"mp_{made.key_id}_") not in file.read_text()
    assert keys.find(text, NOW) == made
    for wrong in (text + "x", text[:-1], text.replace("mp_", "mq_"), "", "mp_", f"mp_{made.key_id}_", "mp_none_x", "é"):
        assert keys.find(wrong, NOW) is None


def test_a_key_expires_and_is_revoked(keys: Keys) -> None:
    made, text = keys.create(("acme", None), READ, NOW, lifetime=timedelta(hours=1))
    assert keys.find(text, NOW + timedelta(minutes=59)) is not None
    assert keys.find(text, NOW + timedelta(hours=1)) is None
    _, other = keys.create(("acme", None), READ, NOW)
    keys.revoke(made.key_id)
    assert keys.find(text, NOW) is None and keys.find(other, NOW) is not None
    with pytest.raises(NotFound) as unknown:
        keys.revoke(made.key_id)
    assert unknown.value.key_id == made.key_id


def test_both_hold_while_a_key_is_rotated(keys: Keys) -> None:
    old, before = keys.create(("acme", "ann"), READ, NOW, lifetime=timedelta(days=90))
    later = NOW + timedelta(days=80)
    new, after = keys.rotate(old.key_id, later, timedelta(hours=24))
    assert (new.tenant_id, new.user_id, new.scopes) == ("acme", "ann", READ)
    assert new.expires_at == later + timedelta(days=90)
    assert keys.find(before, later + timedelta(hours=23)) and keys.find(after, later + timedelta(hours=23))
    assert keys.find(before, later + timedelta(hours=24)) is None
    _, soon = keys.create(("acme", None), READ, NOW, lifetime=timedelta(hours=1))
    keys.rotate(soon.split("_")[1], NOW, timedelta(hours=24))
    assert keys.find(soon, NOW + timedelta(hours=1)) is None, "rotation lengthens no key's life"


def test_what_another_process_changes_counts_at_once(keys: Keys, tmp_path: Path) -> None:
    assert not keys
    other = Keys(Settings.load(home=str(tmp_path)))
    made, text = other.create(("acme", None), READ, NOW)
    assert keys.find(text, NOW) is not None
    other.revoke(made.key_id)
    assert keys.find(text, NOW) is None


def test_a_grant_reaches_its_own_tenant_and_user() -> None:
    bound = Grant("k", "acme", "ann", frozenset(READ))
    assert (bound.tenant(None), bound.tenant("acme"), bound.tenant("other")) == ("acme", "acme", None)
    assert (bound.user(None), bound.user("ann"), bound.user("bob")) == ("ann", "ann", None)
    wide = Grant("k", "acme", None, frozenset(READ))
    assert (wide.user("bob"), wide.user(None)) == ("bob", None)


def test_a_damaged_file_opens_nothing(keys: Keys, tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text("{")
    with pytest.raises(SettingsError, match="no file of keys"):
        bool(keys)
    with pytest.raises(SettingsError, match="at least one scope"):
        Keys(Settings.load(home=str(tmp_path / "other"))).create(("acme", None), (), NOW)


def test_without_keys_it_serves_its_own_machine_alone(tmp_path: Path) -> None:
    settings = Settings.load(home=str(tmp_path))
    assert refusal(settings, "127.0.0.1") is None and refusal(settings, "::1") is None
    assert "keys create" in (refusal(settings, "0.0.0.0") or "")
    assert refusal(settings, "192.168.1.4") and refusal(settings, "example.org")
    Keys(settings).create(("acme", None), READ, NOW)
    assert refusal(settings, "0.0.0.0") is None


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_KEYS_FILE", str(tmp_path / "secrets" / "keys.json"))
    run = CliRunner().invoke
    made = json.loads(run(app, ["keys", "create", "--tenant", "acme", "--expires", "90d", "--json"]).stdout)
    assert made["scopes"] == ["read", "write"] and made["key"].startswith("mp_")
    assert "acme" in run(app, ["keys", "list"]).stdout
    rotated = json.loads(run(app, ["keys", "rotate", made["key_id"], "--json"]).stdout)
    assert rotated["key_id"] != made["key_id"]
    assert run(app, ["keys", "revoke", made["key_id"]]).exit_code == 0
    (left,) = json.loads(run(app, ["keys", "list", "--json"]).stdout)
    assert left["key_id"] == rotated["key_id"] and "sha256" not in left and "key" not in left
    assert run(app, ["keys", "create", "--scope", "everything"]).exit_code == 2
    assert run(app, ["keys", "create", "--expires", "soon"]).exit_code == 2
