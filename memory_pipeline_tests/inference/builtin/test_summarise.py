"""Summaries: what they say, what they cite, what they keep silent about, how long they are."""

from __future__ import annotations

from typing import Any

from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.inference.builtin.summarise import calendar, day, period, rolling
from memory_pipeline_tests.inference.builtin.extraction import message

TALK = [
    message("Hi! I moved to Lisbon last week and I work at Figma.", "m1"),
    message("Nice! Welcome to Lisbon.", "m2", role="assistant"),
    message("I'm allergic to peanuts.", "m3"),
    message("lol ok", "m4"),
    message("The landlord wants to raise our rent by 200 euros from May, outrageous.", "m5"),
]


def memory(alias: str, content: str, kind: str = "profile_fact", **changes: Any) -> dict[str, Any]:
    given = {"id": alias, "type": kind, "content": content, "change": "add", "day": "2026-03-10", "importance": 0.7}
    return {**given, **changes}


def daily(memories: list[dict[str, Any]], messages: list[dict[str, Any]], tokens: int = 160) -> Any:
    return day(
        {
            "label": "2026-03-10",
            "timezone": "Europe/Berlin",
            "messages": messages,
            "memories": memories,
            "max_tokens": tokens,
        }
    )


def test_rolling_states_facts_in_the_third_person_and_quotes_the_rest() -> None:
    reply = rolling({"messages": TALK, "max_tokens": 400})
    assert "The user lives in Lisbon" in reply.text
    assert "works at Figma" in reply.text
    assert "allergic to peanuts" in reply.text
    assert '"The landlord wants to raise our rent by 200 euros from May' in reply.text
    assert "Welcome" not in reply.text
    assert reply.messages == ["m1", "m3", "m5"]
    assert reply.memories == []


def test_rolling_gives_the_last_word_on_a_slot() -> None:
    messages = [message("I live in Berlin", "m1"), message("Actually I live in Potsdam", "m2")]
    assert rolling({"messages": messages, "max_tokens": 400}).text == "The user lives in Potsdam."


def test_rolling_keeps_the_question_that_the_next_turn_may_answer() -> None:
    asked = [message("Which is nicer, the Taberna or the Ramiro?", "m1")]
    assert '"Which is nicer, the Taberna or the Ramiro' in rolling({"messages": asked, "max_tokens": 400}).text


def test_nothing_said_is_no_text() -> None:
    small_talk = [message("hi", "m1"), message("lol ok", "m2"), message("I live in Rome", "m3", role="assistant")]
    for messages in ([], small_talk):
        reply = rolling({"messages": messages, "max_tokens": 400})
        assert (reply.text, reply.messages, reply.memories) == ("", [], [])
    assert daily([], small_talk).text == ""


def test_day_tells_memories_changes_and_what_else_was_said() -> None:
    reply = daily(
        [
            memory("k1", "Lives in Lisbon."),
            memory("k2", "Lives in Berlin.", change="supersede"),
            memory("k3", "Needs to call mom.", "open_loop", change="close"),
            memory("k4", "Brother lives in Oslo."),
        ],
        TALK,
        tokens=300,
    )
    assert reply.text.startswith("On 10 March 2026: the user lives in Lisbon.")
    assert 'no longer holds what was remembered: "Lives in Berlin"' in reply.text
    assert 'Settled: "Needs to call mom".' in reply.text
    assert "Brother lives in Oslo." in reply.text
    assert "landlord" in reply.text
    assert reply.memories == ["k1", "k2", "k3", "k4"]
    assert "m5" in reply.messages


def test_what_must_not_be_raised_or_was_forgotten_is_in_no_summary() -> None:
    messages = [
        message("I had a long talk with my ex Tom about the flat yesterday.", "m1"),
        message("Please never mention my ex Tom.", "m2"),
        message("We planted eleven tomato seedlings on the balcony today.", "m3"),
    ]
    told = daily(
        [
            memory("k1", "Does not want their ex Tom to be brought up.", "boundary"),
            memory("k2", "Liked the coffee shop on Main Street.", change="forget"),
            memory("k3", "Has an ex called Tom."),
        ],
        messages,
    )
    for text in (told.text, rolling({"messages": messages, "max_tokens": 400}).text):
        assert "Tom" not in text
        assert "coffee" not in text
    assert "tomato" in told.text


def test_a_day_fits_its_budget_and_keeps_what_matters() -> None:
    memories = [memory(f"k{n}", f"Has the hobby number {n} of a long list.", importance=0.3) for n in range(40)]
    memories.append(memory("k99", "Is allergic to peanuts.", importance=0.95))
    reply = daily(memories, TALK, tokens=60)
    assert estimate_tokens(reply.text) <= 60
    assert "allergic to peanuts" in reply.text
    assert "k99" in reply.memories


WEEK = [
    memory("k1", "Ran a 10k.", "episodic_event", day="2026-03-09"),
    memory("k2", "Loves running.", "preference", day="2026-03-14"),
    memory("k3", "Plans to visit Rome.", "open_loop", day="2026-03-11"),
]


def test_a_week_goes_by_its_days() -> None:
    given = {"label": "2026-W11", "timezone": "Europe/Berlin", "messages": [], "memories": WEEK, "max_tokens": 260}
    reply = period({**given, "start": "2026-03-09", "end": "2026-03-15"})
    assert reply.text == (
        "On Monday, 9 March: the user ran a 10k. On Wednesday, 11 March: the user plans to visit Rome. "
        "On Saturday, 14 March: the user loves running."
    )


def test_a_month_goes_by_its_themes() -> None:
    given = {"label": "2026-03", "timezone": "Europe/Berlin", "messages": [], "memories": WEEK, "max_tokens": 260}
    reply = period({**given, "start": "2026-03-01", "end": "2026-03-31"})
    assert reply.text == (
        "Tastes: the user loves running. What happened: the user ran a 10k. Plans: the user plans to visit Rome."
    )
    assert sorted(reply.memories) == ["k1", "k2", "k3"]


def test_a_silent_period_is_no_text() -> None:
    given = {"label": "2026-03", "timezone": "Europe/Berlin", "messages": [], "memories": [], "max_tokens": 260}
    assert period({**given, "start": "2026-03-01", "end": "2026-03-31"}).text == ""


def test_a_day_is_dated_and_its_user_named_whatever_is_told_first() -> None:
    reply = daily([memory("k1", "Brother lives in Oslo."), memory("k2", "Lives in Lisbon.")], [])
    assert reply.text == "On 10 March 2026: Brother lives in Oslo. The user lives in Lisbon."


def test_each_period_of_a_call_is_told_from_its_own_evidence() -> None:
    def asked(period: str, grain: str, label: str, messages: list[list[str]], memories: list[list[str]]) -> Any:
        given = {"period": period, "grain": grain, "label": label, "max_tokens": 260}
        return {**given, "messages": messages, "memories": memories}

    reply = calendar(
        {
            "periods": [
                asked("p1", "day", "2026-03-10", [["m1", "m3"]], []),
                asked("p2", "week", "2026-W11", [], [["k1", "k1"], ["k3", "k3"]]),
                asked("p3", "session", "", [["m1", "m5"]], []),
            ],
            "messages": TALK,
            "memories": WEEK,
            "unspoken": ["Is allergic to peanuts."],
        }
    )
    first, week, session = reply.periods
    assert [p.period for p in reply.periods] == ["p1", "p2", "p3"]
    assert "Lisbon" in first.text and "landlord" not in first.text and first.messages == ["m1"]
    assert week.memories == ["k1", "k3"] and "loves running" not in week.text
    assert session.text.startswith("The user lives in Lisbon") and "landlord" in session.text
    assert all("peanuts" not in p.text for p in reply.periods), "what the user wants left out"
