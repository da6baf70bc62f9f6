"""What a message asks of the assistant for good, and what its writer plans, did and gave up."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.proposal import MemoryType, Operation, Surface
from memory_pipeline_tests.inference.builtin.extraction import briefs, drafts

PROTOCOLS = {
    "call me Ali": ["protocol preferred_name=Ali"],
    "please call me Ali from now on": ["protocol preferred_name=Ali"],
    "you can call me Bob": ["protocol preferred_name=Bob"],
    "keep answers short": ["protocol answer_style=short"],
    "Please keep your answers short and to the point": ["protocol answer_style=short and to the point"],
    "I prefer detailed explanations": ["protocol answer_style=detailed"],
    "always reply in German": ["protocol preferred_answer_language=German"],
    "please answer in English from now on": ["protocol preferred_answer_language=English"],
    "don't use emojis": ["protocol protocol=not emojis"],
    "stop using emojis": ["protocol protocol=not emojis"],
    "use metric units please": ["protocol protocol=metric units"],
    "be direct": ["protocol preferred_tone=direct"],
    "Please be brutally honest with me": ["protocol preferred_tone=brutally honest"],
    "I prefer blunt feedback": ["protocol preferred_tone=blunt"],
    "please answer in bullet points from now on": ["protocol protocol=answer in bullet points"],
    "Always cite your sources": ["protocol protocol=cite the assistant's sources"],
    "Please stop correcting my small mistakes": ["protocol protocol=not correcting their small mistakes"],
}
BOUNDARIES = {
    "please never mention my ex Tom": "ex Tom",
    "don't bring up the accident": "accident",
    "Never bring up my divorce again": "divorce",
    "I don't want to talk about work": "work",
    "Let's not talk about politics": "politics",
    "my ex is off limits": "ex",
    "don't remind me of my old job": "old job",
    "Don't comment on my weight, never": "weight",
}
FORGETTING = {
    "forget about that coffee shop": "coffee shop",
    "And forget about that coffee shop I told you about": "coffee shop",
    "delete what I said about my salary": "salary",
    "please delete the note about my address": "address",
    "forget everything I told you about my ex": "ex",
    "please don't remember my phone number": "phone number",
}
LORE = {
    "our running joke is that the printer is haunted": ["shared_lore lore=the printer is haunted"],
    "let's call that bug 'the gremlin'": ["shared_lore lore=the gremlin"],
    "we call our car Gerda": ["shared_lore lore=Gerda"],
    "From now on test_refund is called Gary": ["shared_lore lore=Gary"],
}
STANDING = {**PROTOCOLS, **LORE}


@pytest.mark.parametrize(("content", "expected"), STANDING.items(), ids=STANDING)
def test_protocol_or_lore(content: str, expected: list[str]) -> None:
    assert briefs(content) == expected


@pytest.mark.parametrize(("content", "topic"), BOUNDARIES.items(), ids=BOUNDARIES)
def test_boundary_is_added_and_suppresses_what_it_names(content: str, topic: str) -> None:
    added, suppressed = drafts(content)
    assert (added.type, added.operation, added.value) == (MemoryType.BOUNDARY, Operation.ADD, topic)
    assert (suppressed.operation, suppressed.value) == (Operation.SUPPRESS, topic)
    assert added.surface is suppressed.surface is Surface.AVOID
    assert topic in suppressed.content


@pytest.mark.parametrize(("content", "thing"), FORGETTING.items(), ids=FORGETTING)
def test_forgetting_names_the_thing(content: str, thing: str) -> None:
    (draft,) = drafts(content)
    assert draft.operation is Operation.FORGET
    assert thing in str(draft.value)
    assert thing in draft.content


PLANS = {  # content: (wording, due)
    "I need to call mom by Friday": ("Needs to call mom by 13 March 2026.", "2026-03-13"),
    "remind me to water the plants tomorrow at 6pm": (
        "Wants to be reminded to water the plants on 11 March 2026 at 18:00.",
        "2026-03-11T18:00:00+01:00",
    ),
    "Remind me on Friday to pay the rent": ("Wants to be reminded to pay the rent on 13 March 2026.", "2026-03-13"),
    "don't let me forget to renew my passport": ("Wants to be reminded to renew their passport.", None),
    "my dentist appointment is on April 3": ("Has a dentist appointment on 3 April 2026.", "2026-04-03"),
    "I have a meeting with Sam tomorrow at 3pm": (
        "Has a meeting with Sam on 11 March 2026 at 15:00.",
        "2026-03-11T15:00:00+01:00",
    ),
    "My flight to Rome leaves on April 10 at 7:30am": (
        "Has a flight to Rome on 10 April 2026 at 07:30.",
        "2026-04-10T07:30:00+02:00",
    ),
    "I'll call the bank tomorrow": ("Plans to call the bank on 11 March 2026.", "2026-03-11"),
    "I'm going to visit my parents next weekend": (
        "Plans to visit their parents on the weekend of 21 March 2026.",
        "2026-03-22",
    ),
    "I'm planning to run a marathon in October": ("Plans to run a marathon in October 2026.", "2026-10-31"),
    "I promised to send Anna the slides by Monday": (
        "Promised to send Anna the slides by 16 March 2026.",
        "2026-03-16",
    ),
    "I'm meeting Anna for lunch on Friday": ("Plans to meet Anna for lunch on 13 March 2026.", "2026-03-13"),
    "I'm moving to Lisbon next month": ("Plans to move to Lisbon in April 2026.", "2026-04-30"),
    "I have to finish my tax return by March 16": ("Has to finish their tax return by 16 March 2026.", "2026-03-16"),
    "I've signed up for a 10k on April 19": ("Has signed up for a 10k on 19 April 2026.", "2026-04-19"),
    "I owe the team a postmortem by next Friday": ("Owes the team a postmortem by 20 March 2026.", "2026-03-20"),
    "We're getting married in June": ("Plans to get married in June 2026.", "2026-06-30"),
    "I might move to Spain next year": ("May move to Spain in 2027.", "2027-12-31"),
    "I'm thinking about getting a dog": ("Is thinking about getting a dog.", None),
    "I'm planning a trip to Japan": ("Is planning a trip to Japan.", None),
}


@pytest.mark.parametrize(("content", "expected"), PLANS.items(), ids=PLANS)
def test_open_loop(content: str, expected: tuple[str, str | None]) -> None:
    (draft,) = drafts(content)
    assert (draft.type, draft.surface) == (MemoryType.OPEN_LOOP, Surface.CONTINUE)
    assert (draft.content, draft.due_at) == expected


CLOSINGS = {
    "called mom, done!": "Called mom (kept).",
    "I sent the report": "Sent the report (kept).",
    "I submitted my application": "Submitted their application (kept).",
    "booked the flight": "Booked the flight (kept).",
    "I'm done with the report": "Finished the report (kept).",
    "the treehouse is finished": "Finished the treehouse (kept).",
    "I finally did the laundry": "Did the laundry (kept).",
    "I'm not going to the conference after all": "No longer plans to go to the conference (dropped).",
    "I decided not to go to the conference": "No longer plans to go to the conference (dropped).",
    "decided against buying the house": "No longer plans to buy the house (dropped).",
    "cancelled the trip to Rome": "Cancelled the trip to Rome (dropped).",
    "The trip to Rome is cancelled": "Cancelled the trip to Rome (dropped).",
    "I won't be able to make it to the party": "Cannot go to the party (dropped).",
}


@pytest.mark.parametrize(("content", "wording"), CLOSINGS.items(), ids=CLOSINGS)
def test_closing_says_whether_it_was_kept(content: str, wording: str) -> None:
    closing = [d for d in drafts(content) if d.operation is Operation.CLOSE_OPEN_LOOP]
    assert [d.content for d in closing] == [wording]
    assert closing[0].negated == wording.endswith("(dropped).")


EVENTS = {  # content: (wording, valid from)
    "yesterday I ran a 10k": ("Ran a 10k on 9 March 2026.", "2026-03-09"),
    "Yesterday, I ran a 10k": ("Ran a 10k on 9 March 2026.", "2026-03-09"),
    "last weekend we visited Porto with my parents": (
        "Visited Porto with their parents on the weekend of 7 March 2026.",
        "2026-03-07",
    ),
    "I visited the Louvre on March 3": ("Visited the Louvre on 3 March 2026.", "2026-03-03"),
    "I lost my job at Acme two months ago": ("Lost their job at Acme in January 2026.", "2026-01-01"),
    "I bought a new laptop": ("Bought a new laptop.", None),
    "I've been to Japan twice": ("Has been to Japan twice.", None),
    "I ate fish for the first time in nine years": ("Ate fish for the first time in nine years.", None),
    "I found a great place, a coffee shop called Rosenfeld": (
        "Found a great place, a coffee shop called Rosenfeld.",
        None,
    ),
}


@pytest.mark.parametrize(("content", "expected"), EVENTS.items(), ids=EVENTS)
def test_event(content: str, expected: tuple[str, str | None]) -> None:
    events = [d for d in drafts(content) if d.type is MemoryType.EPISODIC_EVENT]
    assert [(d.content, d.valid_from) for d in events] == [expected]


MOODS = ["I'm so tired today", "I hate everything right now", "I feel really down today", "I'm exhausted", "I'm hungry"]


@pytest.mark.parametrize("content", MOODS)
def test_a_passing_state_is_no_trait(content: str) -> None:
    (draft,) = drafts(content)
    assert draft.type is MemoryType.EPHEMERAL
    assert draft.salience <= 0.6  # below what the gate asks of passing states (DL-13)
