"""The user's own hand through the real lake and index: effective at once, and never undone by the pipeline."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from memory_pipeline.domain.calendar import Grain, period_of
from memory_pipeline.domain.ledger.memory import Cause, Change, Status, fold
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.settings import Settings
from memory_pipeline.stages.insight.patterns import find_patterns
from memory_pipeline.stages.publication import audit
from memory_pipeline.stages.publication.publish import publish
from memory_pipeline_tests.factories import proposal, residence
from memory_pipeline_tests.stages.curated import NOW, Home, at, dog


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


# -- effective at once


def test_what_is_remembered_is_found_at_once_and_stands_in_the_ledger_as_manual(home: Home) -> None:
    made = home.curator.remember("Is allergic to peanuts.", **home.owner)
    assert home.found("peanuts") == ["Is allergic to peanuts."]
    assert "peanuts" in home.reader.context("What should I cook tonight?", **home.owner).text
    (row,) = home.rows()
    assert row == made and row.cause is Cause.MANUAL
    assert (row.session_id, row.changed_at, row.evidence) == ("manual-memory", NOW, ())
    assert (row.type, row.subject, row.attribute, row.value) == (MemoryType.PROFILE_FACT, "user", "allergy", "peanuts")


def test_what_is_not_read_out_of_the_words_may_be_given(home: Home) -> None:
    made = home.curator.remember(
        "Das Passwort steht nirgends.",
        **home.owner,
        type="open_loop",
        subject="Nora",
        attribute="plan",
        value="umziehen",
        entities=["Nora"],
        importance=0.4,
        surface="adapt",
        pinned=True,
        due_at=date(2026, 5, 1),
        classification="restricted",
    )
    assert (made.type, made.subject, made.attribute, made.value) == (MemoryType.OPEN_LOOP, "Nora", "plan", "umziehen")
    assert (made.entities, made.importance, made.surface, made.pinned) == (("Nora",), 0.4, Surface.ADAPT, True)
    assert made.due_at == datetime(2026, 5, 1, 23, 59, 59, tzinfo=UTC)
    assert home.found("umziehen Passwort") == []
    assert home.found("Passwort", max_classification="restricted") == ["Das Passwort steht nirgends."]


def test_the_rules_read_what_kind_of_memory_it_is(home: Home) -> None:
    for text, type_, surface in (
        ("I prefer window seats on trains.", "preference", "speak"),
        ("Never mention my ex.", "boundary", "avoid"),
        ("Always answer in French.", "protocol", "adapt"),
        ("Needs to call mom by Friday.", "open_loop", "continue"),
        ("Die Nachbarn heißen Öztürk.", "profile_fact", "speak"),
    ):
        made = home.curator.remember(text, **home.owner)
        assert (made.content, made.type, made.surface) == (text, type_, surface)
        assert (made.due_at is not None) == (type_ == "open_loop")


def test_every_change_is_seen_by_the_next_read(home: Home) -> None:
    home.say(residence("Lisbon", at(0)), dog(1))
    lisbon, max_ = home.id("Lives in Lisbon."), home.id("Has a dog called Max.")
    assert home.curator.pin(max_, **home.owner).pinned
    assert "ALWAYS-KNOWN:\n- Has a dog called Max." in home.reader.context("hello", **home.owner).text
    assert not home.curator.unpin(max_, **home.owner).pinned
    assert "ALWAYS-KNOWN" not in home.reader.context("hello", **home.owner).text
    home.curator.suppress(max_, **home.owner)
    block = home.reader.context("dog Max", **home.owner)
    assert list(block.sections) == ["DO NOT SURFACE UNLESS USER DOES:"] or "Max" not in block.text.split("DO NOT")[0]
    home.curator.edit(lisbon, "Lives in Braga.", **home.owner)
    assert home.found("lives Braga", layers=["semantic"])[0] == "Lives in Braga."
    home.curator.forget(lisbon, **home.owner)
    assert "Lives in Braga." not in home.found("lives Braga")
    assert audit.index_matches_ledger(home.context(), home.context().lake.days("memory_versions")).ok


# -- forgetting


def test_a_forgotten_memory_stays_forgotten_and_may_be_said_anew(home: Home) -> None:
    home.say(residence("Lisbon", at(0)), dog(1))
    old = home.id("Lives in Lisbon.")
    home.curator.forget(old, **home.owner)
    assert not [c for c in home.found("lives Lisbon") if "Lisbon" in c]
    assert not home.run()
    assert not [c for c in home.found("lives Lisbon") if "Lisbon" in c]
    home.say(residence("Lisbon", NOW + timedelta(hours=3)))
    rows = {m["memory_id"]: m["status"] for m in home.reader.memories(**home.owner) if m["content"].endswith("Lisbon.")}
    assert rows.pop(old) == "archived" and list(rows.values()) == ["active"]
    assert home.found("lives Lisbon", layers=["semantic", "episodic"])[0] == "Lives in Lisbon."
    assert home.found("lives Lisbon", layers=["episodic"]).count("Lives in Lisbon.") == 1


def test_forgetting_reaches_what_the_memory_took_the_place_of(home: Home) -> None:
    home.say(residence("Lisbon", at(3)))
    home.curator.remember("Lives in Lisbon, in Alfama.", **home.owner)
    home.say(residence("Lisbon", at(1), proposal_id="late"))
    (living,) = (m for m in home.reader.memories(**home.owner) if m["status"] == "active")
    home.curator.forget(living["memory_id"], **home.owner)
    assert not [c for c in home.found("Lisbon") if "Lisbon" in c]
    assert "Lisbon" not in home.reader.ask("Do I live in Lisbon?", **home.owner).text


def test_a_retired_memory_can_be_forgotten(home: Home) -> None:
    home.say(residence("Lisbon", at(0)), residence("Porto", at(1)))
    home.curator.forget(home.id("Lives in Lisbon."), **home.owner)
    assert not [c for c in home.found("Lisbon", statuses=["superseded", "active"]) if "Lisbon" in c]


# -- remembering what is known


def test_a_new_value_of_a_slot_ends_the_old_one(home: Home) -> None:
    home.say(residence("Lisbon", at(0)))
    made = home.curator.remember("I live in Porto.", **home.owner)
    old = home.listed("Lives in Lisbon.")
    assert (old["status"], old["superseded_by"], made.lineage_id) == ("superseded", made.memory_id, old["lineage_id"])
    assert not home.run()
    ended = next(v for v in home.rows() if v.memory_id == old["memory_id"] and v.version == 2)
    assert (ended.cause, ended.valid_until) == (Cause.MANUAL, made.changed_at)


@pytest.mark.parametrize("again", ["Is allergic to peanuts.", "I am allergic to peanuts", "is allergic  to PEANUTS"])
def test_the_same_fact_is_confirmed_not_doubled(home: Home, again: str) -> None:
    home.say(proposal("Is allergic to peanuts.", at(0), attribute="allergy", value="peanuts"))
    made = home.curator.remember(again, **home.owner)
    assert (made.change, made.content, made.reinforcements) == (Change.REINFORCE, "Is allergic to peanuts.", 1)
    assert len(home.reader.memories(**home.owner)) == 1


def test_the_same_fact_in_more_words_takes_them_over(home: Home) -> None:
    home.say(proposal("Is allergic to peanuts.", at(0), attribute="allergy", value="peanuts"))
    made = home.curator.remember("Is severely allergic to peanuts.", **home.owner, pinned=True)
    (row,) = home.reader.memories(**home.owner)
    assert (row["content"], row["pinned"], row["memory_id"]) == (made.content, True, home.id(made.content))
    assert row["evidence"], "it still rests on the message that it was made from"


def test_a_statement_made_later_than_the_act_confirms_or_ends_what_was_remembered(home: Home) -> None:
    made = home.curator.remember("Lives in Porto.", **home.owner)
    home.say(residence("Porto", NOW + timedelta(hours=2)))
    (row,) = home.reader.memories(**home.owner)
    assert row["memory_id"] == made.memory_id and len(row["evidence"]) == 1
    home.say(residence("Faro", NOW + timedelta(hours=5)))
    assert {m["content"]: m["status"] for m in home.reader.memories(**home.owner)} == {
        "Lives in Porto.": "superseded",
        "Lives in Faro.": "active",
    }


# -- time, policies, other prompts


def test_a_pinned_memory_does_not_age_in_the_store(home: Home) -> None:
    tired = proposal("Is tired this week.", at(29), type=MemoryType.EPHEMERAL, salience=0.9)
    home.say(tired)
    memory_id = home.id("Is tired this week.")
    home.curator.pin(memory_id, **home.owner)
    home.now += timedelta(days=20)
    home.run()
    assert home.listed("Is tired this week.")["status"] == "active"
    home.curator.unpin(memory_id, **home.owner)
    home.now += timedelta(days=20)
    home.run()
    assert home.listed("Is tired this week.")["status"] == "stale"


def test_a_pattern_takes_in_nothing_that_the_user_keeps_or_has_taken_back(home: Home) -> None:
    runs = [f"Ran {n} km along the Elbe in the morning." for n in range(5, 12)]
    event = MemoryType.EPISODIC_EVENT
    home.say(*(proposal(text, at(0) + timedelta(minutes=n), type=event) for n, text in enumerate(runs)))
    home.curator.pin(home.id(runs[0]), **home.owner)
    home.curator.forget(home.id(runs[1]), **home.owner)
    assert find_patterns(home.context(), [period_of(Grain.WEEK, at(0).date())]).made.total() == 1
    (pattern,) = (m for m in home.reader.memories(**home.owner, type="pattern"))
    assert home.listed(runs[0])["status"] == "active"
    assert sum(m["superseded_by"] == pattern["memory_id"] for m in home.reader.memories(**home.owner)) == 5
    home.run()
    assert home.listed(runs[0])["status"] == "active" and home.listed(runs[1])["status"] == "archived"


def test_acts_outlive_a_changed_policy_and_another_prompt(home: Home, tmp_path: Path) -> None:
    event = proposal("Went to the opera.", at(1), type=MemoryType.EPISODIC_EVENT)
    said = (residence("Lisbon", at(0)), event, dog(2))
    home.say(*said)
    home.curator.edit(home.id("Lives in Lisbon."), "Lives in Alfama, Lisbon.", **home.owner)
    home.curator.pin(home.id("Went to the opera."), **home.owner)
    home.curator.forget(home.id("Has a dog called Max."), **home.owner)
    policy = tmp_path / "policy.toml"
    policy.write_text("[lifecycle.episodic_event]\nstale_after = 5\narchive_after = 5\n", encoding="utf-8")
    home.settings = Settings(home=str(home.folder), policy=policy)
    ctx = home.context()
    for p in said:
        again = replace(p, proposal_id=f"again {p.proposal_id}", confidence=0.7, prompt_hash="another")
        ctx.lake.replace("proposals", p.day, [again])
    assert home.run()
    assert home.listed("Lives in Alfama, Lisbon.")["confidence"] == 1.0
    assert (home.listed("Went to the opera.")["status"], home.listed("Went to the opera.")["pinned"]) == (
        "active",
        True,
    )
    assert home.listed("Has a dog called Max.")["status"] == "archived"
    assert not home.run()
    assert not [c for c in home.found("dog Max") if "dog" in c]


def test_a_withdrawn_act_no_longer_holds(home: Home) -> None:
    home.say(dog(0))
    forgotten = home.curator.forget(home.id("Has a dog called Max."), **home.owner)
    home.now += timedelta(minutes=1)
    publish(home.context(), [], [forgotten])
    home.run()
    assert home.listed("Has a dog called Max.")["status"] == "active"
    assert home.found("dog Max")


def test_the_ledgers_of_before_are_read_as_they_were(home: Home) -> None:
    import pyarrow.parquet as pq

    home.say(dog(0))
    lake = home.context().lake
    (path,) = lake.files("memory_versions")
    older = pq.read_table(path).drop_columns(["own_words", "taken_back", "apart"])
    pq.write_table(older.replace_schema_metadata({"memory_pipeline.schema_version": "1"}), path)
    (home.folder / "lake" / ".notes" / "versions.json").unlink()  # an older release leaves none
    (row,) = home.rows()
    assert (row.own_words, row.taken_back, row.apart) == (False, (), ())
    assert not home.run()
    home.curator.pin(row.memory_id, **home.owner)
    assert [v.status for v in home.rows()] == [Status.ACTIVE, Status.ACTIVE]


# -- what begins later


BEGIN = datetime(2026, 5, 1, tzinfo=UTC)


def _planned(home: Home) -> tuple[str, str]:
    """Ids of a home lived in now, and of one that is moved into on 1 May, stated by hand."""
    home.say(residence("Lisbon", at(0)))
    slot = {"subject": "user", "attribute": "residence", "value": "Porto"}
    plan = home.curator.remember("Lives in Porto.", **home.owner, **slot, valid_from=BEGIN)
    return home.id("Lives in Lisbon."), plan.memory_id


def test_what_is_remembered_to_begin_later_ends_the_present_then(home: Home) -> None:
    lives, plan = _planned(home)
    for _ in range(2):
        held = fold(home.rows())[lives]
        assert (held.status, held.superseded_by, held.valid_until) == (
            Status.ACTIVE,
            plan,
            BEGIN - timedelta(seconds=1),
        )
        home.run()  # a replay finds the same
    assert home.found("lives", layers=["semantic"]) == ["Lives in Lisbon."]
    home.now = BEGIN + timedelta(days=1)
    home.run()
    assert fold(home.rows())[lives].status is Status.SUPERSEDED
    assert home.found("lives", layers=["semantic"]) == ["Lives in Porto."]


def test_a_plan_that_is_forgotten_leaves_the_present_as_it_was(home: Home) -> None:
    lives, plan = _planned(home)
    home.curator.forget(plan, **home.owner)
    for _ in range(2):
        held = fold(home.rows())[lives]
        assert (held.status, held.superseded_by, held.valid_until) == (Status.ACTIVE, None, None)
        home.run()
