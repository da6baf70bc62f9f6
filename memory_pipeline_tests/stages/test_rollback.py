"""What a run did to memories is taken back by further rows, and stays so through every later run and replay."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.curator import MemoryCurator
from memory_pipeline.domain.ledger.memory import MemoryVersion, standing
from memory_pipeline.errors import RollbackError
from memory_pipeline.stages.operations.rollback import Rollback, prepare, write
from memory_pipeline_tests.stages.whole import Whole
from memory_pipeline_tests.store import WordEncoder

NOW = datetime(2026, 6, 1, 3, 30, tzinfo=UTC)
OWNER = {"user_id": "ann", "tenant_id": "default"}
SAID = {
    "2026-03-05": "I live in Oslo.",
    "2026-03-06": "I like green tea.",
    "2026-03-10": "I moved to Bergen last week.",
    "2026-03-12": "My sister is called Lea.",
}
STRICT = "[gate]\nmin_confidence = 0.99\n"


def line(day: str, text: str, user: str = "ann", n: int = 1) -> dict[str, Any]:
    return {
        "user_id": user,
        "session_id": f"{user}-{day}",
        "message_id": f"{user}-{day}-{n}",
        "role": "user",
        "content": text,
        "created_at": f"{day}T{11 + n}:00:00+00:00",
    }


class Home(Whole):
    """A home that is run, rolled back and looked at; only what rollbacks decide on is made."""

    def __init__(self, path: Path, **settings: Any) -> None:
        super().__init__(path, **settings)
        self.now = NOW
        self.names: Sequence[str] = ("proposals", "memories", "memory_vectors")

    def step(self) -> str:
        """Run what is stale. Returns the run's id."""
        self.now += timedelta(minutes=10)
        ctx = self.ctx(self.now)
        for name in self.names:
            self.make(ctx, name)
        return ctx.run_id

    def roll_back(self, *runs: str) -> tuple[Rollback, str]:
        self.now += timedelta(minutes=10)
        ctx = self.ctx(self.now)
        ctx.run_id = f"rollback-{self.now:%H%M}"
        found = prepare(ctx, runs)
        write(ctx, found)
        self.step()
        return found, ctx.run_id

    def state(self) -> dict[str, tuple[str, str]]:
        return {m.memory_id: (m.content, str(m.status)) for m in self.memories()}

    def stood(self) -> set[str]:
        return {v.version_id for v in standing(self.rows())}

    def rows(self) -> list[MemoryVersion]:
        return self.lake.read("memory_versions", MemoryVersion)

    def texts(self, status: str = "active") -> set[str]:
        return {content for content, s in self.state().values() if s == status}

    def with_policy(self, text: str) -> None:
        file = self.path / "policy.toml"
        file.write_text(text, encoding="utf-8")
        self.settings = type(self.settings).load(home=str(self.path), chat="builtin", encoder="builtin", policy=file)

    @property
    def hand(self) -> MemoryCurator:
        return MemoryCurator(self.settings, encoder=WordEncoder(), clock=lambda: self.now)

    def id_of(self, content: str) -> str:
        (found,) = (i for i, (text, _) in self.state().items() if text == content)
        return found


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = Home(tmp_path_factory.mktemp("told"))
    found.take([line(day, text) for day, text in SAID.items()] + [line("2026-03-05", "I live in Lima.", "bob")], NOW)
    found.step()
    return found.path


@pytest.fixture
def home(told: Path, tmp_path: Path) -> Iterator[Home]:
    found = Home(Path(shutil.copytree(told, tmp_path / "home")))
    found.now += timedelta(minutes=10)
    yield found
    left = found.stale(found.now + timedelta(minutes=10))
    assert left.keys().isdisjoint(found.names), "nothing is left stale"


def test_a_first_run_is_taken_back_and_stays_so(home: Home) -> None:
    before = home.stood()
    more = "2026-03-20"
    home.take([line(more, "I am allergic to nuts.")], home.now)
    run = home.step()
    after = home.stood()
    found, undo = home.roll_back(run)
    assert home.stood() == before and found.withdrawn == len(after - before) > 0
    assert found.days == [date.fromisoformat(more)]
    home.step()
    assert home.stood() == before
    home.take([line("2026-03-04", "I have a dog called Rex.")], home.now)  # a replay from before it
    home.step()
    home.hand.remember("Plays chess.", **OWNER)
    assert "Is allergic to nuts." not in {content for content, _ in home.state().values()}
    assert {"Has a dog called Rex.", "Plays chess."} <= home.texts()
    home.roll_back(undo)
    assert "Is allergic to nuts." in home.texts()


def test_a_changed_policy_is_taken_back_until_it_changes_again(home: Home) -> None:
    first, texts = home.stood(), home.texts()
    home.with_policy(STRICT)
    run = home.step()
    assert not home.texts() >= texts
    before = set(map(repr, home.rows()))
    home.roll_back(run)
    assert home.stood() == first
    assert before < set(map(repr, home.rows())), "nothing is deleted"
    home.take([line("2026-03-01", "I play the cello.")], home.now)
    home.step()
    assert home.texts() >= texts
    home.with_policy(STRICT.replace("0.99", "0.98"))
    home.step()
    assert not home.texts() >= texts, "another figure decides anew"


def test_what_is_said_on_a_held_day_makes_that_users_day_anew(home: Home) -> None:
    home.with_policy(STRICT)
    run = home.step()
    home.roll_back(run)
    home.take([line("2026-03-05", "I have a cat.", n=2)], home.now)
    home.step()
    assert "Lives in Lima." in home.texts(), "bob's day is held still"
    assert "Lives in Oslo." not in {content for content, _ in home.state().values()}, "ann's is not"


def test_a_rollback_is_undone_and_made_again(home: Home) -> None:
    home.with_policy(STRICT)
    first = home.stood()
    run = home.step()
    strict = home.stood()
    _, undo = home.roll_back(run)
    with pytest.raises(RollbackError, match="rolled back already") as refused:
        prepare(home.ctx(home.now), [run])
    assert (refused.value.run_id, refused.value.rollback_id) == (run, undo)
    home.roll_back(undo)
    assert home.stood() == strict
    with pytest.raises(RollbackError, match="undone already"):
        prepare(home.ctx(home.now), [undo])
    home.roll_back(run)
    assert home.stood() == first


def test_what_the_user_did_by_hand_is_kept(home: Home) -> None:
    home.take([line("2026-03-20", "I am allergic to nuts. I collect stamps.")], home.now)
    run = home.step()
    home.hand.pin(home.id_of("Is allergic to nuts."), **OWNER)
    home.hand.edit(home.id_of("Lives in Bergen."), "Lives in Voss.", **OWNER)
    found, _ = home.roll_back(run)
    assert [act.content for act in found.kept] == ["Is allergic to nuts."]
    assert {"Is allergic to nuts.", "Lives in Voss."} <= home.texts()
    assert not any("stamps" in content for content in home.texts())


def test_what_cannot_be_rolled_back_is_refused(home: Home) -> None:
    ctx = home.ctx(home.now)
    with pytest.raises(RollbackError, match="is not known"):
        prepare(ctx, ["nobody"])
    home.take([line("2026-03-20", "I am allergic to nuts.")], home.now)
    run = home.step()
    nuts = home.id_of("Is allergic to nuts.")
    home.now += timedelta(minutes=1)
    home.hand.pin(nuts, **OWNER)
    home.hand.unpin(nuts, **OWNER)
    (manual,) = {r.run_id for r in home.rows() if r.run_id.startswith("manual")}
    with pytest.raises(RollbackError, match="own hand"):
        prepare(home.ctx(home.now), [manual])
    with pytest.raises(RollbackError, match=f"{nuts} .unpinned by the user") as refused:
        prepare(home.ctx(home.now), [run])
    assert (refused.value.runs, refused.value.memory_ids) == ((run,), (nuts,))
    home.step()


def test_the_latest_of_two_runs_goes_first(home: Home) -> None:
    first = home.stood()
    home.take([line("2026-03-20", "I am allergic to nuts.")], home.now)
    one = home.step()
    home.take([line("2026-03-20", "I collect stamps.", n=2)], home.now)
    two = home.step()
    with pytest.raises(RollbackError, match=f"made anew since, by run {two}") as refused:
        prepare(home.ctx(home.now), [one])
    assert refused.value.later_runs == (two,)
    home.roll_back(one, two)
    assert home.stood() == first
