"""Candidates beside what is in force, over reads and feedback that went through the real log."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.curator import MemoryCurator
from memory_pipeline.errors import EvaluationError, PromotionError, SettingsError
from memory_pipeline.evaluation.history import SHADOW, metrics_of, results
from memory_pipeline.evaluation.shadow.candidate import Change, Reaching, digest_of, opened
from memory_pipeline.evaluation.shadow.logged_reads import logged_reads
from memory_pipeline.evaluation.shadow.promotion import promote, undo
from memory_pipeline.evaluation.shadow.shadow import ShadowReport, shadow
from memory_pipeline.evaluation.shadow.shadow_home import Declined
from memory_pipeline.inference.encoder import RememberingEncoder
from memory_pipeline.inference.models import open_encoder
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.operations.feedback import collect
from memory_pipeline.stages.plan.forecast import Forecast
from memory_pipeline.stages.plan.freshness import stale
from memory_pipeline.stages.plan.registry import BY_NAME
from memory_pipeline.storage.logs.recall_log import RecallLog
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.schemas import Cost
from memory_pipeline_tests.evaluation.tried import NOW, READ_AT, READ_ON, make_reads, told_home
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.stages.echoing import echo


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    settings = told_home(tmp_path_factory.mktemp("shadow"))
    make_reads(settings)
    return settings


@pytest.fixture
def home(made: Settings, tmp_path: Path) -> Settings:
    """A copy of the home that a test may change."""
    import shutil

    shutil.copytree(made.home, tmp_path / "home")
    return Settings(home=str(tmp_path / "home"))


def _file(folder: Path, text: str, name: str = "policy.toml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def _tried(settings: Settings, change: Change, **given: Any) -> ShadowReport:
    with opened(settings, change) as candidate:
        return shadow(candidate, READ_ON, READ_ON, NOW, **given)


def _promoted(settings: Settings, change: Change, now: datetime = NOW) -> list[Path]:
    with opened(settings, change) as candidate:
        return promote(candidate, now)


def _log(settings: Settings) -> Mapping[str, bytes]:
    return {path: Path(path).read_bytes() for path in RecallLog(settings.path("recall")).files()}


WORSE = """
[profiles.default]
normalise = false
recency_rate = 0.9
[profiles.default.weights]
similarity = 0.0
keyword = 0.0
late = 0.0
late_session = 0.0
entity_match = 0.0
recency = 1.0
importance = 0.0
"""
LEAKING = '[gate.sensitive]\nemail = "allow"\n'


def test_the_log_is_enough_to_make_the_reads_again(home: Settings) -> None:
    reads = logged_reads(home, READ_ON, READ_ON)
    assert [r.kind for r in reads].count("search") == 4
    assert {r.kind for r in reads} == {"search", "context", "ask"}
    assert sum(len(r.ratings) for r in reads) == 2
    (tea,) = (r for r in reads if "tea" in r.query)
    assert (tea.asked["k"], tea.asked["layers"], tea.at) == (1, ["semantic", "episodic"], READ_AT)


def test_an_equal_candidate_passes_with_everything_in_common_and_logs_nothing(home: Settings) -> None:
    before = _log(home)
    report = _tried(home, Change())
    assert report.passed, report.reasons
    assert report.metrics["overlap@10"] == report.metrics["rank_biased_overlap"] == 1.0
    assert (report.metrics["reads"], report.metrics["users"]) == (6, 2)
    assert report.metrics["helpful_base"] == report.metrics["helpful_kept"] == 2
    assert (report.reaching, report.candidate, report.examples) == ("reads", report.base, [])
    assert _log(home) == before
    (kept,) = results(Lake(home.path("lake")), SHADOW)
    assert (kept.passed, kept.candidate, metrics_of(kept)) == (True, report.candidate, dict(report.metrics))


def test_collected_reads_are_replayed_as_spooled_ones_are(home: Settings) -> None:
    spooled = logged_reads(home, READ_ON, READ_ON)
    collect(StageContext(home, "run-2", NOW), [READ_ON])
    assert logged_reads(home, READ_ON, READ_ON) == spooled
    for path in RecallLog(home.path("recall")).files():
        Path(path).unlink()
    assert logged_reads(home, READ_ON, READ_ON) == spooled


def test_a_worse_ranking_fails_for_what_it_loses(home: Settings, tmp_path: Path) -> None:
    report = _tried(home, Change(policy=_file(tmp_path, WORSE + "[shadow]\nlost_helpful = 1.0\n")))
    assert not report.passed
    assert report.metrics["mrr_candidate"] < report.metrics["mrr_base"]
    assert any("helped are lost" in reason for reason in report.reasons)
    assert any("Lisbon" in text or "tea" in text for example in report.examples for text in example.lost)


def test_a_policy_that_lets_a_restricted_memory_through_fails(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.answer("extract", echo)
    home = told_home(tmp_path, chat="openai", chat_retries=0)
    reader = MemoryReader(home, clock=lambda: READ_AT)
    found = reader.search("what is my email address?", user_id="ada", layers=("semantic",))
    assert found and not any("@" in item.content for item in found)
    before, calls = _log(home), len(protocol_server.calls)
    report = _tried(home, Change(policy=_file(tmp_path, LEAKING)))
    assert report.reaching == "memories"
    assert (report.metrics["above_ceiling_base"], report.metrics["above_ceiling_candidate"]) == (0, 1)
    assert any("above the read's ceiling" in reason for reason in report.reasons)
    assert report.examples[0].faults == {"above_ceiling": 1}
    assert _log(home) == before
    assert len(protocol_server.calls) == calls  # replies that are kept are not paid for again


def test_a_dear_candidate_is_agreed_to_first_and_paid_for_once(
    home: Settings, tmp_path: Path, protocol_server: ProtocolServer
) -> None:
    protocol_server.answer("extract", echo)
    told = []
    change = Change(models={"chat": "openai", "chat_model": "test-model"})

    def refuse(forecast: Forecast) -> bool:
        told.append(forecast.calls)
        return False

    with pytest.raises(Declined):
        _tried(home, change, agree=refuse)
    assert told and told[0] >= 2
    assert not protocol_server.calls
    assert not results(Lake(home.path("lake")), SHADOW)
    report = _tried(home, change)
    assert report.reaching == "memories"
    spent = Lake(home.path("lake")).read("costs", Cost)
    calls = len(protocol_server.calls)
    assert sum(cost.calls for cost in spent if cost.model == "test-model") == calls > 0
    _tried(home, change)
    assert len(protocol_server.calls) == calls


def test_what_was_forgotten_stays_forgotten_in_a_shadow_home(home: Settings, tmp_path: Path) -> None:
    reader = MemoryReader(home, recorded=False, clock=lambda: READ_AT)
    (tea,) = (m for m in reader.memories(user_id="ada") if "tea" in m["content"])
    encoder = RememberingEncoder(open_encoder(home))
    MemoryCurator(home, encoder=encoder, clock=lambda: NOW).forget(tea["memory_id"], user_id="ada")
    report = _tried(home, Change(policy=_file(tmp_path, "[gate]\nmin_length = 9\n")))
    assert report.reaching == "memories"
    assert report.passed, report.reasons
    assert report.metrics["forgotten_candidate"] == 0
    assert report.metrics["overlap@10"] == 1.0


def test_other_vectors_need_only_an_index_of_their_own(home: Settings, tmp_path: Path) -> None:
    index = sorted(p.name for p in Path(home.path("index")).iterdir())
    report = _tried(home, Change(policy=_file(tmp_path, "[retrieval]\nencoded_characters = 40\n")))
    assert report.reaching == "vectors"
    assert report.passed, report.reasons
    assert sorted(p.name for p in Path(home.path("index")).iterdir()) == index


def test_another_encoder_is_tried_beside_the_old_one(home: Settings, protocol_server: ProtocolServer) -> None:
    change = Change(models={"encoder": "openai", "encoder_model": "test-embed", "encoder_dimensions": 64})
    with opened(home, change) as candidate:
        assert candidate.reaching is Reaching.VECTORS
        report = shadow(candidate, READ_ON, READ_ON, NOW)
    assert report.metrics["failed_candidate"] == 0
    assert report.metrics["reads"] == 6
    with pytest.raises(PromotionError, match="MEMORY_PIPELINE_ENCODER=openai"):
        _promoted(home, change)


def test_prompts_reach_into_the_memories(home: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    from memory_pipeline.settings import shipped

    text = (shipped("prompts") / "extract.jinja").read_text(encoding="utf-8")
    (folder / "extract.jinja").write_text(text + "{# another one #}\n", encoding="utf-8")
    report = _tried(home, Change(prompts=folder))
    assert report.reaching == "memories"
    assert report.passed, report.reasons
    (written,) = _promoted(home, Change(prompts=folder))
    assert Settings(home=home.home).prompts_folder == written
    assert undo(home) == [written]
    assert Settings(home=home.home).prompts_folder is None


def test_only_some_users(home: Settings) -> None:
    report = _tried(home, Change(), limit_users=1)
    assert (report.metrics["users"], report.metrics["reads"], report.left_out) == (1, 4, 2)


def test_days_without_reads_say_so(home: Settings) -> None:
    with opened(home, Change()) as candidate, pytest.raises(EvaluationError, match="--from"):
        shadow(candidate, date(2025, 1, 1), date(2025, 1, 2), NOW)


# -- promotion


def test_a_profile_becomes_the_default_and_can_be_taken_back(home: Settings) -> None:
    change = Change(profile="similarity")
    with pytest.raises(PromotionError, match="memory-pipeline shadow"):
        _promoted(home, change)
    assert _tried(home, change).passed
    old = digest_of(home)
    (written,) = _promoted(home, change)
    now = Settings(home=home.home)
    assert now.policy_file == written == Path(home.path("policy.toml"))
    weights = now.policies.profiles["default"].weights
    assert {name: weight for name, weight in weights.items() if weight} == {"similarity": 1.0}
    assert now.policies.profiles["similarity"] == home.policies.profiles["similarity"]
    assert digest_of(now) != old
    undo(now)
    assert digest_of(Settings(home=home.home)) == old
    with pytest.raises(PromotionError, match="nothing to go back to"):
        undo(now)


def test_promotions_are_taken_back_one_by_one(home: Settings, tmp_path: Path) -> None:
    for n, text in enumerate(("# first\n[context]\nitems = 23\n", "# second\n[context]\nitems = 22\n")):
        settings = Settings(home=home.home)
        change = Change(policy=_file(tmp_path, text, f"{n}.toml"))
        assert _tried(settings, change).passed
        _promoted(settings, change)
    place = Path(home.path("policy.toml"))
    assert place.read_text().startswith("# second")
    undo(home)
    assert place.read_text().startswith("# first")
    undo(home)
    assert not place.exists()


def test_what_has_failed_is_not_promoted(home: Settings, tmp_path: Path) -> None:
    change = Change(policy=_file(tmp_path, WORSE))
    assert not _tried(home, change).passed
    with pytest.raises(PromotionError, match="did not pass") as refused:
        _promoted(home, change)
    assert refused.value.candidate == "policy policy.toml" and refused.value.reasons
    assert refused.value.evaluated_at is not None


def test_another_content_or_another_base_was_not_evaluated(home: Settings, tmp_path: Path) -> None:
    file = _file(tmp_path, "[context]\nitems = 23\n")
    assert _tried(home, Change(policy=file)).passed
    file.write_text("[context]\nitems = 22\n", encoding="utf-8")
    with pytest.raises(PromotionError, match="was not evaluated"):
        _promoted(home, Change(policy=file))
    file.write_text("[context]\nitems = 23 # the same figures\n", encoding="utf-8")
    Path(home.path("policy.toml")).write_text("[context]\nsummaries = 1\n", encoding="utf-8")
    with pytest.raises(PromotionError, match="was not evaluated"):
        _promoted(Settings(home=home.home), Change(policy=file))
    Path(home.path("policy.toml")).unlink()
    assert _promoted(Settings(home=home.home), Change(policy=file))


def test_what_follows_from_a_promoted_policy_becomes_stale(home: Settings, tmp_path: Path) -> None:
    memories = BY_NAME["memories"]
    assert stale(StageContext(home, "run-2", NOW), memories) == []
    change = Change(policy=_file(tmp_path, "[gate]\nmin_length = 9\n"))
    assert _tried(home, change).passed
    _promoted(home, change)
    promoted = Settings(home=home.home)
    assert stale(StageContext(promoted, "run-3", NOW), memories) == [date(2026, 3, 10)]
    undo(promoted)
    assert stale(StageContext(Settings(home=home.home), "run-4", NOW), memories) == []


def test_an_old_result_does_not_count(home: Settings, tmp_path: Path) -> None:
    change = Change(policy=_file(tmp_path, "[context]\nitems = 23\n"))
    assert _tried(home, change).passed
    with pytest.raises(PromotionError, match="older than 7 days"):
        _promoted(home, change, NOW + timedelta(days=7, minutes=1))


def test_a_set_variable_would_hide_what_is_promoted(home: Settings, tmp_path: Path) -> None:
    settings = Settings(home=home.home, policy=_file(tmp_path, "", "set.toml"))
    with pytest.raises(PromotionError, match="MEMORY_PIPELINE_POLICY is set") as refused:
        _promoted(settings, Change(policy=_file(tmp_path, "[context]\nitems = 23\n")))
    assert refused.value.setting == "MEMORY_PIPELINE_POLICY"


def test_a_candidate_that_cannot_be_used_says_why(home: Settings, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="itemz"):
        _tried(home, Change(policy=_file(tmp_path, "[context]\nitemz = 23\n")))
    with pytest.raises(EvaluationError, match="durable"):
        _tried(home, Change(profile="nobody's"))
