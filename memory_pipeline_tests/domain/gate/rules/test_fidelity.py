"""How a content restates its quote: altered ones are turned away, paraphrases of a good model pass."""

from __future__ import annotations

from typing import Any

import pytest

from memory_pipeline.domain.gate import GateInput, examine, first_failure
from memory_pipeline.domain.proposal import Evidence, MemoryType, Operation
from memory_pipeline.language.claims import claimed, quoted
from memory_pipeline_tests.factories import POLICY, message, proposal


def verdict(said: str, content: str, quote: str = "", speaker: str | None = None, **given: Any) -> str | None:
    cited = message(said, message_id="m", speaker=speaker)
    stated = proposal(content, evidence=(Evidence("m", quote or said),), **given)
    read = (quoted(said, quote or said),)
    told = GateInput(stated, {"m": cited}, POLICY.gate, extracted=True, content=claimed(content), quotes=read)
    failed = first_failure(examine(told))
    return failed.code if failed else None


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("I'm allergic to peanuts", "Is not allergic to peanuts."),
        ("I'm not allergic to peanuts, luckily.", "Is allergic to peanuts."),
        ("I don't eat meat.", "Eats meat."),
        ("I do not eat any pork", "Eats pork."),
        ("I don't like onions at all", "Likes onions."),
        ("I hate red-eyes and always want an aisle seat", "Likes red-eye flights."),
        ("I can't stand techno", "Enjoys techno."),
        ("I love coriander", "Dislikes coriander."),
        ("I quit drinking wine in May", "Drinks wine."),
        ("I stopped drinking coffee last year", "Drinks coffee."),
        ("I stopped eating bread years ago", "Eats bread."),
        ("I used to live in Berlin", "Lives in Berlin."),
        ("I never drink coffee after 3 pm", "Drinks coffee after 3 pm."),
        ("I have no siblings", "Has siblings."),
        ("I no longer work at Lumen", "Works at Lumen."),
        ("I don't work at Lumen anymore", "Works at Lumen."),
        ("My sister isn't vegan", "Sister is vegan."),
        ("I haven't got a driving licence", "Has a driving licence."),
        ("We have two cats at home", "Has three cats."),
        ("I've got 4 kids", "Has two kids."),
        ("i dont speak german", "Speaks German."),
        ("I've never been to Japan", "Has been to Japan."),
    ],
)
def test_the_opposite_or_another_number_is_rejected(said: str, content: str) -> None:
    assert verdict(said, content) in {"contrary", "invented"}


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("My sister lives in Oslo", "Lives in Oslo."),
        ("My sister is allergic to bees", "Is allergic to bees."),
        ("My brother Max works at Siemens", "Works at Siemens."),
        ("my mum has diabetes", "Has diabetes."),
        ("My husband works night shifts", "Works night shifts."),
        ("Karim teaches chemistry at the lycée", "Teaches chemistry."),
        ("My daughter Zoe hates broccoli", "Hates broccoli."),
        ("My boss drives a Porsche", "Drives a Porsche."),
        ("My dog is scared of fireworks", "Is scared of fireworks."),
        ("my flatmate plays the drums", "Plays the drums."),
        ("My neighbour speaks Polish", "Speaks Polish."),
        ("I'm allergic to penicillin", "Sister is allergic to penicillin."),
        ("I live in Lyon", "Brother Max lives in Lyon."),
        ("My sister Ana is a nurse", "Mother is a nurse."),
    ],
)
def test_what_was_said_of_another_is_rejected(said: str, content: str) -> None:
    assert verdict(said, content, subject=None) in {"subject", "invented"}


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("I might move to Spain", "Lives in Spain."),
        ("I might move to Spain next year", "Moved to Spain."),
        ("Maybe I could become a teacher", "Is a teacher."),
        ("I may be pregnant", "Is pregnant."),
        ("I want to move to Japan", "Lives in Japan."),
        ("I'd love to live in Japan one day", "Lives in Japan."),
        ("I hope I get into MIT", "Got into MIT."),
        ("I wish I had a dog", "Has a dog."),
        ("If I had two kids I'd need a bigger car", "Has two kids."),
        ("If I ever moved to Norway I would buy a cabin", "Moved to Norway."),
        ("do you think I'm vegan?", "Is vegan."),
        ("Am I allergic to peanuts?", "Is allergic to peanuts."),
        ("Should I move to Spain?", "Lives in Spain."),
        ("I'm not sure if I have celiac disease", "Has celiac disease."),
        ("I wonder whether I'm lactose intolerant", "Is lactose intolerant."),
        ("I'm thinking about buying a house", "Bought a house."),
        ("We're planning to get a dog next spring", "Has a dog."),
        ("I need to renew my passport", "Renewed the passport."),
        ("I dream of becoming a pilot", "Is a pilot."),
        ("Suppose I were vegan, what would I cook?", "Is vegan."),
        ("If I won the lottery I'd buy a boat and move to Crete.", "Plans to buy a boat and move to Crete."),
    ],
)
def test_what_was_only_asked_supposed_wished_or_planned_is_no_fact(said: str, content: str) -> None:
    assert verdict(said, content) == "unfounded"


LETTER = (
    'Can you make this nicer? "Dear Ms Blanchet, I live in Paris and I am the mother of twins, I would like to enrol '
    "them.\" It's for my neighbour."
)


@pytest.mark.parametrize(
    ("said", "content", "quote"),
    [
        (LETTER, "Is the mother of twins.", "I am the mother of twins"),
        ("Translate this: I live in Madrid and work as a baker.", "Lives in Madrid.", "I live in Madrid"),
        ("Off the record, don't save this: I'm in debt.", "Is in debt.", "I'm in debt"),
    ],
)
def test_what_is_not_said_in_ones_own_voice_is_rejected(said: str, content: str, quote: str) -> None:
    assert verdict(said, content, quote) == "voice"


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("I'm allergic to peanuts", "Is allergic to peanuts."),
        ("I can't have peanuts, I'd end up in hospital", "Is allergic to peanuts."),
        ("I don't eat meat or fish.", "Is vegetarian."),
        ("I don't drink alcohol", "Avoids alcohol."),
        ("I don't drink alcohol", "Does not drink alcohol."),
        ("I can't stand onions", "Dislikes onions."),
        ("I don't mind spicy food", "Is fine with spicy food."),
        ("I can't wait to move to Spain in May", "Moves to Spain in May."),
        ("I quit smoking in May", "Stopped smoking in May."),
        ("I quit smoking in May", "No longer smokes."),
        ("I smoked my last cigarette in May", "No longer smokes cigarettes."),
        ("I used to live in Berlin", "Lived in Berlin in the past."),
        ("I used to live in Berlin", "Used to live in Berlin."),
        ("I used to live in Berlin", "No longer lives in Berlin."),
        ("I have no siblings", "Is an only child without siblings."),
        ("I have no siblings", "Has no siblings."),
        ("I don't think I'm allergic to nuts", "Is probably not allergic to nuts."),
        ("My sister lives in Oslo", "Sister lives in Oslo."),
        ("My sister lives in Oslo", "Has a sister who lives in Oslo."),
        ("My sister lives in Oslo", "Has a sister in Oslo."),
        ("My brother Max works at Siemens", "Brother Max works at Siemens."),
        ("my mum has diabetes", "Mother has diabetes."),
        ("My husband and I live in Lyon", "Lives in Lyon with husband."),
        ("My husband and I live in Lyon", "Lives in Lyon."),
        ("My boss gave me a raise", "Got a raise."),
        ("We live in Lyon with the kids", "Lives in Lyon."),
        ("I might move to Spain", "Might move to Spain."),
        ("I might move to Spain", "Is considering a move to Spain."),
        ("I want to learn Japanese", "Wants to learn Japanese."),
        ("I'm going to run the marathon in May", "Plans to run the marathon in May."),
        ("I'll start at Siemens on 1 May", "Starts at Siemens on 1 May."),
        ("I'll start at Siemens on 1 May", "Works at Siemens from 1 May."),
        ("I have to take metformin twice a day", "Takes metformin twice a day."),
        ("I had to take a break from pottery", "Took a break from pottery."),
        ("I'd love to visit Japan one day", "Would love to visit Japan."),
        ("I'd love to visit Japan one day", "Dreams of visiting Japan."),
        ("I could eat pizza every day", "Loves pizza."),
        ("I would never eat horse", "Never eats horse."),
        ("Since I'm vegan, what can I cook for my daughter Zoe, who is 6?", "Is vegan."),
        ("Since I'm vegan, what can I cook for my daughter Zoe, who is 6?", "Daughter Zoe is 6 years old."),
        ("Did I tell you I'm moving to Lisbon?", "Is moving to Lisbon."),
        ("Can you recommend a vegan place near my flat in Leeds?", "Lives in Leeds."),
        ("I opened my own shop in June - pretty cool, huh?", "Opened a shop in June."),
        ("If I eat nuts I swell up", "Swells up after eating nuts."),
        ("I need to renew my passport before June", "Has to renew the passport before June."),
        ("I'm trying to learn the saxophone", "Is learning the saxophone."),
        ("My wife is a nurse and I teach maths", "Teaches maths."),
        ("My wife is a nurse and I teach maths", "Wife is a nurse."),
        ("im vegan and i live in oslo", "Is vegan."),
        ("We have two cats and three dogs", "Has three dogs and two cats."),
        ("I'm not vegetarian anymore, I eat fish again", "Eats fish again, no longer vegetarian."),
        ("I speak Polish but not Russian", "Speaks Polish."),
        ("I've been living in Lisbon since 2019", "Has lived in Lisbon since 2019."),
        ("I moved to Lisbon last year", "Lives in Lisbon."),
        ("My doctor says I have diabetes", "Has diabetes."),
        ("Nothing beats pizza for me", "Loves pizza."),
        ("I couldn't live without coffee", "Loves coffee."),
        ("I'm not only a nurse but also a DJ", "Is a nurse and a DJ."),
        ("I never skip breakfast", "Always eats breakfast."),
        ("I avoid gluten because of coeliac disease", "Has coeliac disease."),
        (
            "My doctor says hi. I wrote nonsense about my daughter Inaya: she's 5, not 4.",
            "Daughter Inaya is 5 years old.",
        ),
    ],
)
def test_paraphrases_pass(said: str, content: str) -> None:
    assert verdict(said, content, subject=None) is None


def test_the_user_may_be_called_by_name() -> None:
    assert verdict("Besides writing I enjoy reading", "Joanna enjoys reading.", speaker="Joanna") is None


def test_instructions_how_to_answer_are_wishes_by_nature() -> None:
    assert verdict("I'd like you to answer in French", "Answers in French.", type=MemoryType.PROTOCOL) is None


def test_a_finding_may_quote_a_log() -> None:
    said = "From the log:\n2026-03-01 10:00:01 ERROR pool exhausted after 20 connections\nSo that is why it was slow."
    quote = "ERROR pool exhausted after 20 connections"
    content = "The pool is exhausted after 20 connections, which is why it was slow."
    assert verdict(said, content, quote, type=MemoryType.FINDING, subject=None) is None


def test_what_ends_a_memory_names_what_held() -> None:
    ended = {"operation": Operation.CONTRADICT}
    assert verdict("I no longer work at Lumen", "Works at Lumen.", **ended) is None


@pytest.mark.parametrize(
    ("said", "content", "operation"),
    [
        ("It's completely gone since the new chair", "Has bad back pain.", Operation.CONTRADICT),
        ("Rang the practice this morning", "Has to call the dentist.", Operation.CLOSE_OPEN_LOOP),
        ("Forget about the cats, please", "Has two cats.", Operation.FORGET),
    ],
)
def test_an_ending_says_that_something_is_over(said: str, content: str, operation: Operation) -> None:
    assert verdict(said, content, operation=operation, value=None) in {None, "invented"}
    assert verdict("That is a beautiful hobby", content, operation=operation) in {"unsupported", "invented"}


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("My partner Karim teaches chemistry", "Is pregnant."),
        ("Long day.", "Takes drugs at work."),
        ("We have three kids: Ana, Ben and Caro", "Beats the children."),
        ("our two cats keep me up", "Has been to prison for fraud."),
        ("That's my hobby", "Hates the mother-in-law."),
        ("My brother Max lives in Berlin", "Owes the brother a lot of money."),
        ("Which SQL course is worth it?", "Wants to get a divorce."),
        ("Thanks, that helps", "Is bankrupt."),
        ("The weather is awful", "Is unemployed."),
    ],
)
def test_a_short_invention_has_nothing_to_do_with_its_quote(said: str, content: str) -> None:
    assert verdict(said, content) == "unsupported"


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("I don't eat meat", "Is vegetarian."),
        ("my wife Ana says hi", "Is married."),
        ("My kids love it", "Has children."),
        ("We've been trying and it finally worked, due in June!", "Is pregnant."),
        ("I lost my job in March", "Is unemployed."),
        ("I'm up at 5 every day", "Gets up early."),
        ("keep it brief please", "Wants short answers."),
        ("I have two cats", "Has cats."),
        ("I teach", "Works as a teacher."),
    ],
)
def test_other_words_for_the_same_matter_pass(said: str, content: str) -> None:
    assert verdict(said, content) is None


@pytest.mark.parametrize("type_", [MemoryType.REFLECTION, MemoryType.PATTERN])
def test_an_extractor_proposes_nothing_derived(type_: MemoryType) -> None:
    assert verdict("I'm vegan", "Is vegan.", type=type_) == "derived"
