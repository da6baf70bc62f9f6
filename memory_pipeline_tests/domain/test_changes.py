"""What is no more once something else is told: of things, people and posts, in the words in which people tell it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory_pipeline.domain.consolidation.endings.ended_relations import ended
from memory_pipeline.domain.consolidation.endings.replacement import replaced
from memory_pipeline.domain.consolidation.supersession import Action, Candidate, Decision, decide
from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline_tests.factories import NOON, POLICY, memory, proposal

LATER = NOON + timedelta(days=20)
ENDS = [  # known: content, attribute, value, subject; told: content, subject; whether it is over
    (("Has a 2011 Corsa.", "have", "2011 Corsa", "user"), ("The Corsa got scrapped.", "The Corsa"), True),
    (("Has a boss called Imke.", "current_boss", "Imke", "user"), ("Imke left.", "Imke"), True),
    (("Boss Imke has twins.", "family", "twins", "boss imke"), ("Imke left.", "Imke"), False),
    (("Has a boss called Imke.", "current_boss", "Imke", "user"), ("Imke got promoted.", "Imke"), True),
    (("Plays the tuba.", "hobby", "tuba", "user"), ("Has hung up the tuba.", "user"), True),
    (("Is chair of the choir.", "trait", "chair of the choir", "user"), ("Stepped down as chair.", "user"), True),
    (("Volunteers at the shelter.", "volunteer", None, "user"), ("Had to stop volunteering.", "user"), True),
    (("Is learning Czech.", "learning", "Czech", "user"), ("Gave up on Czech, trying Polish.", "user"), True),
    (("Is learning Czech.", "learning", "Czech", "user"), ("Is trying not to give up on Czech.", "user"), False),
    (("Is allergic to kiwi.", "allergy", "kiwi", "user"), ("Their kiwi allergy turned out to be wrong.", "user"), True),
    (("Lives with their cousin.", "household", "cousin", "user"), ("Moved into their own flat.", "user"), True),
    (("Sister Bea lives in Bonn.", "residence", "Bonn", "sister bea"), ("Bea is back from Bonn.", "Bea"), True),
    (("Father is in hospital.", None, None, "father"), ("Father is home from hospital.", "father"), True),
    (("Wife Lia is pregnant.", "health", "pregnant", "wife lia"), ("Son Tim was born on 3 May.", "son tim"), True),
    (("Is a smoker.", "smoking", "smoker", "user"), ("Has quit for good.", "user"), True),
    (("Their bank is Revolut.", "current_bank", "Revolut", "user"), ("Has cancelled Revolut.", "user"), True),
    (("Their favorite film is Alien.", "favorite_film", "Alien", "user"), ("The film is over.", "The film"), False),
    (("Team uses Trello.", "tool", "Trello", "team"), ("No longer uses Trello.", "user"), True),
    (("Manages a pub off Hill Street.", "business", "pub", "user"), ("Finished up at the pub.", "user"), True),
    (
        ("Teaches maths at Northgate School.", "teaching", "maths", "user"),
        ("Northgate let them go.", "Northgate"),
        True,
    ),
    (("Works at Siemens.", "employer", "Siemens", "user"), ("Their contract with Siemens ran out.", "user"), True),
    (("Works at Siemens.", "employer", "Siemens", "user"), ("Handed their notice in.", "user"), True),
    (("Runs a food truck.", "business", "food truck", "user"), ("Closed the food truck down.", "user"), True),
    (("They play guitar in a band.", None, None, "user"), ("The band split up.", "user"), True),
    (
        ("Is doing a course in bookkeeping.", "learning", "course", "user"),
        ("Dropped the bookkeeping course.", "user"),
        True,
    ),
    (("Is studying for the N3 test.", "education", "N3 test", "user"), ("Passed the N3 test.", "user"), True),
    (("Studies law.", "education", "law", "user"), ("Passed the law exam.", "user"), False),
    (
        ("Is training for the Ghent marathon.", "goal", "Ghent marathon", "user"),
        ("Has withdrawn from Ghent.", "user"),
        True,
    ),
    (("Their ankle is sprained.", None, None, "user"), ("Their ankle is completely fine again.", "user"), True),
    (("Has terrible back pain.", "health", "back pain", "user"), ("Their back is much better.", "user"), True),
    (("Broke their wrist.", "injury", "wrist", "user"), ("Their wrist is good as gold.", "Cast"), True),
    (("Broke their wrist.", "injury", "wrist", "user"), ("Their ankle is good as gold.", "user"), False),
    (("Is down with dengue.", None, None, "user"), ("Is fully fit again.", "user"), True),
    (("Has asthma.", "health", "asthma", "user"), ("Is fully fit again.", "user"), False),
    (("Is breastfeeding.", None, None, "user"), ("Has weaned the baby.", "user"), True),
    (("Has a cast on their arm.", "have", "cast", "user"), ("Cast is off.", "Cast"), True),
    (("Their left knee is sprained.", None, None, "user"), ("Their knee is fine again.", "user"), True),
    (("Is pregnant.", "health", "pregnant", "user"), ("Lost the baby.", "user"), True),
    (("Has a sailboat.", "have", "sailboat", "user"), ("Their boat is gone.", "user"), True),
    (("Has an old Nikon.", "have", "old Nikon", "user"), ("Traded the Nikon in for a Fuji.", "user"), True),
    (("Has an allotment.", "possession", "allotment", "user"), ("Gave the allotment up.", "user"), True),
    (("Keeps two horses.", "keep", "two horses", "user"), ("Had to sell the horses.", "user"), True),
    (("Subscribes to Netflix.", "subscribe", "to Netflix", "user"), ("Cancelled Netflix.", "user"), True),
    (("Takes omeprazole.", "medication", "omeprazole", "user"), ("No longer needs the omeprazole.", "user"), True),
    (("Is engaged.", "relationship_status", "engaged", "user"), ("Their wedding is off.", "user"), True),
    (("Pays for Netflix.", "pay", "for Netflix", "user"), ("Cancelled their Netflix evening.", "user"), False),
    (("Pays for Netflix.", "pay", "for Netflix", "user"), ("Cancelled their Netflix subscription.", "user"), True),
    (("Boat: 27ft Whaler, kept at the quay.", None, None, "user"), ("Closed the sale of the Whaler.", "user"), True),
    (("Is saving for a camper van.", "goal", "camper van", "user"), ("Bought the camper van.", "user"), True),
    (("Is saving for a camper van.", "goal", "camper van", "user"), ("Bought a tent.", "user"), False),
    (("Has a camper van.", "possession", "camper van", "user"), ("Bought the camper van.", "user"), False),
    (("Is on the waiting list for a knee op.", None, None, "user"), ("Had the knee done.", "user"), True),
    (("Has a greyhound called Dusty.", "pet", "Dusty", "user"), ("Let Dusty go.", "user"), True),
    (("Has a greyhound called Dusty.", "pet", "Dusty", "user"), ("Let Dusty go off the lead.", "user"), False),
    (("Has a cat called Momo.", "pet", "Momo", "user"), ("Momo has been adopted by a family.", "Momo"), True),
    (("Has a son called Jonas.", "family", "Jonas", "user"), ("Jonas moved out.", "user"), False),
    (
        ("Works at Bistro Nord.", "employer", "Bistro Nord", "user"),
        ("Handed in their apron at Bistro Nord.", "user"),
        True,
    ),
    (("Works at Bistro Nord.", "employer", "Bistro Nord", "user"), ("Handed in their tax return.", "user"), False),
]


@pytest.mark.parametrize(("known", "told", "over"), ENDS, ids=[f"{k[0]} {t[0]}" for k, t, _ in ENDS])
def test_an_ending_finds_what_it_ends(
    known: tuple[str, str | None, str | None, str], told: tuple[str, str], over: bool
) -> None:
    content, attribute, value, subject = known
    one = memory(proposal(content, NOON, attribute=attribute, value=value, subject=subject))
    assert bool(ended(proposal(told[0], LATER, subject=told[1]), [one])) is over


def test_what_is_told_of_somebody_as_a_partner_goes_with_the_tie() -> None:
    tie = memory(proposal("Has a girlfriend called Uma.", NOON, attribute="partner", value="Uma"))
    hers = memory(proposal("Girlfriend Uma is from Pune.", NOON, subject="girlfriend uma", attribute="hometown"))
    other = memory(proposal("Sister Ida is from Pune.", NOON, subject="sister ida", attribute="hometown"))
    over = ended(proposal("Broke up with Uma.", LATER), [tie, hers, other])
    assert {m.content for m in over} == {tie.content, hers.content}


REPLACES = [  # known: content, attribute, value; told: the same, and by which operation; whether it is replaced
    (("Team uses Trello.", "tool", "Trello"), ("Ditched Trello for Asana.", None, None), Operation.ADD, True),
    (
        ("Teaches history.", "teaching", "history"),
        ("Teaches only maths.", "teaching", "only maths"),
        Operation.ADD,
        True,
    ),
    (("Has a cat.", "have", "cat"), ("Has only an hour.", "have", "only an hour"), Operation.ADD, False),
    (
        ("Sings in a choir on Thursdays.", "sing", None),
        ("Their choir is on Tuesdays.", "current_choir", "Tuesdays"),
        Operation.UPDATE,
        True,
    ),
    (
        ("Sings in a choir on Thursdays.", "sing", None),
        ("Their rent is 700.", "current_rent", "700"),
        Operation.UPDATE,
        False,
    ),
    (
        ("Charges 6 euros an hour.", "charge", "6 euros"),
        ("Their rate is 9 euros.", "current_rate", "9 euros"),
        Operation.UPDATE,
        True,
    ),
    (
        ("Has a bakery in Leith.", "have", "bakery"),
        ("Their bakery is in Perth.", "current_bakery", "Perth"),
        Operation.UPDATE,
        True,
    ),
    (
        ("Has a bakery in Leith.", "have", "bakery"),
        ("Their bakery is in Leith.", "current_bakery", "Leith"),
        Operation.UPDATE,
        False,
    ),
    (
        ("Is a chemistry major.", "education", None),
        ("Studies linguistics.", "education", "linguistics"),
        Operation.ADD,
        True,
    ),
    (("Is a chemistry major.", "education", None), ("Studies chem.", "education", "chem"), Operation.ADD, False),
    (("Takes sertraline 50.", "medication", None), ("Takes sertraline 100.", "medication", "100"), Operation.ADD, True),
    (("Takes sertraline 50.", "medication", None), ("Takes ramipril 100.", "medication", "100"), Operation.ADD, False),
    (("Is lead for billing.", "trait", "lead"), ("Moved from billing to search.", None, None), Operation.ADD, True),
    (
        ("Runs a pub quiz on Wednesdays.", "run", None),
        ("Moved quiz night from Wednesday to Sunday.", None, None),
        Operation.UPDATE,
        True,
    ),
    (
        ("Plays darts on Wednesdays.", "play", None),
        ("Moved quiz night from Wednesday to Sunday.", None, None),
        Operation.UPDATE,
        False,
    ),
    (
        ("Their yoga is on Tuesdays.", "current_yoga", "Tuesdays"),
        ("Sister's yoga moved to Thursdays.", None, None),
        Operation.ADD,
        False,
    ),
    (
        ("Charges 30 pounds an hour.", "charge", "30 pounds"),
        ("Charges 35 an hour.", "charge", "35"),
        Operation.UPDATE,
        True,
    ),
    (
        ("Charges 30 pounds a class.", "charge", "30 pounds"),
        ("Charges 35 an hour.", "charge", "35"),
        Operation.UPDATE,
        False,
    ),
    (("Takes the 8:05 bus.", "take", "8:05 bus"), ("Takes the 8:35.", "take", "8:35"), Operation.UPDATE, True),
    (("Takes the 8:05 bus.", "take", "8:05 bus"), ("Takes the 8:35.", "take", "8:35"), Operation.ADD, False),
    (("Uses Postgres 16.", "tool", "Postgres 16"), ("Uses Go 1.23.", "tool", "Go 1.23"), Operation.UPDATE, False),
    (("Uses Go 1.22.", "tool", "Go 1.22"), ("Uses Go 1.23.", "tool", "Go 1.23"), Operation.UPDATE, True),
]


@pytest.mark.parametrize(
    ("known", "told", "operation", "over"), REPLACES, ids=[f"{k[0]} {t[0]} {o}" for k, t, o, _ in REPLACES]
)
def test_a_new_state_replaces_the_old_one(
    known: tuple[str, str, str], told: tuple[str, str | None, str | None], operation: Operation, over: bool
) -> None:
    subject = "team" if known[0].startswith("Team") else "user"
    old = memory(proposal(known[0], NOON, attribute=known[1], value=known[2], subject=subject))
    new = proposal(told[0], LATER, attribute=told[1], value=told[2], operation=operation)
    assert bool(replaced(new, [old])) is over


def _decide(content: str, known: str, attribute: str, value: str, **given: object) -> Decision:
    one = memory(proposal(known, NOON, attribute=attribute, value=value))
    done = proposal(content, LATER, **given)
    return decide(done, [Candidate(one, 0.4)], POLICY.similarity)


def test_a_deed_that_fulfils_no_plan_ends_what_it_says_is_over() -> None:
    closing = {"type": MemoryType.OPEN_LOOP, "operation": Operation.CLOSE_OPEN_LOOP}
    found = _decide("Cancelled the gym.", "Pays 30 a month for the gym.", "pay", "30 a month", **closing)
    assert found.action is Action.CONTRADICT and len(found.targets) == 1
    assert _decide("Watered the garden.", "Has a garden.", "possession", "garden", **closing).action is Action.NONE


def test_of_a_thing_in_the_world_the_later_of_two_values_in_a_message_stands() -> None:
    old = memory(
        proposal("The capital of Peru is Cusco.", NOON, subject="Peru", attribute="current_capital", value="Cusco")
    )
    new = proposal("The capital of Peru is Lima.", NOON, subject="Peru", attribute="current_capital", value="Lima")
    assert decide(new, [Candidate(old, 0.9)], POLICY.similarity).action is Action.SUPERSEDE
    here = memory(proposal("Lives in Cusco.", NOON, attribute="residence", value="Cusco"))
    there = proposal("Lives in Lima.", NOON, attribute="residence", value="Lima")
    assert decide(there, [Candidate(here, 0.9)], POLICY.similarity).action is Action.ADD


def test_another_field_of_work_leaves_the_employer() -> None:
    """ "I work in design now, not marketing" is said inside one company."""
    one = memory(proposal("Works at Pedalwerk in marketing.", NOON, attribute="employer", value="Pedalwerk"))
    new = proposal("Works in design.", LATER, attribute="current_field", value="design", operation=Operation.UPDATE)
    assert decide(new, [Candidate(one, 0.4)], POLICY.similarity).action is Action.ADD
