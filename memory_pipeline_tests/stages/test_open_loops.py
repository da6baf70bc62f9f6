"""Open loops from what is said to what they become: due, closed, moved, dropped, expired, stated again (DL-7, DL-26).

One home, one run: every conversation of the tables is a user of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest

from memory_pipeline_tests.stages.talks import Loop, Pipeline, Turn, lines

BERLIN, TOKYO = "Europe/Berlin", "Asia/Tokyo"
PLANNED, LATER = "2026-03-10T09:15:00", "2026-03-11T18:0{}:00"  # a Tuesday and the day after

# What is said at 09:15 on Tuesday 10 March 2026 in Berlin, and the loop that it opens.
DUE: dict[str, Loop | None] = {
    "I need to finish the report by Friday.": Loop(
        "Needs to finish the report by 13 March 2026.", due="13T23:59+01:00"
    ),
    "I need to pay the rent at the end of the month.": Loop(
        "Needs to pay the rent at the end of March 2026.", due="31T23:59+02:00"
    ),
    "I need to call mom tomorrow at 9.": Loop("Needs to call mom on 11 March 2026 at 09:00.", due="11T09:00+01:00"),
    "I need to call mom at 5pm tomorrow.": Loop("Needs to call mom on 11 March 2026 at 17:00.", due="11T17:00+01:00"),
    "I need to call mom at 5 on Friday.": Loop("Needs to call mom on 13 March 2026 at 17:00.", due="13T17:00+01:00"),
    "We have to catch the train tomorrow morning at 6.": Loop(
        "Has to catch the train on 11 March 2026 at 06:00.", due="11T06:00+01:00"
    ),
    "I have dinner with Sam tomorrow at 8.": Loop(
        "Has dinner with Sam on 11 March 2026 at 20:00.", due="11T20:00+01:00"
    ),
    "I've got to pick up the kids at half past three.": Loop(
        "Has to pick up the kids on 10 March 2026 at 15:30.", due="10T15:30+01:00"
    ),
    "I'll email Anna in two hours.": Loop("Plans to email Anna on 10 March 2026 at 11:15.", due="10T11:15+01:00"),
    "I have to call the bank before noon.": Loop(
        "Has to call the bank before 10 March 2026 at 12:00.", due="10T12:00+01:00"
    ),
    "I need to call mom on Sunday, not Friday.": Loop("Needs to call mom on 15 March 2026.", due="15T23:59+01:00"),
    "Gotta call mom tomorrow.": Loop("Has to call mom on 11 March 2026.", due="11T23:59+01:00"),
    "Dentist appointment tomorrow at 3pm.": Loop(
        "Has a dentist appointment on 11 March 2026 at 15:00.", due="11T15:00+01:00"
    ),
    "My library books are due on 20 March.": Loop("Library books are due on 20 March 2026.", due="20T23:59+01:00"),
    "Remind me to water the plants tomorrow morning.": Loop(
        "Wants to be reminded to water the plants on the morning of 11 March 2026.", due="11T09:00+01:00"
    ),
    # No day is invented where there is none; the words stay.
    "I have to return the books on 31 February.": Loop("Has to return the books on 31 February."),
    "I have an interview on April 31.": Loop("Has an interview on April 31."),
    "I need to call mom.": Loop("Needs to call mom."),
    # Already past when it is stated: it is kept as it was said, and is overdue.
    "I have to renew my passport by 1 March 2026.": Loop(
        "Has to renew their passport by 1 March 2026.", due="01T23:59+01:00"
    ),
    # No plans.
    "I should have renewed my passport last week.": None,
    "I was supposed to call mom yesterday.": None,
    "Should I call mom tomorrow?": None,
    "If I call mom tomorrow, I will tell you.": None,
    "I call mom every Sunday.": None,
}
ZONES: list[tuple[str, str, str, str | None, str]] = [
    # name, when, what, zone, due
    ("tomorrow by the user's calendar", "2026-05-04T23:30:00", "I have to call the dentist tomorrow at 9.", TOKYO,
     "2026-05-05T09:00+09:00"),
    ("the skipped hour moves on", "2026-03-27T10:00:00", "I need to call Sam on Sunday 29 March at 2:30.", BERLIN,
     "2026-03-29T03:30+02:00"),
    ("the offset of the day that is meant", "2026-03-28T10:00:00", "I need to call Sam tomorrow at 9:00.", BERLIN,
     "2026-03-29T09:00+02:00"),
    ("no zone is the default zone", "2026-03-10T23:30:00", "I need to call Sam tomorrow at 9:00.", None,
     "2026-03-11T09:00+00:00"),
    ("a time that is over today is tomorrow's", "2026-03-10T23:30:00", "I need to call Sam at 9am.", BERLIN,
     "2026-03-11T09:00+01:00"),
]  # fmt: skip

MOM, DENTIST, REPORT = (
    "I need to call mom on Friday.",
    "I have a dentist appointment on Friday.",
    "I need to finish the report by Friday.",
)
REMINDER = "A: Don't forget, you wanted to call your mom. Have you done it?"
KEPT: list[tuple[str, ...]] = [  # a plan, and what closes it
    (MOM, "I called mom."),
    (MOM, "Called mom today!"),
    (MOM, "I rang my mum."),
    (MOM, "I finally spoke to my mother on the phone."),
    (MOM, "Had a long phone call with my mom this morning."),
    (MOM, "My mom and I talked on the phone last night."),
    (MOM, "I just got off the phone with mom."),
    (MOM, REMINDER, "Done!"),
    (MOM, REMINDER, "It's done."),
    (MOM, REMINDER, "Yes, I did."),
    (MOM, REMINDER, "Yep, this morning."),
    (MOM, REMINDER, "Did it yesterday."),
    (MOM, REMINDER, "I did, thanks. By the way, I live in Oslo."),
    (MOM, "A: Did you call your mom?", "yes"),
    (MOM, "A: Have you called your mom yet?", "Yes, I have."),
    (MOM, "A: Reminder: call your mom today.", "All done."),
    (REPORT, "A: How is the report coming along?", "It's done."),
    (REPORT, "The report is done."),
    (REPORT, "I submitted the report."),
    ("I have a dentist appointment on 11 March.", "I went to the dentist today."),
]
DROPPED: list[tuple[str, ...]] = [
    (MOM, "I'm not going to call mom anymore."),
    (MOM, "I won't call mom on Friday after all."),
    (MOM, "I decided not to call mom."),
    (MOM, "I don't need to call mom anymore."),
    (MOM, "No need to call mom anymore, she came over."),
    (DENTIST, "The dentist appointment is cancelled."),
    (DENTIST, "My dentist appointment got cancelled."),
    (DENTIST, "I cancelled the dentist appointment."),
    ("I have to call mom every Sunday.", "I don't have to call mom every Sunday anymore."),
]
STILL_OPEN: list[tuple[str, ...]] = [
    (MOM, "I called mom but she didn't pick up."),
    (MOM, "I called mom today. No answer."),
    (MOM, "I called mom today, but it went to voicemail."),
    (MOM, "I tried to call mom, no answer."),
    (MOM, "I tried calling mom but couldn't reach her."),
    (MOM, "I forgot to call mom."),
    (MOM, "I haven't called mom yet."),
    (MOM, "I didn't call mom."),
    (MOM, "I almost called mom."),
    (MOM, "I still need to call mom."),
    (MOM, "My sister called mom."),
    (MOM, "My sister called mom yesterday."),
    (MOM, "Anna called mom yesterday."),
    (MOM, "Mom called me."),
    (MOM, "I called dad."),
    (MOM, "I called mom's doctor."),
    (MOM, "I called mom last month."),
    (MOM, "If I had called mom, I would have told you."),
    (MOM, "Should I call mom?"),
    (MOM, "Can you call mom?"),
    (MOM, "Done!"),
    (MOM, "A: How's the weather?", "Done!"),
    (MOM, REMINDER, "No, not yet."),
    (MOM, REMINDER, "Almost done."),
    (MOM, REMINDER, "Not done, tomorrow."),
    (MOM, "A: Shall I remind you to call your mom?", "Yes."),
    (MOM, "A: Don't forget to call your mom.", "Yes."),
    (MOM, "A: Did you call your mom? And did you buy milk?", "Done!"),
    (REPORT, "I have finished half of the report."),
    (REPORT, "I finished the first draft of the report today."),
    (REPORT, "I started the report."),
    (REPORT, "I'm almost done with the report."),
    (REPORT, "The report isn't finished yet."),
    ("I have to call mom every Sunday.", "I called mom."),
]
MOVED: list[tuple[tuple[str, ...], str, str]] = [
    ((MOM, "I'll call mom tomorrow instead."), "Plans to call mom on 12 March 2026.", "2026-03-12T23:59+01:00"),
    ((MOM, "I'll call mom on Sunday."), "Plans to call mom on 15 March 2026.", "2026-03-15T23:59+01:00"),
    ((DENTIST, "My dentist appointment was moved to 20 March."), "Has a dentist appointment on 20 March 2026.",
     "2026-03-20T23:59+01:00"),
    ((DENTIST, "I rescheduled the dentist appointment to Monday."), "Has a dentist appointment on 16 March 2026.",
     "2026-03-16T23:59+01:00"),
]  # fmt: skip
# Long conversations: turns with their times, and every loop in the end, aged through 25 April 2026.
LIVES: dict[str, tuple[list[Turn], list[Loop]]] = {
    "due date and grace": (
        [("2026-01-10T09:15:00", "I need to call mom on 15 January.")],
        [Loop("Needs to call mom on 15 January 2026.", "closed", "2026-01-15T23:59+01:00", "due date passed")],
    ),
    "silence": (
        [("2026-01-10T09:15:00", "I need to call mom.")],
        [Loop("Needs to call mom.", "closed", "", "not mentioned for 60 days")],
    ),
    "mentioned in time": (
        [("2026-01-10T09:15:00", "I need to call mom."), ("2026-03-05T09:15:00", "I still need to call mom.")],
        [Loop("Needs to call mom.", "active", "", "same words")],
    ),
    "stated again after silence": (
        [("2026-01-10T09:15:00", "I need to call mom."), ("2026-04-20T09:00:00", "I need to call mom.")],
        [
            Loop("Needs to call mom.", "closed", "", "not mentioned for 60 days"),
            Loop("Needs to call mom.", "active", "", "new"),
        ],
    ),
    "stated again after it was closed, with another date": (
        [
            ("2026-03-10T09:15:00", "I need to call mom on 15 March."),
            ("2026-03-12T09:15:00", "I called mom."),
            ("2026-04-20T09:00:00", "I need to call mom on Friday."),
        ],
        [
            Loop("Needs to call mom on 15 March 2026.", "closed", "2026-03-15T23:59+01:00", "resolve"),
            Loop("Needs to call mom on 24 April 2026.", "active", "2026-04-24T23:59+02:00", "new"),
        ],
    ),
    "done and planned anew in one breath": (
        [
            ("2026-04-20T09:15:00", "I need to call mom on 22 April."),
            ("2026-04-21T09:15:00", "I called mom. I need to call mom again on Friday."),
        ],
        [
            Loop("Needs to call mom on 22 April 2026.", "closed", "2026-04-22T23:59+02:00", "resolve"),
            Loop("Needs to call mom again on 24 April 2026.", "active", "2026-04-24T23:59+02:00", ""),
        ],
    ),
    "told late": (
        [
            ("2026-03-10T09:15:00", "I need to call mom on 12 March."),
            ("2026-03-20T09:15:00", "I called mom last week."),
        ],
        [Loop("Needs to call mom on 12 March 2026.", "closed", "2026-03-12T23:59+01:00", "due date passed")],
    ),
}


def turns(talk: Sequence[str]) -> list[Turn]:
    """A plan on Tuesday, the rest a day later."""
    return [(PLANNED, talk[0]), *((LATER.format(n), words) for n, words in enumerate(talk[1:]))]


def _talks() -> dict[str, tuple[list[Turn], str | None]]:
    """Every conversation by the name of its user."""
    found: dict[str, tuple[list[Turn], str | None]] = {}
    found |= {f"due {n}": ([(PLANNED, words)], BERLIN) for n, words in enumerate(DUE)}
    found |= {f"zone {n}": ([(at, words)], zone) for n, (_, at, words, zone, _) in enumerate(ZONES)}
    tables = {"kept": KEPT, "dropped": DROPPED, "open": STILL_OPEN, "moved": [talk for talk, _, _ in MOVED]}
    found |= {f"{name} {n}": (turns(talk), BERLIN) for name, table in tables.items() for n, talk in enumerate(table)}
    return found


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    """All conversations but the long ones, each on its last day."""
    pipeline = Pipeline(tmp_path_factory.mktemp("talks"))
    pipeline.run([line for user, (said, zone) in _talks().items() for line in lines(user, said, zone)])
    return pipeline


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    """The long conversations, weeks later."""
    pipeline = Pipeline(tmp_path_factory.mktemp("lives"))
    said = [line for user, (talk, _) in LIVES.items() for line in lines(user, talk, BERLIN)]
    pipeline.run(said, through=date(2026, 4, 25))
    return pipeline


@pytest.mark.parametrize("n", range(len(DUE)), ids=list(DUE))
def test_a_plan_and_when_it_is_due(home: Pipeline, n: int) -> None:
    found, expected = home.loops(f"due {n}", BERLIN), list(DUE.values())[n]
    told = [(loop.content, loop.due, loop.status) for loop in found]
    due = f"2026-03-{expected.due}" if expected and expected.due else ""
    assert told == ([(expected.content, due, "active")] if expected else [])


@pytest.mark.parametrize("n", range(len(ZONES)), ids=[name for name, *_ in ZONES])
def test_due_in_the_zone_of_the_user(home: Pipeline, n: int) -> None:
    *_, zone, due = ZONES[n]
    assert [loop.due for loop in home.loops(f"zone {n}", zone)] == [due]


@pytest.mark.parametrize("n", range(len(KEPT)), ids=[" | ".join(talk) for talk in KEPT])
def test_closed_on_evidence(home: Pipeline, n: int) -> None:
    (loop,) = home.loops(f"kept {n}", BERLIN)
    assert loop.status == "closed"
    assert "resolve" in loop.reason, loop.reason


@pytest.mark.parametrize("n", range(len(DROPPED)), ids=[" | ".join(talk) for talk in DROPPED])
def test_closed_because_it_is_given_up(home: Pipeline, n: int) -> None:
    (loop,) = home.loops(f"dropped {n}", BERLIN)
    assert loop.status == "closed"
    assert "cancel" in loop.reason, loop.reason


@pytest.mark.parametrize("n", range(len(STILL_OPEN)), ids=[" | ".join(talk) for talk in STILL_OPEN])
def test_not_closed(home: Pipeline, n: int) -> None:
    (loop,) = home.loops(f"open {n}", BERLIN)
    assert loop.status == "active", loop.reason


@pytest.mark.parametrize("n", range(len(MOVED)), ids=[" | ".join(talk) for talk, _, _ in MOVED])
def test_moved_to_another_date(home: Pipeline, n: int) -> None:
    _, content, due = MOVED[n]
    old, new = home.loops(f"moved {n}", BERLIN)
    assert (old.status, old.reason) == ("superseded", "the same plan on another date")
    assert (new.content, new.due, new.status) == (content, due, "active")


@pytest.mark.parametrize("name", LIVES)
def test_a_life(lived: Pipeline, name: str) -> None:
    expected, found = LIVES[name][1], lived.loops(name, BERLIN)
    assert [(x.content, x.status, x.due) for x in found] == [(x.content, x.status, x.due) for x in expected]
    for loop, wanted in zip(found, expected, strict=True):
        assert wanted.reason in loop.reason
