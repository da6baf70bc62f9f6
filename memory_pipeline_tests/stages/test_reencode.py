"""Another encoder's vectors, of another length, beside those in force; the pointer; readers and writers across it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memory_pipeline.cli import app
from memory_pipeline.curator import MemoryCurator
from memory_pipeline.errors import IndexMismatch, MemoryPipelineError, SettingsError
from memory_pipeline.inference.builtin_encoder import BuiltinEncoder
from memory_pipeline.inference.models import encoder_name
from memory_pipeline.inference.prompts import Prompts
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.operations import reencode
from memory_pipeline.stages.operations.reencode import build, choice_of, drop, switch, tables, uncalibrated
from memory_pipeline.stages.plan.freshness import code_version
from memory_pipeline.stages.plan.registry import BY_NAME
from memory_pipeline.stages.publication.publish import index_memories
from memory_pipeline.storage.vectors.encoder_pointer import FILE, EncoderChoice
from memory_pipeline.storage.vectors.index import Index
from memory_pipeline_tests import factories
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.store import Store

HOSTED = {"encoder": "openai", "encoder_model": "tiny", "encoder_dimensions": 16}
FACTS = ("I play the cello.", "I live in Lisbon.", "My sister is called Rosa.")


@pytest.fixture
def home(tmp_path: Path) -> Settings:
    """A home with vectors of the shipped encoder, that may be switched to a hosted one."""
    settings = Settings(home=str(tmp_path))
    for fact in FACTS:
        MemoryCurator(settings).remember(fact, user_id="ann")
    return settings


def run(settings: Settings) -> StageContext:
    return StageContext(settings, "run-e", factories.RECORDED)


def allowed(settings: Settings) -> Settings:
    return settings.model_copy(update=HOSTED)


def other(settings: Settings) -> EncoderChoice:
    """The hosted encoder of the protocol server, whose vectors have 16 numbers."""
    return choice_of(settings.model_copy(update={**HOSTED, "encoder_fixed": True}))


def contents(settings: Settings, choice: EncoderChoice) -> list[str]:
    """What an encoder's tables hold."""
    index = Index(settings.path("index"), choice.name, choice.dimensions)
    found: list[str] = index.all("memories", ["content"])["content"].to_pylist()
    return sorted(found)


def test_the_way_there_and_back(home: Settings, protocol_server: ProtocolServer) -> None:
    """Built without a chat model, resumable, switched, rolled back, dropped; nothing becomes stale by it."""
    first, second = choice_of(home), other(home)
    prompts = Prompts.open(home)
    codes = {name: code_version(home, prompts, stage) for name, stage in BY_NAME.items()}
    assert build(run(home), second) == {"memories": 3, "messages": 0, "summaries": 0}
    assert build(run(home), second)["memories"] == 0  # nothing twice
    assert set(protocol_server.counts) == {"embeddings"}
    assert contents(home, second) == contents(home, first) and second.dimensions == 16 != first.dimensions
    MemoryCurator(home).remember("I have a dog called Max.", user_id="ann")  # meanwhile
    assert len(contents(home, second)) == 3
    switch(run(home), second)
    assert encoder_name(allowed(home)) == second.name == "tiny-16"
    assert len(contents(home, second)) == 4
    assert {name: code_version(allowed(home), prompts, stage) for name, stage in BY_NAME.items()} == codes
    assert [h.content for h in MemoryReader(allowed(home)).search("dog", user_id="ann")]
    switch(run(allowed(home)), first)
    assert encoder_name(home) == first.name
    assert drop(run(home), second.folder) and not drop(run(home), second.folder)
    assert tables(home) == [first.folder]


def test_turns_have_the_tokens_of_their_own_encoder(home: Settings, protocol_server: ProtocolServer) -> None:
    """Tokens of one encoder mean nothing beside a query of another."""
    Store(Path(home.home), BuiltinEncoder()).message("I play the cello.")
    first, second = choice_of(home), other(home)
    assert build(run(home), second)["messages"] == 1
    found = {
        choice.name: Index(home.path("index"), choice.name, choice.dimensions).all("messages", ["tokens"])["tokens"][0]
        for choice in (first, second)
    }
    assert found[first.name].is_valid and not found[second.name].is_valid


def test_a_recomputation_is_asked_for_not_forced(home: Settings, protocol_server: ProtocolServer) -> None:
    before = {name: code_version(home, Prompts.open(home), stage) for name, stage in BY_NAME.items()}
    build(run(home), other(home))
    switch(run(home), other(home), recompute=True)
    after = {name: code_version(allowed(home), Prompts.open(home), stage) for name, stage in BY_NAME.items()}
    moved = {name for name, code in after.items() if code != before[name]}
    assert "memory_links" in moved and not moved & {"proposals", "memories", "lifecycle"}


def test_what_was_stopped_goes_on(
    home: Settings, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reencode, "_BATCH", 1)
    ctx = run(home)

    def stop(label: str, done: int, total: int | None) -> None:
        if done == 2:
            raise KeyboardInterrupt

    ctx.progress = stop
    with pytest.raises(KeyboardInterrupt):
        build(ctx, other(home))
    assert len(contents(home, other(home))) == 2
    assert build(run(home), other(home))["memories"] == 1


def test_open_readers_and_writers_follow(home: Settings, protocol_server: ProtocolServer) -> None:
    """Whoever may reach both encoders notices nothing; whoever may not is told at once what to set; the older vectors
    are there for whoever asks for them."""
    build(run(home), other(home))
    follows, stays, curator = MemoryReader(allowed(home)), MemoryReader(home), MemoryCurator(allowed(home))
    fixed = MemoryReader(home.model_copy(update={"encoder_fixed": True}))
    made = curator.remember("I like jazz.", user_id="ann")
    encoded = protocol_server.counts["embeddings"]
    for reader in (follows, stays, fixed):
        assert reader.search("jazz", user_id="ann")[0].content == made.content
    assert protocol_server.counts["embeddings"] == encoded  # allowed is not asked
    switch(run(home), other(home))
    curator.forget(made.memory_id, user_id="ann")
    curator.remember("I have a dog called Max.", user_id="ann")
    found = {h.content for h in follows.search("dog jazz", user_id="ann", k=20)}
    assert "I have a dog called Max." in found and made.content not in found
    with pytest.raises(SettingsError, match="texts leave this machine only when MEMORY_PIPELINE_ENCODER says so"):
        stays.search("cello", user_id="ann")
    assert "I have a dog called Max." not in {h.content for h in fixed.search("dog", user_id="ann", k=20)}


def test_a_run_does_not_mix_vectors_of_two_encoders(home: Settings, protocol_server: ProtocolServer) -> None:
    """One that was under way stops with a clear error; what it had decided reaches the index that is in force."""
    build(run(home), other(home))
    under_way = run(allowed(home))
    assert under_way.index.folder == choice_of(home).folder and under_way.index.table("memories") is not None
    switch(run(home), other(home))
    with pytest.raises(IndexMismatch, match="the home was switched to the vectors of tiny-16") as switched:
        under_way.index.all("memories", ["content"])
    assert switched.value.in_force == "tiny-16" and switched.value.encoder not in (None, "tiny-16")
    late = run(allowed(home))
    late.index, late.encoder = under_way.index, under_way.encoder
    ids = Index(home.path("index"), "tiny-16", 16).all("memories", ["memory_id"])["memory_id"].to_pylist()
    Index(home.path("index"), "tiny-16", 16).delete("memories", ids[:1])
    assert index_memories(late, ids) == 1 and late.index.folder == "tiny-16-16"


@pytest.mark.parametrize(
    ("act", "error", "match"),
    [
        (lambda h: build(run(h), choice_of(h)), SettingsError, "is the encoder in force: name another"),
        (lambda h: switch(run(h), choice_of(h)), SettingsError, "in force already"),
        (lambda h: switch(run(h), other(h)), IndexMismatch, "run `memory-pipeline encoder build`"),
        (lambda h: drop(run(h), choice_of(h).folder), SettingsError, "switch to another encoder first"),
    ],
)
def test_what_is_refused(
    home: Settings,
    protocol_server: ProtocolServer,
    act: Callable[[Settings], object],
    error: type[MemoryPipelineError],
    match: str,
) -> None:
    with pytest.raises(error, match=match):
        act(home)
    assert not Path(home.path("index", FILE)).exists()


def test_thresholds_by_encoder(home: Settings, protocol_server: ProtocolServer, tmp_path: Path) -> None:
    """Figures measured with another encoder are said to be so, until the policy has some of its own."""
    assert uncalibrated(home, choice_of(home)) == ""
    assert "measured with all-minilm-l6-v2-int8, not with tiny-16" in uncalibrated(home, other(home))
    figures = "\n".join(f"{name} = 0.6" for name in type(home.policies.similarity).__slots__)
    (tmp_path / "own.toml").write_text(f'[calibration.others."tiny-16"]\n{figures}\n')
    own = Settings(home=home.home, policy=tmp_path / "own.toml", **HOSTED, encoder_fixed=True)
    assert uncalibrated(own, other(home)) == "" and run(own).policy.similarity.merge == 0.6
    assert run(home).policy.similarity.merge == home.policies.similarity.merge == 0.85


def test_the_commands(home: Settings, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", home.home)
    other_one = ["--model", "tiny", "--dimensions", "16"]
    runner = CliRunner()
    built = runner.invoke(app, ["encoder", "build", *other_one])
    assert "3 memories" in built.stdout and "Note: the thresholds" in built.stdout
    refused = runner.invoke(app, ["encoder", "switch", *other_one])
    assert "was not compared with what is in force" in str(refused.exception)
    moved = runner.invoke(app, ["encoder", "switch", *other_one, "--unevaluated", "--json"])
    assert json.loads(moved.stdout)["in_force"] == "tiny-16"
    assert runner.invoke(app, ["encoder", "switch", "--back"]).exit_code == 0
    stands = json.loads(runner.invoke(app, ["encoder", "status", "--json"]).stdout)
    assert (stands["previous"], stands["beside"], stands["rows"]) == ("tiny-16", ["tiny-16-16"], {"memories": 3})
    assert "removed" in runner.invoke(app, ["encoder", "drop", *other_one]).stdout
