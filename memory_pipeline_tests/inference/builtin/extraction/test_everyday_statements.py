"""Plain everyday statements, as people type them: each is told as it was meant."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.proposal import Operation
from memory_pipeline_tests.inference.builtin.extraction.extracting import drafts, kept

TOLD = [
    ("half my salary goes on rent", "Half their salary goes on rent."),
    ("both my grandmothers were seamstresses", "Both their grandmothers were seamstresses."),
    ("my blood pressure's always been on the low side", "Their blood pressure has always been on the low side."),
    ("i brew my own cider from the apples out back", "Brews their own cider from the apples out back."),
    ("I put 300 a month into an isa", "Puts 300 a month into an isa."),
    ("doctor wants me to cut down on salt", "Doctor wants them to cut down on salt."),
    ("I had a knee operation in 2019", "Had a knee operation in 2019."),
    ("lost our old greyhound in June", "Lost their old greyhound in June 2025."),
    ("can't do stairs very well since the accident", "Cannot do stairs well since the accident."),
    ("sensitive to perfume, gives me a headache straight away", "Is sensitive to perfume."),
    ("never learned to swim", "Never learned to swim."),
    ("my thesis is about mangrove restoration", "Their thesis is about mangrove restoration."),
    ("thinking of going down to four days a week", "Is thinking of going down to four days a week."),
    ("brother in law is a plumber which is handy", "Brother-in-law works as a plumber."),
    ("I always take the window seat", "Always takes the window seat."),
    ("I've sung alto in a chapel choir since 2015", "Has sung alto in a chapel choir since 2015."),
    ("the church roof committee made me treasurer last week", "Works as a treasurer."),
    ("we usually spend christmas at my sister's in Bath", "Usually spends christmas at their sister's place in Bath."),
    ("our standup got moved to 8:30 which is killing me", "Their standup is 8:30."),
    ("neighbour upstairs plays drums till midnight", "Neighbour upstairs plays drums till midnight."),
    ("been going to physio on Thursdays", "Has been going to physio on Thursdays."),
    ("got into bouldering this year", "Got into bouldering in 2026."),
]


@pytest.mark.parametrize(("said", "content"), TOLD)
def test_an_everyday_statement_is_told_as_it_was_meant(said: str, content: str) -> None:
    assert content in [d.content for d in kept(drafts(said))]


def test_several_children_of_one_user_stay_apart() -> None:
    found = drafts("my eldest starts secondary in September. our youngest just turned 4")
    assert {"eldest child", "youngest child"} <= {d.subject for d in found}


def test_sentences_that_run_on_without_a_stop_are_read_one_by_one() -> None:
    found = [d.content for d in kept(drafts("i'm a nurse i have two kids"))]
    assert found == ["Works as a nurse.", "Has two kids."]


def test_a_relative_clause_is_no_sentence_of_its_own() -> None:
    assert kept(drafts("the book i read last week was great")) == []


def test_a_row_of_names_tells_who_there_is_and_how_old_they_are() -> None:
    told = [d.content for d in drafts("Kids: Noa 7, Ben 4")]
    assert told == [
        "Has a child called Noa.", "Child Noa is 7 years old.", "Has a child called Ben.", "Child Ben is 4 years old."
    ]  # fmt: skip


@pytest.mark.parametrize(
    "said", ["still paying off my student loan", "my mother tongue is Twi", "our cat only eats fish"]
)
def test_a_word_behind_a_relation_that_is_no_name_names_nobody(said: str) -> None:
    assert not any(" called " in d.content for d in drafts(said))


def test_hives_that_are_counted_are_no_rash() -> None:
    assert not any(d.attribute == "health" for d in drafts("I keep bees, two hives"))


EFFECTS = [
    ("oats make me throw up", "Oats make them throw up."),
    ("shellfish gives me hives", "Shellfish gives them hives."),
    ("lavender sets off my asthma", "Lavender sets off their asthma."),
    ("dairy doesn't agree with me", "Dairy does not agree with them."),
]


@pytest.mark.parametrize(("said", "content"), EFFECTS)
def test_what_a_thing_does_to_the_body_is_a_matter_of_health(said: str, content: str) -> None:
    found = drafts(said)
    assert [(d.content, d.attribute) for d in kept(found)] == [(content, "health")]


@pytest.mark.parametrize("said", ["this project gives me a headache", "my boss makes me sick"])
def test_what_people_and_projects_do_to_somebody_is_not(said: str) -> None:
    assert not any(d.attribute == "health" for d in drafts(said))


OF_ONESELF = [
    ("I can't be around cats", "Cannot be around cats."),
    ("i also hear very poorly on the left side", "Hears poorly on the left side."),
    ("my wife had a c-section", "Wife had a c-section."),
    ("groundnut soup is my weakness", "Likes groundnut soup."),
    ("mushrooms are my nemesis", "Dislikes mushrooms."),
    ("traded the old truck in on a Kenworth", "Has a Kenworth."),
    ("we closed on a house", "Owns a house."),
    ("I've changed my days, mondays and fridays now", "Has changed their days, mondays and fridays."),
    ("I'm a student at Leeds", "Is a student at Leeds."),
    ("im 17 from tampere", "Lives in tampere."),
    ("my boyfriend Iván talks less than my plants", "Has a boyfriend called Iván."),
    ("My flatmate Keti disagrees, but Keti writes tax law.", "Flatmate Keti writes tax law."),
    ("We have also a parrot, Willem, who says 'belasting' all day", "Has a parrot called Willem."),
    ("Good morning. Alastair, seventy-one, Leith.", "Is 71 years old."),
    ("My wife Ngozi and I wish to visit Lisbon in January.", "Wishes to visit Lisbon in January 2027."),
    ("I am to repay 250,000 monthly.", "Has to repay 250,000 monthly."),
    ("Only levothyroxine 75, in the morning.", "Takes levothyroxine 75, in the morning."),
    ("I am 67 and used to be a court stenographer.", "Used to be a court stenographer."),
    ("need two commis before we open on 17 April", "Needs two commis before they open on 17 April 2026."),
]


@pytest.mark.parametrize(("said", "content"), OF_ONESELF)
def test_what_people_say_of_themselves_in_passing_is_told(said: str, content: str) -> None:
    assert content in [d.content for d in kept(drafts(said))]


def test_medicines_that_are_taken_together_are_told_one_by_one() -> None:
    told = [d.content for d in drafts("I take atorvastatin and a wee aspirin, before you ask")]
    assert told == ["Takes atorvastatin.", "Takes a wee aspirin."]


def test_a_list_of_children_tells_each_of_them() -> None:
    told = [d.content for d in drafts("I have 2 boys, Nico 14 and Rafa 11")]
    assert told[1:3] == ["Has a son called Nico.", "Son Nico is 14 years old."]


def test_a_pronoun_behind_a_stranger_is_the_stranger() -> None:
    found = drafts("my sister Ana is here. Rahel is the old lady in room 12, she is a retired judge.")
    assert {d.subject for d in found if "judge" in d.content} == {"Rahel"}


NOTHING = [
    "If we have a second kid I'm moving into a monastery.",
    "Last week I told you how much debt I have from my journey",
    "I'm only saying it so you know why I'm slow.",
    "I'm married to a penguin. jk",
    "Boats are holes in the water.",
    "One cannot audition with one hand.",
    "He's deaf as a post, mind.",
    "Boss please help me budget.",
]


@pytest.mark.parametrize("said", NOTHING)
def test_what_tells_nothing_of_the_writer_is_left_out(said: str) -> None:
    assert kept(drafts(said)) == []


LEFT_OUT = [
    ("i owe my dad two grand", "Owes their dad two grand."),
    ("had my hip replaced in May", "Had their hip replaced in May 2025."),
    ("had my tonsils out", "Had their tonsils out."),
    ("fatty food is a no", "Cannot have fatty food."),
    ("I'm coeliac so nothing with barley", "Cannot have barley."),
    ("loud restaurants stress me out so I avoid them", "Avoids loud restaurants."),
    ("third semester of nursing, nights are placement", "Is in the third semester of nursing."),
    ("I finally got my driving licence", "Got their driving licence."),
    ("it's just me and my daughter at home", "Lives with their daughter."),
    ("my brother's getting married in Goa in December", "Brother is getting married in Goa in December 2026."),
    ("I'm turning 50 in October", "Is turning 50 years old in October 2026."),
    ("flying to Oslo on the 3rd for a conference", "Plans to fly to Oslo for a conference on 3 April 2026."),
    ("cycle to work, 8 miles each way", "Cycles to work, 8 miles each way."),
    ("two guinea pigs, Bubble and Squeak", "Has a guinea pig called Bubble."),
    (
        "adding pharmacy to the list, my EpiPen prescription runs through the doctor here",
        "Their EpiPen prescription runs through the doctor here.",
    ),
]


@pytest.mark.parametrize(("said", "content"), LEFT_OUT)
def test_what_people_leave_out_is_filled_in(said: str, content: str) -> None:
    assert content in [d.content for d in kept(drafts(said))]


def test_what_is_in_the_fridge_is_forgotten() -> None:
    assert kept(drafts("fridge: half a lemon and mustard")) == []


IN_OTHER_WORDS = [
    ("Jazz is my favourite music so yes.", "Their favorite music is Jazz."),
    ("I HATE washing up", "Hates washing up."),
    ("i got braces", "Got braces."),
    ("Up at 5, gym", "Gets up at 5, gym."),
    ("I get up at 5:30", "Gets up at 5:30."),
    ("I play second violin in the Kraków Philharmonic", "Plays second violin in the Kraków Philharmonic."),
    ("I'm a first year at Legon, reading economics", "Is a first year at Legon, reading economics."),
    ("Hello dear. This is Lorraine, I am 79 years young", "Is called Lorraine."),
    ("owain's got epilepsy so no strobe stuff ever", "Owain has epilepsy."),
]


@pytest.mark.parametrize(("said", "content"), IN_OTHER_WORDS)
def test_what_is_said_in_other_words_is_told(said: str, content: str) -> None:
    assert content in [d.content for d in kept(drafts(said))]


def test_a_pet_is_called_by_its_name_and_the_writer_is_not() -> None:
    told = [d.content for d in drafts("we just adopted a RABBIT. his name is gravy.")]
    assert told[-1] == "Rabbit is called gravy."


@pytest.mark.parametrize(
    "said",
    [
        "if i win i'm buying a yacht and naming it foam",
        "need: title for poster, max 12 words",
    ],
)
def test_what_depends_threatens_or_is_asked_for_is_left_out(said: str) -> None:
    assert kept(drafts(said)) == []


HAVING_AND_BEING = [
    ("My husband passed away in April", "Husband passed away in April 2025."),
    ("I'm deaf in my right ear", "Is deaf in their right ear."),
    ("Thursday is my only free evening", "Their only free evening is Thursday."),
    ("sister's a lawyer in Porto", "Sister works as a lawyer in Porto."),
    ("lactose and I do not get along", "Avoids lactose."),
    ("haven't eaten meat since I was 15", "Does not eat meat."),
    ("I'm in a wheelchair, so please only step-free places", "Is in a wheelchair."),
    ("don't have a car, I go everywhere by bike", "Does not have a car."),
    ("My visa runs out in March so I need a job offer before then", "Their visa runs out in March 2026."),
    ("my mother in law Concha has moved in, she's 83", "Mother-in-law Concha is 83 years old."),
]


@pytest.mark.parametrize(("said", "content"), HAVING_AND_BEING)
def test_what_somebody_has_is_or_is_without_is_told(said: str, content: str) -> None:
    assert content in [d.content for d in kept(drafts(said))]


def test_all_that_somebody_goes_without_is_told() -> None:
    told = [d.content for d in drafts("I'm Sikh so no beef, no alcohol, and I tie a turban")]
    assert told[:3] == ["Cannot have beef.", "Cannot have alcohol.", "Is Sikh."]


@pytest.mark.parametrize(
    "said",
    [
        "Yukon, Nunavut, Northwest.",
        "jonty thinks we should feed it toast",
        "also in case I pass out mid sentence: it's not my fault",
    ],
)
def test_lists_of_names_opinions_of_others_and_precautions_are_left_out(said: str) -> None:
    assert kept(drafts(said)) == []


def test_what_is_done_closes_also_before_another_clause() -> None:
    found = drafts("insurance is sorted btw, got the annual one")
    assert "Their insurance is sorted." in [d.content for d in found if d.operation is Operation.CLOSE_OPEN_LOOP]


INTRODUCED = [
    ("I'm an English teacher.", {"occupation": "English teacher"}),
    ("I'm a German engineer, 34.", {"occupation": "German engineer", "age": "34"}),
    ("I'm a Norwegian woman of 50.", {"nationality": "Norwegian"}),
    ("I'm a Polish student.", {"nationality": "Polish"}),
    ("Nurse in Leeds, 34", {"occupation": "nurse", "residence": "Leeds", "age": "34"}),
    ("I'm Yousef, first officer in training, 25.", {"name": "Yousef", "occupation": "first officer"}),
    ("I'm Bo, waiter in a hotel of Lyon.", {"name": "Bo", "occupation": "waiter"}),
    ("auditor for Lindholm in January, home by ten", {"occupation": None, "residence": None}),
    (
        "Plumber, 45, two kids, a dog, Oslo",
        {"occupation": "plumber", "family": "two kids", "pet": "dog", "residence": "Oslo"},
    ),
    ("I am an English teacher, been in Osaka 8 years.", {"occupation": "English teacher"}),
]


@pytest.mark.parametrize(("said", "slots"), INTRODUCED)
def test_who_introduces_themselves_is_told_by_what_they_are_and_nothing_else(
    said: str, slots: dict[str, str | None]
) -> None:
    of_one = {"name", "age", "occupation", "residence", "nationality"}
    found = {d.attribute: d.value for d in kept(drafts(said)) if d.attribute in of_one | slots.keys()}
    assert {slot: found.get(slot) for slot in slots} == slots
    assert not (found.keys() - slots.keys()) & {"residence", "nationality"}


def test_what_stands_in_brackets_is_not_cut_apart() -> None:
    found = drafts("Vet tech, 2 horses (Biscuit, Tango), Livingston")
    assert {"Works as a vet tech.", "Has horses called Biscuit, Tango.", "Lives in Livingston."} <= {
        d.content for d in found
    }
    assert not [d for d in found if d.content.count("(") != d.content.count(")")]


def test_one_of_several_that_is_spoken_of_introduces_nobody() -> None:
    found = drafts("One of the cats, Figa, died last night. I don't want to talk about it.")
    assert not [d for d in found if d.attribute in {"residence", "avoid_topic"}]
