"""What the user wants forgotten, or not brought up, by topic: no layer of any read names it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from memory_pipeline.domain.derived.summary import SummaryGrain
from memory_pipeline.domain.ledger.memory import FORGOTTEN_TOPIC, Change, MemoryVersion, Status
from memory_pipeline.domain.message import Role
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.inference.chat import ChatReply, ChatRequest, Usage
from memory_pipeline.inference.replies import AnswerReply
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.retrieval.store.sources import Sources
from memory_pipeline_tests.store import NOW, Store

DAY = timedelta(days=1)
LAYERS = ["semantic", "episodic", "narrative"]
CONCERT = "the concert in Lisbon"
ASKED = "Who came along to the concert in Lisbon?"
NOTICE = "Does not want their ex Tobias to be brought up."
EX = re.compile("tobi|2023|kiel", re.I)


class Listening:
    """A chat model that says that it does not know, and keeps what it was shown."""

    model = "listening"

    def __init__(self) -> None:
        self.shown: list[str] = []

    async def complete(self, request: ChatRequest[Any]) -> ChatReply[Any]:
        self.shown += [item["content"] for item in request.inputs["items"]]
        return ChatReply(AnswerReply("", [], False), "", self.model, Usage())

    async def aclose(self) -> None:
        pass


def spoken(block: str) -> list[str]:
    """The lines of a block outside of the section of what not to bring up."""
    before, _, avoided = block.partition("DO NOT SURFACE UNLESS USER DOES:")
    return [*before.splitlines(), *avoided.partition("\n\n")[2].splitlines()]


def boundary(home: Store, value: str, **given: Any) -> MemoryVersion:
    plain = {"type": MemoryType.BOUNDARY, "surface": Surface.AVOID, "attribute": "avoid_topic", "value": value}
    return home.memory(f"Does not want their {value} to be brought up.", **{"subject": "user", **plain, **given})


def plea(home: Store, value: str, at: Any = NOW - 2 * DAY) -> MemoryVersion:
    turn = home.message(f"Please forget everything about the {value}.", at=at)
    return home.memory(
        f"Wants {value} to be forgotten.",
        at=at,
        type=MemoryType.BOUNDARY,
        surface=Surface.AVOID,
        subject="user",
        attribute=FORGOTTEN_TOPIC,
        value=value,
        status=Status.ARCHIVED,
        change=Change.FORGET,
        evidence=[turn.message_id],
        taken_back=(turn.message_id,),
    )


@pytest.fixture
def broken_up(home: Store) -> Store:
    """Somebody whose ex is in every layer, by all names, before and after a boundary that names him."""
    came = home.message(f"My ex Tobias came to {CONCERT}, he lives in Kiel.")
    kiel = home.message(f"We split at {CONCERT} in 2023, he still says.", at=NOW - 9 * DAY)
    home.message(f"Did Tobi like {CONCERT}?", role=Role.ASSISTANT)
    home.memories(
        [
            ("Has an ex called Tobias.", {"subject": "user", "attribute": "family", "value": "Tobias"}),
            (
                f"Ex Tobias lives in Kiel since {CONCERT}.",
                {"subject": "ex tobias", "attribute": "residence", "value": "Kiel", "evidence": [came.message_id]},
            ),
            (
                f"Broke up with Tobias at {CONCERT} in 2023.",
                {"subject": "user", "evidence": [kiel.message_id], "pinned": True},
            ),
            (
                f"Owes Tobi the tickets of {CONCERT}.",
                {"type": MemoryType.OPEN_LOOP, "subject": "user", "due_at": NOW + DAY, "surface": Surface.CONTINUE},
            ),
            (f"Misses Tobias since {CONCERT}.", {"type": MemoryType.REFLECTION, "subject": "user"}),
            (f"Liked {CONCERT}.", {"subject": "user", "type": MemoryType.PREFERENCE}),
        ]
    )
    home.summary(f"The user spoke of Tobias and {CONCERT}.", date(2026, 3, 1))
    home.summary(f"The user enjoyed {CONCERT}.", date(2026, 3, 2))
    boundary(home, "ex Tobias", at=NOW - 5 * DAY)
    home.memory(f"Saw Tobi again at {CONCERT}.", subject="user", at=NOW - DAY)
    home.message(f"Tobias was at {CONCERT} again.", at=NOW - DAY)
    return home


class TestWhatIsNotToBeBroughtUp:
    def test_no_line_of_a_block_names_it(self, broken_up: Store, reader: MemoryReader) -> None:
        block, facts = (reader.context(ASKED, **broken_up.owner, layout=of).text for of in ("memory", "known-facts"))
        assert "Liked the concert" in block and not EX.search(block)
        assert "Liked the concert" in facts and [line for line in spoken(facts) if EX.search(line)] == []
        assert NOTICE in facts and "2023" not in facts

    def test_the_wish_itself_is_said_where_the_request_or_the_conversation_comes_near(
        self, broken_up: Store, reader: MemoryReader
    ) -> None:
        broken_up.message("Tobi called me.", session_id="s-5", at=NOW)
        owner = broken_up.owner
        assert NOTICE not in reader.context("hello", **owner).text
        assert NOTICE not in reader.context("hello", **owner, session_id="s-4").text
        assert NOTICE in reader.context("hello", **owner, session_id="s-5").text
        assert NOTICE in reader.context("And my ex?", **owner).text
        assert NOTICE in reader.context("What does nobody want to be brought up?", **owner).text

    @pytest.mark.parametrize(("value", "given"), [("that", {}), ("ex Tobias", {"pinned": True})])
    def test_a_wish_that_no_mask_can_hold_or_that_was_pinned_is_always_said(
        self, home: Store, reader: MemoryReader, value: str, given: dict[str, Any]
    ) -> None:
        said = boundary(home, value, **given)
        assert said.content in reader.context("hello", **home.owner).text

    def test_facts_may_be_used_where_the_user_names_it(self, broken_up: Store, reader: MemoryReader) -> None:
        for message in ("What about Tobias?", "Where does Tobi live now?", "Is my ex still around?"):
            text = reader.context(f"{message} {CONCERT}", **broken_up.owner).text
            assert "Saw Tobi again" in text and [line for line in spoken(text) if EX.search(line)] == []
            assert NOTICE in text

    def test_it_is_not_in_the_profile(self, broken_up: Store, reader: MemoryReader) -> None:
        lines = reader.profile(**broken_up.owner).text.splitlines()
        assert [line for line in lines if EX.search(line)] == [
            "Never bring up, respect: Does not want their ex Tobias to be brought up."
        ]
        assert any("Liked the concert" in line for line in lines)

    @pytest.mark.parametrize("layer", LAYERS)
    def test_a_search_marks_it(self, broken_up: Store, reader: MemoryReader, layer: str) -> None:
        found = reader.search(CONCERT, **broken_up.owner, layers=[layer], k=30)
        named = [i for i in found if EX.search(i.content)]
        assert named and {i.surface for i in named} == {"avoid"}
        assert all(i.surface != "avoid" for i in found if i.content.endswith(f"iked {CONCERT}."))

    def test_no_answer_rests_on_it(self, broken_up: Store) -> None:
        chat = Listening()
        broken_up.reader(chat=lambda: chat).ask(ASKED, **broken_up.owner)
        assert chat.shown and not [text for text in chat.shown if EX.search(text)]
        broken_up.reader(chat=lambda: chat).ask("Who is Tobias?", **broken_up.owner)
        assert any("Tobias" in text for text in chat.shown)

    def test_no_prompt_tells_of_it(self, broken_up: Store, reader: MemoryReader) -> None:
        history = [{"role": "user", "content": f"I moved to town {n} with my desk."} for n in range(40)]
        history[5]["content"] = "I painted the whole kitchen with Tobi in June."
        made = reader.payload("hello", history=history, **broken_up.owner)
        assert "town" in made.sections["summary"] and not EX.search(made.sections["summary"])

    def test_no_stored_story_tells_of_it(self, broken_up: Store, reader: MemoryReader) -> None:
        broken_up.summary(
            "They and Tobi compared two flats.",
            (NOW - DAY).date(),
            grain=SummaryGrain.SESSION,
            session_id="s-9",
            summary_id=f"sum_{broken_up.user_id}",
        )
        history = [{"role": "user", "content": f"I moved to town {n} with my desk."} for n in range(40)]
        made = reader.payload("hello", history=history, session_id="s-9", **broken_up.owner)
        assert "flats" not in made.sections["summary"]

    def test_without_the_masks_every_layer_names_it(
        self, broken_up: Store, reader: MemoryReader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from memory_pipeline.retrieval.store import sources

        monkeypatch.setattr(Sources, "topics", lambda self, scope: sources.NOTHING_CLOSED)
        text = reader.context(ASKED, **broken_up.owner).text
        assert [line for line in spoken(text) if EX.search(line)]
        assert EX.search(
            reader.profile(**broken_up.owner).text.replace("Never bring up, respect: Does not want their ex Tobias", "")
        )

    def test_a_matter_is_closed_with_the_attribute_that_states_it(self, home: Store, reader: MemoryReader) -> None:
        home.memory("Weighs 92 kg.", subject="user", attribute="weight", value="92 kg")
        home.memory("Wants to lose 10 kg by May.", subject="user", type=MemoryType.OPEN_LOOP, due_at=NOW + DAY)
        home.memory("Likes hiking.", subject="user", attribute="likes", value="hiking", type=MemoryType.PREFERENCE)
        boundary(home, "weight")
        assert "92" not in reader.profile(**home.owner).text
        assert "kg" not in reader.context("a hike for Sunday?", **home.owner).text

    def test_what_could_hurt_stays_in_view(self, home: Store, reader: MemoryReader) -> None:
        home.memory("Is allergic to peanuts.", subject="user", attribute="allergy", value="peanuts")
        home.memory("Mother Ilse has a peanut allergy.", subject="mother", attribute="allergy", value="peanuts")
        boundary(home, "peanut allergy")
        block = reader.context("What shall I cook?", **home.owner)
        assert "Is allergic to peanuts." in block.sections["DO NOT SURFACE UNLESS USER DOES:"]
        assert "Is allergic" not in reader.profile(**home.owner).text
        assert "Is allergic" not in reader.ask("What do you know about me?", **home.owner).text
        assert "Ilse" not in block.text

    def test_it_swallows_nothing_else(self, home: Store, reader: MemoryReader) -> None:
        home.memory("Is called Anna Berlin.", subject="user", attribute="name", value="Anna Berlin")
        home.memory("Has a garage in Berlin.", subject="user")
        home.memory("Has a garage full of tools.", subject="user")
        boundary(home, "Berlin")
        boundary(home, "age")
        boundary(home, "that")
        text = reader.profile(**home.owner).text
        assert "Is called Anna Berlin." in text and "full of tools" in text and "garage in Berlin" not in text

    def test_what_was_read_out_of_a_clause_that_names_it_rests_on_it(self, home: Store, reader: MemoryReader) -> None:
        turn = home.message("Terry and I were married for nine years. I bake bread, by the way.")
        home.memory("Has an ex-husband called Terry.", subject="user", attribute="family", value="Terry")
        home.memory("Was married for nine years.", subject="user", evidence=[turn.message_id])
        home.memory("Bakes bread.", subject="user", evidence=[turn.message_id])
        boundary(home, "ex-husband")
        text = reader.profile(**home.owner).text
        assert "nine years" not in text and "Bakes bread." in text


@pytest.fixture
def patient(home: Store) -> Store:
    """Somebody who has pleaded to forget a clinic that is in every layer."""
    said = home.message(f"The clinic Evergreen is near {CONCERT}.", at=NOW - 4 * DAY)
    home.message(f"How was the clinic after {CONCERT}?", role=Role.ASSISTANT, at=NOW - 4 * DAY)
    home.message(f"Evergreen and {CONCERT} tired me.", at=NOW - 3 * DAY)
    home.memories(
        [
            (f"Goes to the clinic Evergreen after {CONCERT}.", {"subject": "user", "at": NOW - 4 * DAY}),
            (f"Fears the clinic like {CONCERT}.", {"type": MemoryType.REFLECTION, "at": NOW - 3 * DAY}),
            (f"Is afraid since {CONCERT}.", {"subject": "user", "evidence": [said.message_id], "at": NOW - 4 * DAY}),
            (f"Liked {CONCERT}.", {"subject": "user", "at": NOW - 4 * DAY}),
        ]
    )
    home.summary(f"The user went to the clinic and to {CONCERT}.", date(2026, 3, 6))
    home.summary(f"The user enjoyed {CONCERT}.", date(2026, 3, 5))
    plea(home, "clinic")
    home.message(f"I have forgotten the clinic and {CONCERT}.", role=Role.ASSISTANT, at=NOW - 2 * DAY)
    return home


CLINIC = re.compile("clinic|evergreen", re.I)


class TestWhatIsToBeForgotten:
    @pytest.mark.parametrize("layer", LAYERS)
    def test_no_layer_has_it(self, patient: Store, reader: MemoryReader, layer: str) -> None:
        found = [i.content for i in reader.search(CONCERT, **patient.owner, layers=[layer], k=30)]
        assert not [text for text in found if CLINIC.search(text)]
        assert found == ([] if layer == "episodic" else found)

    def test_nor_has_any_read(self, patient: Store) -> None:
        chat = Listening()
        reader = patient.reader(chat=lambda: chat)
        for as_of in (None, NOW - 3 * DAY):
            assert not CLINIC.search(reader.context(f"the clinic and {CONCERT}", **patient.owner, as_of=as_of).text)
        assert not CLINIC.search(reader.profile(**patient.owner).text)
        reader.ask(f"Which clinic is near {CONCERT}?", **patient.owner)
        assert chat.shown and not [text for text in chat.shown if CLINIC.search(text)]
        history = [{"role": "user", "content": f"I moved to town {n} with my desk."} for n in range(40)]
        history[5]["content"] = "I painted the whole kitchen of the Evergreen in June."
        assert not CLINIC.search(reader.payload("hello", history=history, **patient.owner).sections["summary"])

    def test_the_plea_is_on_record_and_in_no_read(self, patient: Store, reader: MemoryReader) -> None:
        (held,) = [m for m in reader.memories(**patient.owner) if m["attribute"] == FORGOTTEN_TOPIC]
        told = reader.explain(held["memory_id"], **patient.owner)
        assert [m["content"] for m in told["messages"]] == ["Please forget everything about the clinic."]
        found = reader.search("forget everything clinic", **patient.owner, layers=LAYERS, statuses=list(Status))
        assert not [i for i in found if CLINIC.search(i.content)]

    def test_what_is_told_anew_is_known_anew(self, patient: Store, reader: MemoryReader) -> None:
        turn = patient.message(f"I work in a clinic now, says {CONCERT}.", at=NOW - DAY)
        patient.memory(f"Works in a clinic since {CONCERT}.", subject="user", evidence=[turn.message_id], at=NOW - DAY)
        patient.message(f"A clinic, like {CONCERT}!", role=Role.ASSISTANT, at=NOW - DAY / 2)
        found = {i.content for i in reader.search(CONCERT, **patient.owner, layers=LAYERS, k=30)}
        assert {text for text in found if CLINIC.search(text)} == {
            f"I work in a clinic now, says {CONCERT}.",  # with the memory that it says the same as
            f"A clinic, like {CONCERT}!",
        }

    def test_letting_go_of_the_plea_brings_it_back(self, patient: Store, reader: MemoryReader) -> None:
        (held,) = [m for m in reader.memories(**patient.owner) if m["attribute"] == FORGOTTEN_TOPIC]
        row = next(v for v in patient.lake.read("memory_versions", MemoryVersion) if v.memory_id == held["memory_id"])
        patient.change(row, Change.UNDO, NOW - DAY, status=Status.CLOSED, taken_back=())
        found = {i.content for i in reader.search(CONCERT, **patient.owner, layers=LAYERS, k=30)}
        assert len([text for text in found if CLINIC.search(text)]) >= 6


class TestWhatIsForgottenByHand:
    def test_the_assistants_turns_about_it_go_too(self, home: Store, reader: MemoryReader) -> None:
        said = home.message("I live in Berlin.", at=NOW - 4 * DAY)
        home.message("Berlin is lovely in May. The zoo is open.", role=Role.ASSISTANT, at=NOW - 4 * DAY)
        home.message("Which zoo is the best in May?", at=NOW - 4 * DAY)
        memory = home.memory(
            "Lives in Berlin.", subject="user", attribute="residence", value="Berlin", evidence=[said.message_id]
        )
        home.summary("They live in Berlin near the zoo.", date(2026, 3, 6))
        asked: dict[str, Any] = {**home.owner, "layers": LAYERS}
        assert len(reader.search("Berlin zoo May", **asked)) >= 3
        home.change(memory, Change.FORGET, status=Status.ARCHIVED)
        assert [i.content for i in reader.search("Berlin zoo May", **asked)] == ["Which zoo is the best in May?"]

    def test_what_is_said_anew_counts(self, home: Store, reader: MemoryReader) -> None:
        fact = {"subject": "user", "attribute": "residence", "value": "Berlin"}
        memory = home.memory("Lives in Berlin.", **fact, at=NOW - 9 * DAY)
        home.change(memory, Change.FORGET, status=Status.ARCHIVED)
        turn = home.message("I live in Berlin again.", at=NOW - 3 * DAY)
        home.memory("Lives in Berlin.", **fact, at=NOW - 3 * DAY, evidence=[turn.message_id])
        home.message("Berlin again, lovely!", role=Role.ASSISTANT, at=NOW - 2 * DAY)
        found = {i.content for i in reader.search("Berlin again", **home.owner)}
        assert found == {"I live in Berlin again.", "Berlin again, lovely!"}


def test_a_hot_read_of_many_turns_is_not_held_up(own_home: Store) -> None:
    own_home.messages((f"Turn {n} about the harbour and the boat.", {}) for n in range(2000))
    home, reader = own_home, own_home.reader()
    for value in ("ex Tobias", "weight", "harbour"):
        boundary(home, value)
    topics: list[object] = []
    for _ in range(2):
        reader.search("boat", **home.owner)
        topics.append(reader._engine.searcher.sources.topics(replace(_scope(home))))
    assert topics[0] is topics[1]


def _scope(home: Store) -> Any:
    from memory_pipeline.domain.scope import Scope

    return Scope(home.tenant_id, home.user_id)
