"""What a message states about its writer: the slot that a statement fills where a slot decides what replaces what, and
elsewhere a proposal of the right type that holds the words that matter."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline_tests.inference.builtin.extraction.extracting import brief, drafts, kept, slot

IDENTITY = {
    "My name is Sarah Garcia.": ["name=Sarah Garcia"],
    "I'm 34 years old": ["age=34"],
    "I just turned 41": ["age=41"],
    "my birthday is on May 3rd": ["birthday=3 May"],
    "I was born on March 3, 1990": ["birthday=3 March 1990"],
    "I'm from Porto": ["hometown=Porto"],
    "I grew up in Kanazawa": ["hometown=Kanazawa"],
    "I'm German": ["nationality=German"],
    "I am Jewish": ["religion=Jewish"],
    "I weigh 72 kg": ["weight=72 kg"],
    "Good news from the scale, I weigh 88 kg now.": ["weight=88 kg"],
    "Hi, I'm Tomasz, 41.": ["name=Tomasz", "age=41"],
    "Dear assistant, I weigh 81 kg.": ["weight=81 kg"],
    "Dear assistant, my name is Pia": ["name=Pia"],
    "Hey assistant, I weigh 80 kg.": ["weight=80 kg"],
}
HOME_AND_WORK = {
    "I live in Berlin": ["residence=Berlin"],
    "i live in berlin": ["residence=berlin"],
    "I've been living in Lisbon for 3 years": ["residence=Lisbon"],
    "I'm based in Vienna these days": ["residence=Vienna"],
    "We live in Hamburg now": ["residence=Hamburg"],
    "I live in Berlin and the heating bill this winter is insane.": ["residence=Berlin"],
    "No, I live in Graz.": ["residence=Graz"],
    "I'm a nurse": ["occupation=nurse"],
    "I work as a pediatric nurse": ["occupation=pediatric nurse"],
    "I'm a registered nurse": ["occupation=registered nurse"],
    "I'm a beekeeper, so I'm used to sweet things.": ["occupation=beekeeper"],
    "I work at Figma": ["employer=Figma"],
    "I work in marketing at Pedalwerk": ["employer=Pedalwerk"],
    "I work at Meta": ["employer=Meta"],  # no pronoun, though it starts like one
    "I work for Allianz": ["employer=Allianz"],
    "I work at google": ["employer=google"],
    "I was promoted to Senior Manager": ["occupation=Senior Manager"],
    "I no longer work at Google": ["employer=not Google"],
    "I study forestry": ["education=forestry"],
    "Third year of my apprenticeship as a plumber": ["education=third year of their apprenticeship"],
    "I study chemistry at ETH": ["education=chemistry"],
    "I have a PhD in Political Science": ["education=PhD in Political Science"],
}
PEOPLE = {
    "I'm married": ["relationship_status=married"],
    "I'm engaged to Max": ["relationship_status=engaged", "partner=Max"],
    "I'm divorced": ["relationship_status=divorced"],
    "My wife's name is Nora": ["partner=Nora"],
    "my husband is called Ben": ["partner=Ben"],
    "my sister's name is Anna": ["family=Anna"],
    "My parents, Maureen and Fred, live in Ohio": ["family=Maureen and Fred"],
    "I have two kids": ["family=two kids"],
    "my best friend Sam is a chef": ["friend=Sam"],
    "my cats are called Tom and Jerry": ["pet=Tom and Jerry"],
    "I adopted a kitten": ["pet=kitten"],
    "our beagle Biscuit bolts every time the bell rings": ["pet=Biscuit"],
    "my car Betsy needs a new clutch": ["possession=Betsy"],
    "my brother lives in Oslo": ["brother.residence=Oslo"],
    "My wife is a pediatric nurse": ["wife.occupation=pediatric nurse"],
    "my son is 5": ["son.age=5"],
    "my mom is allergic to cats": ["mother.allergy=cats"],
    "my brother Tom lives in Oslo. He works as a nurse.": [
        "family=Tom",
        "brother tom.residence=Oslo",
        "brother tom.occupation=nurse",
    ],
}
HEALTH = {
    "I'm allergic to peanuts": ["allergy=peanuts"],
    "I’m allergic to nuts 🥜": ["allergy=nuts"],
    "I have asthma": ["health=asthma"],
    "I've been diagnosed with type 2 diabetes": ["health=type 2 diabetes"],
    "I don't eat pork": ["eats=not pork"],
    "I'm vegetarian": ["diet=vegetarian"],
    "I went vegan last year": ["diet=vegan"],
    "I don't smoke": ["smoking=not smoker"],
    "I used to smoke": ["smoking=not smoker"],
    "I don't drink": ["drinking=not alcohol"],
}
TASTES = {
    "I enjoy jazz": ["likes=jazz"],
    "I'm a huge fan of Formula 1": ["likes=Formula 1"],
    "I'm really into pottery": ["likes=pottery"],
    "I don't like olives": ["dislikes=olives"],
    "I can't stand loud music": ["dislikes=loud music"],
    "my favourite movie is The Matrix": ["favorite_movie=Matrix"],
    "I switched from coffee to tea": ["preferred_drink=tea"],
    "I'm switching from VS Code to Zed": ["preferred_editor=Zed"],
}
PURSUITS = {
    "I play the guitar": ["hobby=guitar"],
    "I play the banjo.": ["hobby=banjo"],
    "I do yoga": ["hobby=yoga"],
    "I collect stamps": ["hobby=stamps"],
    "I don't speak French": ["language=not French"],
    "I'm learning Norwegian": ["learning=Norwegian"],
    "I started learning the piano": ["learning=piano"],
    "I use neovim and tmux": ["preferred_editor=neovim", "tool=tmux"],
    "I no longer use Jira": ["tool=not Jira"],
    "I'm working on a novel about bees": ["project=novel about bees"],
    "I'm building a treehouse": ["project=treehouse"],
    "I drive a Toyota Corolla": ["possession=Toyota Corolla"],
}
SEVERAL = {
    "I moved to Lisbon and I work at Figma now": ["residence=Lisbon", "employer=Figma"],
    "I moved to Lisbon and work at Figma now": ["residence=Lisbon", "employer=Figma"],
    "My name's Ali, I'm 34 and I live in Berlin with my wife Nora": ["age=34", "partner=Nora", "residence=Berlin"],
    " - I live in Rome\n - I work at Acme": ["residence=Rome", "employer=Acme"],
    "Can you help me? I'm a teacher. I live in Graz": ["occupation=teacher", "residence=Graz"],
    "I'm vegan 🌱 I live in Graz": ["diet=vegan", "residence=Graz"],
    "I’m from Porto originally but I live in Berlin": ["hometown=Porto", "residence=Berlin"],
}
SLOTS = {**IDENTITY, **HOME_AND_WORK, **PEOPLE, **HEALTH, **TASTES, **PURSUITS, **SEVERAL}


@pytest.mark.parametrize(("content", "expected"), SLOTS.items(), ids=SLOTS)
def test_a_statement_fills_its_slots_and_gives_them_no_second_value(content: str, expected: list[str]) -> None:
    named = {one.partition("=")[0] for one in expected}
    found = [slot(d) for d in drafts(content) if d.attribute]
    assert {one for one in found if one.partition("=")[0] in named} == set(expected)


@pytest.mark.parametrize("content", [c for c in SLOTS if c not in SEVERAL])
def test_a_statement_passes_the_gates_floors(content: str) -> None:
    assert kept(drafts(content))


SAID = {  # where no slot decides: type and words of a proposal that passes the gate's floors
    "I'm an introvert": ("profile_fact", "introvert"),
    "My blood type is O+": ("profile_fact", "blood type O"),
    "my personality type is ENTJ": ("profile_fact", "personality type ENTJ"),
    "According to the MBTI test, my personality type is ENTJ": ("profile_fact", "personality type ENTJ"),
    "my native language is Portuguese": ("profile_fact", "native language Portuguese"),
    "I use they/them pronouns": ("profile_fact", "they/them pronouns"),
    "I live with my parents": ("profile_fact", "lives parents"),
    "I work in marketing at Pedalwerk": ("profile_fact", "marketing"),
    "I work from home": ("profile_fact", "works from home"),
    "my job is in finance": ("profile_fact", "finance"),
    "my major is biology": ("profile_fact", "major biology"),
    "I'm a mom of two": ("profile_fact", "mom of two"),
    "I'm an only child": ("profile_fact", "only child"),
    "my best friend Sam is a chef": ("profile_fact", "friend Sam chef"),
    "Max is a golden retriever": ("profile_fact", "Max golden retriever"),
    "my mom passed away in 2019": ("profile_fact", "mother passed away 2019"),
    "I stopped drinking coffee": ("profile_fact", "no longer drinks coffee"),
    "I take 20 mg of lisinopril for my blood pressure": ("profile_fact", "20 mg lisinopril blood pressure"),
    "I love hiking and photography": ("preference", "hiking photography"),
    "I like to cook and bake": ("preference", "cook bak"),
    "In my free time I like to paint": ("preference", "paint"),
    "I hate Mondays": ("preference", "hates Mondays"),
    "Weird, since the pregnancy I hate cilantro.": ("preference", "hates cilantro"),
    "not a fan of cilantro": ("preference", "not cilantro"),
    "I prefer tea over coffee": ("preference", "prefers tea over coffee"),
    "I prefer vim to emacs": ("preference", "prefers vim to emacs"),
    "I prefer working alone": ("preference", "prefers working alone"),
    "my hobbies are chess and climbing": ("profile_fact", "chess climbing hobby"),
    "Playing video games and watching movies are my main hobbies.": ("profile_fact", "video games"),
    "I want to learn the piano": ("open_loop", "learn the piano"),
    "My knee operation is booked for 3 December": ("open_loop", "knee operation"),
    "sewing lesson on 3 December, so nervous": ("open_loop", "sewing lesson on"),
    "My car is a Tesla Model 3": ("profile_fact", "car Tesla Model 3"),
    "I usually drink coffee in the morning": ("preference", "usually coffee morning"),
    "I work out three times a week": ("profile_fact", "works out three times a week"),
    "I used to swim competitively in college": ("profile_fact", "used to swim college"),
    "I used to live in Oslo": (None, "used to live Oslo"),
    "I've been listening to audiobooks during my commute": ("profile_fact", "listening audiobooks commute"),
    "My monthly income is 15600 USD": ("profile_fact", "monthly income 15600 USD"),
    "My daily train fare is $6": ("profile_fact", "daily train fare 6"),
    "I have a small bakery in Kichijoji": ("profile_fact", "small bakery Kichijoji"),
    "I bought a new laptop": ("episodic_event", "bought new laptop"),
    "I'm the treasurer of our choir.": ("profile_fact", "treasurer choir"),
    "I am currently employed, working in the finance industry.": ("profile_fact", "finance industry"),
}


def _holds(content: str, words: str) -> bool:
    low = content.lower()
    return all(word.lower() in low for word in words.split())


@pytest.mark.parametrize(("content", "expected"), SAID.items(), ids=SAID)
def test_a_statement_without_a_slot_is_told_with_the_words_that_matter(
    content: str, expected: tuple[str | None, str]
) -> None:
    kind, words = expected
    told = drafts(content) if kind is None else [d for d in kept(drafts(content)) if d.type == kind]
    assert _holds(" ".join(d.content for d in told), words), [f"{d.type}: {d.content}" for d in drafts(content)]


WORLD = {  # of whom, and what: one value at a time
    "The capital of France is Paris": "France.current_capital=Paris",
    "Paris is the capital of France": "France.current_capital=Paris",
    "Thomas Kyd was born in the city of London.": "Thomas Kyd.current_birthplace=London",
    "Ada Lovelace is a citizen of United Kingdom": "Ada Lovelace.current_citizenship=United Kingdom",
    "cricket was created in the country of England.": "Cricket.current_country_of_origin=England",
    "Hines Ward plays the position of cornerback.": "Hines Ward.current_position=cornerback",
    "Chanel was founded by Coco Chanel": "Chanel.current_founder=Coco Chanel",
    "Tom is married to Ana": "Tom.current_spouse=Ana",
    "The headquarters of Acme Corp is located in the city of Bonn.": "Acme Corp.current_headquarters=Bonn",
    "Pedro worked in the city of Washington, D.C.": "Pedro.current_work_location=Washington, D.C.",
    "Walter Chrysler's child is Walter Percy": "Walter Chrysler.current_child=Walter Percy",
}


@pytest.mark.parametrize(("content", "expected"), WORLD.items(), ids=WORLD)
def test_a_fact_about_the_world_is_a_slot_of_what_it_is_about(content: str, expected: str) -> None:
    assert [slot(d) for d in kept(drafts(content))] == [expected]


def test_numbered_facts_about_the_world_are_told_apart() -> None:
    told = kept(drafts("1. The capital of Spain is Madrid.\n2. Chanel was founded by Coco Chanel."))
    assert [slot(d) for d in told] == ["Spain.current_capital=Madrid", "Chanel.current_founder=Coco Chanel"]


def test_an_opinion_of_a_thing_of_the_moment_is_no_memory() -> None:
    assert kept(drafts("The color of my idea is nice")) == []
    assert kept(drafts("I loved this spot on the hike")) == []


WORK = {
    "we decided to use Postgres because it is simple": ("decision", "Postgres because it is simple"),
    "We found that batching cuts the latency by half": ("finding", "batching cuts the latency by half"),
    "Turns out the cache was never invalidated": ("finding", "cache was never invalidated"),
    "The root cause was a leaked connection in the retry path": ("finding", "root cause leaked connection retry path"),
    "Root cause was a missing index, fixed by adding one": ("correction", "missing index fixed by adding one"),
    "The migration should take ~3 days": ("estimate", "migration ~3 days"),
}


@pytest.mark.parametrize(("content", "expected"), WORK.items(), ids=WORK)
def test_a_note_of_work_is_kept_whole(content: str, expected: tuple[str, str]) -> None:
    (note,) = drafts(content)
    assert note.type == expected[0]
    assert _holds(note.content, expected[1])


UPDATES = [
    "I was promoted to Senior Manager",
    "I moved to Lisbon",
    "I switched from coffee to tea",
    "I went vegan last year",
]


@pytest.mark.parametrize("content", UPDATES)
def test_a_change_replaces_what_filled_the_slot(content: str) -> None:
    assert [d for d in drafts(content) if d.operation is Operation.UPDATE and d.attribute]


def test_whom_somebody_is_called_after_is_told_once() -> None:
    named = [d for d in drafts("my brother Tom lives in Oslo. He works as a nurse.") if d.attribute == "family"]
    assert [(d.type, d.value) for d in named] == [(MemoryType.PROFILE_FACT, "Tom")]


PRESUPPOSED = {
    "What can I eat that won't trouble my ulcer?": "profile_fact health=ulcer",
    "Which sports go with my mild asthma?": "profile_fact health=mild asthma",
    "Suggest three soups, no leeks because I react to those.": "profile_fact eats=not leeks",
}


@pytest.mark.parametrize(("asked", "told"), PRESUPPOSED.items(), ids=PRESUPPOSED)
def test_what_a_request_presupposes_of_its_writers_health(asked: str, told: str) -> None:
    assert told in [brief(d) for d in kept(drafts(asked))]


@pytest.mark.parametrize("asked", ["What helps against an ulcer?", "Is my mum's asthma hereditary?", "Is asthma bad?"])
def test_an_illness_that_nobody_claims_is_not_the_writers(asked: str) -> None:
    assert kept(drafts(asked)) == []
