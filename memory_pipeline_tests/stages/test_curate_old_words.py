"""What the user has edited away is not shown again: neither the memory, nor its turns, nor what was made of it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline_tests.factories import residence
from memory_pipeline_tests.stages.curated import NOW, Home, at, dog
from memory_pipeline_tests.stages.timeline import source
from memory_pipeline_tests.store import Store


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


# -- the old words


class TestOldWords:
    @pytest.fixture
    def edited(self, home: Home) -> str:
        home.say(residence("Lisbon", at(0)), dog(1))
        memory_id = home.id("Lives in Lisbon.")
        home.curator.edit(memory_id, "Lives in Braga.", **home.owner)
        return memory_id

    def nowhere(self, home: Home, words: str) -> None:
        assert not [c for c in home.found(f"lives in {words}") if words in c]
        assert not [c for c in home.found(words, as_of=at(2)) if words in c]
        assert words not in home.reader.context(f"do I live in {words}?", **home.owner).text
        assert words not in home.reader.ask(f"Do I live in {words}?", **home.owner).text

    def test_are_gone_from_both_layers(self, home: Home, edited: str) -> None:
        self.nowhere(home, "Lisbon")
        assert home.found("lives in Braga", as_of=at(2), layers=["semantic"]) == ["Lives in Braga."]

    def test_stay_gone_when_the_edit_is_not_the_latest_change(self, home: Home, edited: str) -> None:
        home.curator.pin(edited, **home.owner)
        self.nowhere(home, "Lisbon")
        home.say(residence("Braga", NOW + timedelta(hours=2)))
        memory = home.listed("Lives in Braga.")
        assert (memory["memory_id"], len(memory["evidence"])) == (edited, 2)
        self.nowhere(home, "Lisbon")
        assert "Lives in Braga." in home.found("lives Braga", layers=["episodic"])

    def test_stay_gone_after_another_run_and_a_late_message(self, home: Home, edited: str) -> None:
        assert not home.run()
        home.say(residence("Lisbon", at(-3)))
        assert home.listed("Lives in Braga.")["status"] == "active"
        self.nowhere(home, "Lisbon")

    def test_are_gone_from_summaries_and_reflections_made_of_them(self, home: Home) -> None:
        home.say(residence("Lisbon", at(0)), dog(1))
        memory_id, first = home.id("Lives in Lisbon."), source(residence("Lisbon", at(0))).message_id
        store = Store(home.folder, home.encoder, user_id="u", tenant_id="t")
        store.summary("Moved about in Lisbon, lives there.", at(0).date(), memory_ids=(memory_id,), at=at(0))
        store.summary("Walked Max.", at(2).date(), memory_ids=(home.id("Has a dog called Max."),), at=at(2))
        store.memory("Is fond of Lisbon.", type=MemoryType.REFLECTION, derived_from=(memory_id,), at=at(3))
        home.curator.edit(memory_id, "Lives in Braga.", **home.owner)
        store.summary("Told of Lisbon.", at(1).date(), message_ids=(first,), at=at(1))  # by a run that began before
        store.summary("Lives in Braga now.", at(4).date(), memory_ids=(memory_id,), at=at(4))
        later = NOW + timedelta(days=9)
        store.memory("Is fond of Braga.", type=MemoryType.REFLECTION, derived_from=(memory_id,), at=later)
        self.nowhere(home, "Lisbon")
        told = set(home.found("fond walked Lisbon lives", layers=["narrative"]))
        assert told == {"Walked Max.", "Lives in Braga now.", "Is fond of Braga."}
        home.curator.forget(memory_id, **home.owner)
        assert home.found("fond walked Braga lives", layers=["narrative"]) == ["Walked Max."]

    def test_an_edit_that_only_adds_takes_nothing_back(self, home: Home) -> None:
        home.say(dog(0))
        home.curator.edit(home.id("Has a dog called Max."), "Has a very old dog called Max.", **home.owner)
        assert sorted(home.found("dog called Max")) == ["Has a dog called Max.", "Has a very old dog called Max."]
        (turn,) = home.reader.search("dog called Max", **home.owner, layers=["episodic"])
        assert turn.content == "Has a dog called Max."

    def test_a_changed_fact_ends_an_edited_memory(self, home: Home, edited: str) -> None:
        home.say(residence("Faro", NOW + timedelta(hours=2)))
        assert home.listed("Lives in Braga.")["status"] == "superseded"
        assert home.listed("Lives in Faro.")["status"] == "active"
        self.nowhere(home, "Lisbon")

    def test_of_a_reflection_are_its_own_and_the_messages_below_it_stay(self, home: Home) -> None:
        home.say(dog(0))
        memory_id = home.id("Has a dog called Max.")
        store = Store(home.folder, home.encoder, user_id="u", tenant_id="t")
        evidence = home.listed("Has a dog called Max.")["evidence"]
        given = {"type": MemoryType.REFLECTION, "derived_from": (memory_id,), "evidence": evidence}
        made = store.memory("Is happiest with Max.", at=at(3), **given)
        home.curator.forget(made.memory_id, **home.owner)
        assert set(home.found("dog Max happiest")) == {"Has a dog called Max."}
        assert home.found("dog Max", layers=["episodic"]) == ["Has a dog called Max."]
