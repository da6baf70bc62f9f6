"""What changed, what is due and what is done, as people tell it in chat."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline_tests.inference.builtin.extraction.extracting import brief, drafts, kept

DUE = {  # NOW is Tuesday, 10 March 2026
    "Got to ring the council by Friday.": "2026-03-13",
    "Must book the hall before 20 March.": "2026-03-20",
    "I've got a job interview next Monday at 10.": "2026-03-16T10:00:00+01:00",
    "Optician on the 24th of March at 9.": "2026-03-24T09:00:00+01:00",
    "Exam on 30 March, wish me luck.": "2026-03-30",
    "My visa runs out on 2 April.": "2026-04-02",
    "Our roof repair is booked for 17 March.": "2026-03-17",
    "My licence needs renewing before 1 May.": "2026-05-01",
}
DONE = {
    "The poster is in!": "The poster is in.",
    "Kitchen's painted.": "Kitchen is painted.",
    "The lawn is mown.": "The lawn is mown.",
    "Passport application went off yesterday.": "Passport application went off.",
    "The wardrobe was delivered this morning.": "The wardrobe was delivered.",
    "Nora finally has the keys.": "Nora has the keys.",
    "Done with the Ferrante novel.": "Finished the Ferrante novel.",
    "Saw the Louvre, overwhelming.": "Saw the Louvre.",
    "Parcel's gone.": "Parcel is gone.",
    "tickets bought :)": "Tickets is bought.",
    "Smtp password rotated just now.": "Smtp password rotated now.",
    "reviewed the draft, merged": "Reviewed the draft.",
    "Packet is in the mail.": "Packet is in the mail.",
}
CHANGED = {
    "My manager is Aurelie.": "profile_fact current_boss=Aurelie",
    "Our new landlord is Vonovia.": "profile_fact current_landlord=Vonovia",
    "I went back to Emacs.": "update profile_fact preferred_editor=Emacs",
    "We moved from Heroku to Hetzner in January.": "update preference preferred_cloud=Hetzner",
    "We're renting a small flat in Lyon at the moment.": "profile_fact residence=Lyon",
    "Found a room in Turin!": "update profile_fact residence=Turin",
    "The office has relocated to Zuidas.": "update profile_fact current_office=Zuidas",
    "I eat cheese again.": "profile_fact eats=cheese",
    "Down to 71 kilos!": "profile_fact weight=71 kilos",
    "Rent's 740 now.": "update profile_fact current_rent=740",
    "Mara turned 9 on Sunday.": "update profile_fact Mara.age=9",
    "Our band is called Low Tide.": "profile_fact current_band=Low Tide",
    "I take the 6:50 now.": "update profile_fact take=6:50",
    "Doc put the sertraline up to 75.": "update profile_fact medication=75",
    "They took me off the warfarin, its apixaban now.": "update profile_fact medication=apixaban",
    "Supervisor is Dr Hale.": "profile_fact current_supervisor=Dr Hale",
    "The boxes are unpacked, Turku is home now.": "profile_fact residence=Turku",
    "Found a flat in Ghent and moved there in May.": "update profile_fact residence=Ghent",
    "The vase stands near my flat in Leith.": "profile_fact residence=Leith",
    "I'm with Larch Realty.": "profile_fact employer=Larch Realty",
    "I've gone over to Corvid Labs.": "update profile_fact employer=Corvid Labs",
    "I drive deliveries for DHL.": "profile_fact employer=DHL",
    "I'm in my third year of law.": "profile_fact education=third year of law",
    "They switched me over to apixaban.": "update profile_fact medication=apixaban",
    "Our choir practice is on Mondays now.": "update profile_fact current_choir_practice=Mondays",
    "I've been seeing someone.": "update profile_fact relationship_status=dating",
}


OPEN = {
    "to do: ring the vet, post the parcel": ["Needs to ring the vet.", "Needs to post the parcel."],
    "I still haven't booked the hall.": ["Still has to book the hall."],
    "I buy the tickets this week.": ["Plans to buy the tickets in the week of 9 March 2026."],
    "I'll return the form.": ["Plans to return the form."],
    "Promised her I'd get the boiler serviced.": ["Promised they'd get the boiler serviced."],
    "I need to call Ana. And book the vet.": ["Needs to call Ana.", "Needs to book the vet."],
    "I've committed to running the stall on 12 March.": ["Has committed to running the stall on 12 March 2026."],
    "I need to pay the bill and pick up the parcel.": ["Needs to pay the bill.", "Needs to pick up the parcel."],
    "I need to call the bank and hate the noise.": ["Needs to call the bank."],
    "I haven't been to Rome yet.": [],
    "My boss wants chapter 2 by Monday.": ["Boss wants chapter 2 by 16 March 2026."],
    "The bank wants my papers by Monday.": ["The bank wants their papers by 16 March 2026."],
    "I have to hand in the Q3 roadmap by Friday.": ["Has to hand in the Q3 roadmap by 13 March 2026."],
    "I have to write the quote until Friday, what's a good opening?": ["Has to write the quote until 13 March 2026."],
    "I have to get the tyres changed.": ["Has to get the tyres changed."],
    "I promised Tess to send her the recipe of the tart.": ["Promised Tess to send her the recipe of the tart."],
}


@pytest.mark.parametrize(("said", "told"), OPEN.items(), ids=OPEN)
def test_what_is_still_to_do_in_any_wording(said: str, told: list[str]) -> None:
    found = drafts(said)
    assert [d.content for d in found if d.type is MemoryType.OPEN_LOOP and d.operation is Operation.ADD] == told


def test_a_plan_that_points_back_is_due_when_its_sentence_says() -> None:
    (loop,) = [d for d in drafts("My mum Ada lands on 20 March, I have to pick her up.") if "pick" in d.content]
    assert (loop.content, loop.due_at) == ("Has to pick their mother Ada up.", "2026-03-20")
    (apart,) = [d for d in drafts("My mum Ada lands on 20 March, I have to call the bank.") if "bank" in d.content]
    assert apart.due_at is None


def test_what_is_to_be_had_done_is_not_done() -> None:
    found = drafts("I have to get my passport renewed before 1 May.")
    assert not [d for d in found if d.operation is Operation.CLOSE_OPEN_LOOP]


def test_a_new_day_of_what_is_to_be_done() -> None:
    (moved,) = [d for d in drafts("The audit was pushed to 25 March.") if d.operation is Operation.UPDATE]
    assert (moved.type, moved.content, moved.due_at) == (
        MemoryType.OPEN_LOOP, "Audit is due on 25 March 2026.", "2026-03-25",
    )  # fmt: skip


@pytest.mark.parametrize(("said", "due"), DUE.items(), ids=DUE)
def test_what_is_due_is_an_open_loop_with_its_day(said: str, due: str) -> None:
    assert [d.due_at for d in drafts(said) if d.type is MemoryType.OPEN_LOOP and d.operation is Operation.ADD] == [due]


@pytest.mark.parametrize(("said", "told"), DONE.items(), ids=DONE)
def test_what_is_done_may_close_what_was_open(said: str, told: str) -> None:
    assert told in [d.content for d in drafts(said) if d.operation is Operation.CLOSE_OPEN_LOOP]


@pytest.mark.parametrize(("said", "told"), CHANGED.items(), ids=CHANGED)
def test_a_change_fills_the_slot_of_what_it_changes(said: str, told: str) -> None:
    assert told in [brief(d) for d in kept(drafts(said))]


@pytest.mark.parametrize(
    ("said", "job"),
    {
        "They've made me a manager, wish me luck": "manager",
        "just got promoted to senior engineer so I need a new CV": "senior engineer",
        "my boss promoted me to shift lead last month": "shift lead",
        "I was made head of department.": "head of department",
    }.items(),
)
def test_a_promotion_tells_the_new_role(said: str, job: str) -> None:
    assert job in [d.value for d in drafts(said) if d.attribute == "occupation" and d.operation is Operation.UPDATE]


@pytest.mark.parametrize(
    "said",
    ["I was made redundant.", "They made me a cake.", "I was promoted last week.", "My sister was made head nurse."],
)
def test_what_is_no_role_is_no_occupation_of_the_user(said: str) -> None:
    assert not [d for d in drafts(said) if d.attribute == "occupation" and d.subject == "user"]


@pytest.mark.parametrize(
    "said",
    ["need a vet in Altona", "Good barber in Soho?", "any dentist in Utrecht", "looking for a cheap plumber in Leeds"],
)
def test_who_is_wanted_somewhere_tells_no_trade_and_no_home(said: str) -> None:
    assert not [d for d in drafts(said) if d.attribute in {"occupation", "residence"}]


def test_a_trade_in_a_town_tells_both() -> None:
    told = {(d.attribute, d.value) for d in drafts("Backend developer in Pune")}
    assert told == {("occupation", "backend developer"), ("residence", "Pune")}


@pytest.mark.parametrize(
    "said",
    [
        "The doctor raised my mum's lisinopril to 40 mg.",
        "They raised my wife's dose of lithium to 600 mg.",
        "They upped Sarah's sertraline to 100 mg.",
    ],
)
def test_another_ones_dose_is_not_the_users(said: str) -> None:
    assert not [d for d in drafts(said) if d.attribute == "medication" or d.operation == Operation.UPDATE]


def test_what_has_been_so_since_a_day_has_been_so_since_the_last_one() -> None:
    assert [d.valid_from for d in kept(drafts("I work fully remote since October."))] == ["2025-10-01"]


def test_who_moved_in_a_month_did_so_in_the_last_one() -> None:
    assert {d.valid_from for d in kept(drafts("We moved to Leeds in May."))} == {"2025-05-01"}


def test_a_number_in_a_name_is_no_hour() -> None:
    assert [d.content for d in kept(drafts("I bought a Pixel 9 on Friday."))] == ["Bought a Pixel 9 on 6 March 2026."]


def test_a_tie_between_two_is_not_off_the_record() -> None:
    assert drafts("Jonas moved out. It's over between us.")
    assert not drafts("Jonas moved out. That stays between us.")
