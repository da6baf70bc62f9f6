"""Putting a candidate in force: only after a passing shadow evaluation, and never without a way back (KN-28).

In force are ``policy.toml`` and ``prompts/`` in the home, where the environment names no others. What they replace is
kept under ``promoted/``, one numbered folder for each promotion.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from memory_pipeline.errors import PromotionError
from memory_pipeline.evaluation.history import newest
from memory_pipeline.evaluation.shadow.candidate import Candidate
from memory_pipeline.settings import Settings, set_aside
from memory_pipeline.storage.parquet.lake import Lake

_POLICY, _PROMPTS, _BEFORE = "policy.toml", "prompts", "promoted"


def promote(candidate: Candidate, now: datetime) -> list[Path]:
    """Put a candidate in force. Returns what was written in the home.

    Raises:
        PromotionError: it may not be: what it needs is said in the message.
    """
    _permitted(candidate)
    _passed(candidate, now)
    base = candidate.base
    home = Path(base.path())
    new: list[tuple[str, Path | str]] = []
    if candidate.policy_text is not None:
        new.append((_POLICY, candidate.policy_text))
    if candidate.change.prompts is not None:
        new.append((_PROMPTS, candidate.change.prompts))
    kept = _next(home)
    _keep(base, kept, [name for name, _ in new])
    for name, content in new:
        put(home / name, content)
    return [home / name for name, _ in new]


def undo(settings: Settings) -> list[Path]:
    """Put back what the last promotion replaced. Returns what was put back or taken away.

    Raises:
        PromotionError: nothing was promoted.
    """
    _local(settings)
    home = Path(settings.path())
    kept = _kept(home)
    if not kept:
        raise PromotionError(f"nothing was promoted in {home}: there is nothing to go back to")
    last = kept[-1]
    changed = []
    for name in (last / "names").read_text(encoding="utf-8").split():
        before = last / name
        if before.exists():
            put(home / name, before if before.is_dir() else before.read_text(encoding="utf-8"))
        else:
            remove(home / name)
        changed.append(home / name)
    shutil.rmtree(last)
    return changed


def _permitted(candidate: Candidate) -> None:
    base, change = candidate.base, candidate.change
    _local(base)
    if change.models:
        told = " ".join(f"MEMORY_PIPELINE_{name.upper()}={value}" for name, value in change.models.items())
        raise PromotionError(
            f"models are settings of the environment: set {told} to put them in force", candidate=change.told()
        )
    if change.policy is None and change.profile is None and change.prompts is None:
        raise PromotionError("name what to put in force: --policy, --profile or --prompts")
    for name, touched in (("policy", candidate.policy_text is not None), ("prompts", change.prompts is not None)):
        if touched and getattr(base, name) is not None:
            raise PromotionError(
                f"MEMORY_PIPELINE_{name.upper()} is set and would hide what is promoted into the home: unset it",
                candidate=change.told(),
                setting=f"MEMORY_PIPELINE_{name.upper()}",
            )


def _local(settings: Settings) -> None:
    if settings.remote:
        raise PromotionError(
            "a remote home has no files in force: put them where every process reads them, and set "
            "MEMORY_PIPELINE_POLICY and MEMORY_PIPELINE_PROMPTS"
        )


def _passed(candidate: Candidate, now: datetime) -> None:
    how = "run `memory-pipeline shadow` with the same options first"
    result = newest(Lake(candidate.base.path("lake")), candidate.digest, candidate.base_digest)
    if result is None:
        raise PromotionError(
            f"{candidate.change.told()} was not evaluated beside what is in force (the files' content counts, "
            f"not their names): {how}",
            candidate=candidate.change.told(),
        )
    if not result.passed:
        raise PromotionError(
            f"{candidate.change.told()} did not pass: {'; '.join(result.reasons)}",
            candidate=candidate.change.told(),
            reasons=tuple(result.reasons),
            evaluated_at=result.recorded_at,
        )
    valid = candidate.base.policies.shadow.valid_days
    if now - result.recorded_at > timedelta(days=valid):
        raise PromotionError(
            f"the evaluation of {result.recorded_at:%Y-%m-%d} is older than {valid} days ([shadow] valid_days): {how}",
            candidate=candidate.change.told(),
            evaluated_at=result.recorded_at,
        )


# -- files


def _kept(home: Path) -> list[Path]:
    folder = home / _BEFORE
    return sorted(p for p in folder.iterdir() if p.name.isdigit()) if folder.is_dir() else []


def _next(home: Path) -> Path:
    kept = _kept(home)
    return home / _BEFORE / f"{int(kept[-1].name) + 1 if kept else 1:06d}"


def _keep(settings: Settings, folder: Path, names: Sequence[str]) -> None:
    """Copy what is going to be replaced; the folder appears when it is complete."""
    making = folder.with_name(f"making-{uuid.uuid4().hex}")
    making.mkdir(parents=True)
    for name in names:
        place = settings.promoted(name)
        if place is not None and place.is_dir():
            shutil.copytree(place, making / name)
        elif place is not None:
            shutil.copy2(place, making / name)
    (making / "names").write_text("\n".join(names), encoding="utf-8")
    os.replace(making, folder)


def put(place: Path, content: Path | str) -> None:
    """Let a file's text, or a copy of a folder, take the place of what is there. Whoever looks, and whenever this ends,
    finds either the one or the other in force."""
    making = _beside(place)
    if isinstance(content, str):
        making.write_text(content, encoding="utf-8")
        os.replace(making, place)
        return
    shutil.copytree(content, making)
    aside = set_aside(place)
    if place.exists():  # a folder cannot be renamed over another one
        _take_away(aside)
        os.replace(place, aside)
    os.replace(making, place)
    _take_away(aside)


def remove(place: Path) -> None:
    """Take a file or a folder out of force, at once."""
    if place.exists():
        _take_away(set_aside(place))
    _take_away(place)
    _take_away(set_aside(place))


def _take_away(place: Path) -> None:
    """Remove a file or a folder at once, if it is there."""
    if place.is_dir():
        gone = _beside(place)
        os.replace(place, gone)
        shutil.rmtree(gone)
    else:
        place.unlink(missing_ok=True)


def _beside(place: Path) -> Path:
    return place.with_name(f".{place.name.removeprefix('.')}-{uuid.uuid4().hex}")
