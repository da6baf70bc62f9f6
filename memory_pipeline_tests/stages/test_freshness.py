"""Which stages a change makes stale: those that go by it and no others; what rests on them only where rows changed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.inference.prompts import Prompts
from memory_pipeline.settings import Settings
from memory_pipeline.stages.plan.freshness import code_version
from memory_pipeline.stages.plan.registry import STAGES
from memory_pipeline_tests.stages.whole import Whole

SUMMARIES = {"daily_summaries", "weekly_summaries", "monthly_summaries"}
VECTORS = {"message_vectors", "memory_vectors"}
ASKING = {"proposals", "memories", "patterns", "reflections"} | SUMMARIES
REPLAYED = {"memories", "lifecycle"}

PROMPTS = {
    "extract": {"proposals"},
    "rolling_summary": {"proposals"},
    "consolidate": {"memories"},
    "calendar": SUMMARIES,
    "pattern": {"patterns"},
    "reflect": {"reflections"},
    "answer": set(),
}
FIGURES = {
    "gate.min_confidence = 0.6": {"memories", "patterns", "reflections"},
    "gate.sensitive.email = 'mask'": {"message_vectors", "proposals", "memories", "patterns", "reflections"}
    | SUMMARIES,
    "derived.min_sound = 0.7": {"patterns", "reflections"} | SUMMARIES,
    "window.max_messages = 12": {"proposals"},
    "window.pack_tokens = 6000": set(),
    "classification.default = 'public'": {"message_vectors", "memories"} | SUMMARIES,
    "similarity.judge = 0.6": {"memories"},
    "similarity.link = 0.5": {"memories", "memory_links"},
    "similarity.answer = 0.5": set(),
    "consolidation.max_links = 5": {"memory_links"},
    "consolidation.max_retired_share = 0.9": set(),
    "lifecycle.ephemeral.stale_after = 9": REPLAYED,  # a replay lets time pass: what has gone stale is not confirmed
    "curves.sage.rate = 0.9": {"lifecycle"},
    "prune.enabled = true": {"lifecycle"},
    "strength.score_floor = 0.2": set(),
    "summary.day_tokens = 90": SUMMARIES,  # a week with one day is told in that day's words
    "summary.week_tokens = 90": {"weekly_summaries", "monthly_summaries"},
    "summary.month_tokens = 90": {"monthly_summaries"},
    "summary.session_days = 9": {"daily_summaries"},
    "summary.input_tokens = 900": {"proposals"},
    "reflection.max_insights = 2": {"reflections"},
    "reflection.pack_weeks = 2": set(),
    "pattern.overlap = 0.6": {"patterns"},
    "links.entity_floor = 0.4": {"memory_links"},
    "retrieval.encoded_characters = 600": {"message_vectors"},
    "retrieval.candidates = 10": set(),
    "profiles.default.weights.similarity = 0.9": set(),
    "context.items = 3": set(),
    "feedback.helpful_rate = 0.4": {"recall_feedback"},
}
MODELS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "chat": ({"chat": "openai", "chat_model": "m"}, ASKING),
    # The ledger outlives an encoder; what holds vectors, or is measured with them, does not.
    "encoder": (
        {"encoder": "openai", "encoder_model": "e", "encoder_dimensions": 8},
        VECTORS | {"memory_links"} | SUMMARIES,
    ),
}


def _versions(settings: Settings) -> dict[str, str]:
    prompts = Prompts.open(settings)
    return {stage.name: code_version(settings, prompts, stage) for stage in STAGES}


def _changed(**given: Any) -> set[str]:
    before, after = _versions(Settings.load()), _versions(Settings.load(**given))
    return {name for name in before if before[name] != after[name]}


def _prompts(folder: Path, *names: str) -> Path:
    from memory_pipeline.settings import shipped

    folder.mkdir(exist_ok=True)
    for name in names:
        text = (Path(str(shipped("prompts"))) / f"{name}.jinja").read_text(encoding="utf-8")
        (folder / f"{name}.jinja").write_text(text + "{# another #}", encoding="utf-8")
    return folder


def _policy(file: Path, figure: str) -> Path:
    path, _, value = figure.partition(" = ")
    *section, name = path.split(".")
    file.write_text(f"[{'.'.join(section)}]\n{name} = {value}\n".replace("'", '"'), encoding="utf-8")
    return file


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_concerns_the_stages_that_render_it(name: str, tmp_path: Path) -> None:
    assert _changed(prompts=_prompts(tmp_path / "prompts", name)) == PROMPTS[name]


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_concerns_the_stages_that_go_by_it(figure: str, tmp_path: Path) -> None:
    assert _changed(policy=_policy(tmp_path / "policy.toml", figure)) == FIGURES[figure]


@pytest.mark.parametrize("model", MODELS)
def test_a_model_concerns_the_stages_that_ask_it(model: str) -> None:
    given, stages = MODELS[model]
    assert _changed(**given) == stages


def test_another_version_of_a_stages_code_is_other_code() -> None:
    settings = Settings.load()
    prompts = Prompts.open(settings)
    for stage in STAGES:
        raised = [code_version(settings, prompts, replace(stage, version=n)) for n in range(1, stage.version + 2)]
        assert len(set(raised)) == len(raised), stage.name
        assert code_version(settings, prompts, stage) == raised[stage.version - 1]


NOW = datetime(2026, 6, 1, 3, 30, tzinfo=UTC)
DAYS = [date(2026, 3, 5), date(2026, 3, 11)]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = Whole(tmp_path_factory.mktemp("told"))
    said = zip(DAYS, ("I live in Oslo.", "I like green tea."), strict=True)
    home.take(
        (
            {
                "user_id": "ann",
                "session_id": str(day),
                "message_id": str(day),
                "role": "user",
                "content": text,
                "created_at": f"{day}T12:00:00+00:00",
            }
            for day, text in said
        ),
        NOW,
    )
    home.run(NOW)
    assert home.stale(NOW) == {}
    return home.path


@pytest.fixture
def home(told: Path, tmp_path: Path) -> Iterator[Whole]:
    yield Whole(Path(shutil.copytree(told, tmp_path / "home")))


def test_what_rests_on_a_prompt_is_stale_only_where_rows_changed(home: Whole, tmp_path: Path) -> None:
    later = NOW + timedelta(hours=1)
    home.settings = Settings.load(home=str(home.path), prompts=_prompts(tmp_path / "prompts", "extract"))
    assert home.stale(later) == {"proposals": DAYS}
    before = home.memories()
    home.make(home.ctx(later), "proposals")
    assert home.stale(later) == {}, "another prompt that finds the same changes nothing that follows"
    day = DAYS[1]
    from memory_pipeline.domain.proposal import Proposal

    (said,) = home.lake.read("proposals", Proposal, days=[day])
    home.lake.replace("proposals", day, [replace(said, confidence=0.99)])
    assert home.stale(later) == {"memories": [day]}, "… and one figure of a proposal does, on its day alone"
    home.run(later)
    after = {m.memory_id: m for m in home.memories()}
    assert {m.memory_id for m in before} == after.keys()
    assert [m.confidence for m in after.values() if m.day == day] == [0.99]
