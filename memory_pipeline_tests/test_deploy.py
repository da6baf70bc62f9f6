"""The files of deploy/ name programs, settings and files that exist, hold no secret, and ask for no privilege."""

from __future__ import annotations

import configparser
import re
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from memory_pipeline.cli import app
from memory_pipeline.settings import Settings

REPOSITORY = Path(__file__).parents[1]
DEPLOY = REPOSITORY / "deploy"
KNOWN = {f"MEMORY_PIPELINE_{name.upper()}" for name in Settings.model_fields}
ENTRY = ["python", "-m", "memory_pipeline.orchestration.environment"]


def parsed(name: str) -> Any:
    return yaml.safe_load((DEPLOY / name).read_text(encoding="utf-8"))


COMPOSE = parsed("compose.yaml")
OURS = {name: service for name, service in COMPOSE["services"].items() if name != "postgres"}
POD = parsed("kubernetes/statefulset.yaml")["spec"]["template"]["spec"]
CONTAINERS = [*POD["initContainers"], *POD["containers"]]
UNIT = configparser.ConfigParser(strict=False, interpolation=None)
UNIT.optionxform = str  # type: ignore[assignment,method-assign]
UNIT.read_string((DEPLOY / "systemd" / "memory-pipeline.service").read_text(encoding="utf-8"))
FILES = sorted(path for path in DEPLOY.rglob("*") if path.is_file() and "secrets" not in path.parts)


def commands() -> list[list[str]]:
    """Of every file, each once."""
    image = next(line for line in (DEPLOY / "Dockerfile").read_text().splitlines() if line.startswith("CMD "))
    named = [
        yaml.safe_load(image.removeprefix("CMD ")),
        *(service["command"].split() for service in OURS.values()),
        *([*map(str, c["command"]), *map(str, c.get("args", []))] for c in CONTAINERS),
        ["memory-pipeline", *UNIT["Service"]["ExecStart"].split()[1:]],
    ]
    return [list(command) for command in dict.fromkeys(map(tuple, named))]


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_a_command_exists(command: list[str]) -> None:
    started = command[len(ENTRY) :] if command[: len(ENTRY)] == ENTRY else command
    if started[0] == "memory-pipeline":
        found = get_command(app).commands[started[1]]  # type: ignore[attr-defined]
        known = {name for option in found.params for name in option.opts}
        assert {word for word in started if word.startswith("--")} <= known
    else:
        assert started[0] in entry_points(group="console_scripts").names
        assert command != started, "Dagster's programs get their storage from the settings"


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.relative_to(DEPLOY).as_posix())
def test_a_file_names_known_settings_and_holds_no_secret(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert set(re.findall(r"MEMORY_PIPELINE_[A-Z_]+", text)) <= KNOWN
    for name, value in re.findall(r"([A-Z_]*(?:PASSWORD|KEY|URL|WEBHOOK)[A-Z_]*)[=:] *(\S+)", text):
        assert name.endswith("_FILE") or value.startswith("${"), f"{name} stands in the file"
    assert not re.search(r"://[^\s/]*:[^\s/]*@", text), "a URL with a password"


def test_the_composition_is_whole() -> None:
    volumes = set(COMPOSE["volumes"])
    assert set(OURS) == {"server", "code-location", "webserver", "daemon"}
    for name, service in COMPOSE["services"].items():
        assert service["healthcheck"]["test"] and service["restart"], name
        assert {volume.partition(":")[0] for volume in service["volumes"]} <= volumes
        assert set(service.get("depends_on", {})) <= set(COMPOSE["services"])
        assert set(service["secrets"]) <= set(COMPOSE["secrets"])
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), "nothing is open to the network"
    for service in OURS.values():
        assert service["read_only"] and service["cap_drop"] == ["ALL"] and service["tmpfs"] == ["/tmp"]
        named = {v for k, v in service["environment"].items() if k.endswith("_FILE")}
        assert named == {f"/run/secrets/{secret}" for secret in service["secrets"]}
    hosted = parsed("compose.hosted.yaml")
    assert set(hosted["services"]) == set(OURS)
    for service in hosted["services"].values():
        assert set(service["secrets"]) <= set(COMPOSE["secrets"]) | set(hosted["secrets"])


def test_the_image_runs_as_nobody_in_particular() -> None:
    lines = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").splitlines()
    stages = [n for n, line in enumerate(lines) if line.startswith("FROM ")]
    assert len(stages) == 2
    last = lines[stages[-1] :]
    (user,) = [line.split()[1] for line in last if line.startswith("USER ")]
    assert all(int(part) >= 1000 for part in user.split(":"))
    assert int(user.split(":")[0]) == POD["securityContext"]["runAsUser"] == POD["securityContext"]["fsGroup"]
    allowed = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    for line in lines:
        if line.startswith("COPY ") and "--from" not in line:
            for copied in line.split()[1:-1]:
                assert (REPOSITORY / copied).exists(), copied
                assert f"!{copied}" in allowed, copied


def test_the_pod_is_confined_and_shares_one_home() -> None:
    assert POD["securityContext"]["runAsNonRoot"] and not POD["automountServiceAccountToken"]
    assert POD["enableServiceLinks"] is False, "its variables would be named like settings"
    assert parsed("kubernetes/statefulset.yaml")["spec"]["replicas"] == 1
    assert {c["name"] for c in CONTAINERS} == set(OURS)
    mounted = {m["name"] for m in CONTAINERS[0]["volumeMounts"]}
    claimed = {c["metadata"]["name"] for c in parsed("kubernetes/statefulset.yaml")["spec"]["volumeClaimTemplates"]}
    assert mounted == claimed | {volume["name"] for volume in POD["volumes"]}
    for container in CONTAINERS:
        confined = container["securityContext"]
        assert confined["readOnlyRootFilesystem"] and not confined["allowPrivilegeEscalation"]
        assert confined["capabilities"] == {"drop": ["ALL"]}
        assert container["volumeMounts"] == CONTAINERS[0]["volumeMounts"]
        assert {"startupProbe", "livenessProbe", "readinessProbe"} & set(container), container["name"]
        assert container["resources"]["limits"]["memory"]
    (config,) = parsed("kubernetes/kustomization.yaml")["configMapGenerator"]
    set_there = dict(literal.split("=", 1) for literal in config["literals"])
    secrets = next(m["mountPath"] for m in CONTAINERS[0]["volumeMounts"] if m["name"] == "secrets")
    assert set_there["MEMORY_PIPELINE_POSTGRES_URL_FILE"].startswith(f"{secrets}/")
    ports = {port["name"] for container in CONTAINERS for port in container.get("ports", [])}
    assert {p["targetPort"] for p in parsed("kubernetes/services.yaml")["spec"]["ports"]} <= ports


def test_the_unit_is_confined() -> None:
    service = UNIT["Service"]
    assert (service["DynamicUser"], service["ProtectSystem"], service["NoNewPrivileges"]) == ("yes", "strict", "yes")
    assert service["Environment"] == f"MEMORY_PIPELINE_HOME=/var/lib/{service['StateDirectory']}"


def test_the_workspace_names_the_code_location() -> None:
    (entry,) = parsed("workspace.yaml")["load_from"]
    server = entry["grpc_server"]
    command = OURS["code-location"]["command"]
    assert f"--port {server['port']}" in command and server["location_name"] in command
    assert server["host"] == {"env": "CODE_LOCATION_HOST"}
    assert OURS["webserver"]["environment"]["CODE_LOCATION_HOST"] == "code-location"
