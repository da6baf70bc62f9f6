"""What changed, what is due and what is done, as people tell it in chat."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline_tests.inference.builtin.extraction import brief, drafts, kept

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
    "Rent's 740 now.": "profile_fact current_rent=740",
    "Mara turned 9 on Sunday.": "update profile_fact Mara.age=9",
    "Our band is called Low Tide.": "profile_fact current_band=Low Tide",
    "I take the 6:50 now.": "update profile_fact take=6:50",
}


@pytest.mark.parametrize(("said", "due"), DUE.items(), ids=DUE)
def test_what_is_due_is_an_open_loop_with_its_day(said: str, due: str) -> None:
    assert [d.due_at for d in drafts(said) if d.type is MemoryType.OPEN_LOOP and d.operation is Operation.ADD] == [due]


@pytest.mark.parametrize(("said", "told"), DONE.items(), ids=DONE)
def test_what_is_done_may_close_what_was_open(said: str, told: str) -> None:
    assert told in [d.content for d in drafts(said) if d.operation is Operation.CLOSE_OPEN_LOOP]


@pytest.mark.parametrize(("said", "told"), CHANGED.items(), ids=CHANGED)
def test_a_change_fills_the_slot_of_what_it_changes(said: str, told: str) -> None:
    assert told in [brief(d) for d in kept(drafts(said))]


def test_what_has_been_so_since_a_day_has_been_so_since_the_last_one() -> None:
    assert [d.valid_from for d in kept(drafts("I work fully remote since October."))] == ["2025-10-01"]


def test_who_moved_in_a_month_did_so_in_the_last_one() -> None:
    assert {d.valid_from for d in kept(drafts("We moved to Leeds in May."))} == {"2025-05-01"}


def test_a_number_in_a_name_is_no_hour() -> None:
    assert [d.content for d in kept(drafts("I bought a Pixel 9 on Friday."))] == ["Bought a Pixel 9 on 6 March 2026."]


def test_a_tie_between_two_is_not_off_the_record() -> None:
    assert drafts("Jonas moved out. It's over between us.")
    assert not drafts("Jonas moved out. That stays between us.")
