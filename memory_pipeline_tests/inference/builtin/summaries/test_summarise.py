"""Summaries: what they say, what they cite, what they keep silent about, how long they are."""

from __future__ import annotations

from typing import Any

import pytest

from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.inference.builtin.summaries.session import own_words, rolling
from memory_pipeline.inference.builtin.summaries.summarise import calendar, day, period
from memory_pipeline_tests.inference.builtin.extraction.extracting import message

TALK = [
    message("Hi! I moved to Lisbon last week and I work at Figma.", "m1"),
    message("Nice! Welcome to Lisbon.", "m2", role="assistant"),
    message("I'm allergic to peanuts.", "m3"),
    message("lol ok", "m4"),
    message("My landlord wants to raise our rent by 200 euros from May.", "m5"),
]


def memory(alias: str, content: str, kind: str = "profile_fact", **changes: Any) -> dict[str, Any]:
    given = {"id": alias, "type": kind, "content": content, "change": "add", "day": "2026-03-10", "importance": 0.7}
    return {**given, **changes}


def fact(alias: str, content: str, attribute: str = "", subject: str = "user", **changes: Any) -> dict[str, Any]:
    return memory(alias, content, subject=subject, attribute=attribute or None, **changes)


def replaced(content: str, attribute: str = "", subject: str = "user", **changes: Any) -> dict[str, Any]:
    given = {"change": "supersede", "memory": 1, "replaced_by": 2}
    return fact("k1", content, attribute, subject, **{**given, **changes})


def daily(memories: list[dict[str, Any]], messages: list[dict[str, Any]], tokens: int = 160) -> Any:
    return day({"label": "2026-03-10", "messages": messages, "memories": memories, "max_tokens": tokens})


def spanning(label: str, memories: list[dict[str, Any]], messages: Any = (), tokens: int = 260) -> Any:
    return period({"label": label, "messages": list(messages), "memories": memories, "max_tokens": tokens})


# -- sessions


def test_rolling_states_in_the_third_person_what_is_read() -> None:
    reply = rolling({"messages": TALK, "max_tokens": 400})
    assert "The user lives in Lisbon" in reply.text
    assert "works at Figma" in reply.text
    assert "allergic to peanuts" in reply.text
    assert "landlord wants to raise their rent by 200 euros from May" in reply.text
    assert "Welcome" not in reply.text
    assert reply.messages == ["m1", "m3", "m5"]
    assert reply.memories == []


def test_rolling_gives_the_last_word_on_a_slot() -> None:
    messages = [message("I live in Berlin", "m1"), message("Actually I live in Potsdam", "m2")]
    assert rolling({"messages": messages, "max_tokens": 400}).text == "The user lives in Potsdam."


@pytest.mark.parametrize("tell", [rolling, own_words])
def test_the_question_that_the_next_turn_may_answer_is_kept(tell: Any) -> None:
    asked = [message("Which is nicer, the Taberna or the Ramiro?", "m1")]
    assert '"Which is nicer, the Taberna or the Ramiro' in tell({"messages": asked, "max_tokens": 400}).text


def test_a_reader_tells_the_users_own_sentences_in_order() -> None:
    reply = own_words({"messages": TALK, "max_tokens": 400})
    first, last = reply.text.index("I work at Figma"), reply.text.index("My landlord wants")
    assert reply.text.startswith('The user said: "') and first < last
    assert "Welcome" not in reply.text and reply.messages == ["m1", "m5"]


@pytest.mark.parametrize("tokens", [5, 20, 40])
def test_a_reader_keeps_to_its_tokens_and_what_was_said_last(tokens: int) -> None:
    reply = own_words({"messages": TALK, "max_tokens": tokens})
    assert estimate_tokens(reply.text) <= tokens
    assert reply.text == "" or "landlord" in reply.text


def test_a_reader_keeps_silent_about_what_must_not_be_raised() -> None:
    messages = [
        message("I had a long talk with my ex Tom about the flat.", "m1"),
        message("Please never mention my ex Tom again.", "m2"),
        message("We planted eleven tomato seedlings on the balcony today.", "m3"),
    ]
    text = own_words(
        {"messages": messages, "max_tokens": 400, "unspoken": ["Is seeing a dentist about seedlings."]}
    ).text
    assert "Tom " not in text and "ex" not in text.split()
    assert (
        "seedlings"
        not in own_words({"messages": messages[2:], "max_tokens": 400, "unspoken": ["Tomato seedlings."]}).text
    )


def test_nothing_said_is_no_text() -> None:
    small_talk = [message("hi", "m1"), message("lol ok", "m2"), message("I live in Rome", "m3", role="assistant")]
    for messages in ([], small_talk):
        for tell in (rolling, own_words):
            reply = tell({"messages": messages, "max_tokens": 400})
            assert (reply.text, reply.messages, reply.memories) == ("", [], [])
    assert daily([], small_talk).text == ""


# -- what changed


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("Lives in Berlin.", "Lives in Hamburg.", "moved from Berlin to Hamburg"),
        ("Works at Figma.", "Works at Stripe.", "went from Figma to Stripe"),
        ("Works in marketing.", "Works in design.", "now works in design (before: marketing)"),
        ("Is vegetarian.", "Is vegan.", "is now vegan (before: vegetarian)"),
        ("Is vegetarian.", "Eats fish.", "used to be vegetarian and now eats fish"),
        ("Is 31 years old.", "Is 32 years old.", "is now 32 years old (before: 31)"),
        ("Prefers short answers.", "Prefers long answers.", "now prefers long answers (before: short)"),
        ("Has a boyfriend called Tom.", "Is single.", "used to have a boyfriend called Tom and is now single"),
        ("Does not smoke.", "Smokes.", "did not smoke and now smokes"),
        ("Likes tea.", "Does not like tea.", "no longer likes tea"),
        ("Is married.", "Is not married.", "is no longer married"),
        ("Smokes.", "Quit smoking.", "quit smoking"),
        ("Eats meat.", "No longer eats meat.", "no longer eats meat"),
        ("Switched to tea.", "Prefers coffee again.", "switched to tea and now prefers coffee again"),
        ("Juggles on Fridays.", "Juggles on Sundays.", "now juggles on Sundays (before: Fridays)"),
        ("Is learning French.", "Speaks French.", "used to be learning French and now speaks French"),
    ],
)
def test_a_change_is_told_in_one_sentence(old: str, new: str, told: str) -> None:
    reply = daily([replaced(old), fact("k2", new, memory=2)], [])
    assert reply.text == f"10 March 2026: the user {told}."
    assert sorted(reply.memories) == ["k1", "k2"]


def test_what_changed_for_somebody_else_names_them() -> None:
    old, new = (
        replaced("Sister lives in Rome.", subject="sister"),
        fact("k2", "Sister lives in Porto.", subject="sister"),
    )
    reply = daily([old, {**new, "memory": 2}], [])
    assert reply.text == "10 March 2026: the user's sister moved from Rome to Porto."


def test_two_changes_in_a_row_are_one() -> None:
    first = replaced("Lives in Berlin.", "residence")
    second = {**replaced("Lives in Hamburg.", "residence"), "id": "k2", "memory": 2, "replaced_by": 3}
    reply = spanning("2026-03", [first, second, fact("k3", "Lives in Lisbon.", "residence", memory=3)])
    assert reply.text == "Home: the user now lives in Lisbon (before: Berlin, then Hamburg)."
    assert reply.memories == ["k1", "k2", "k3"]


def test_a_fact_that_is_over_and_gave_way_to_nothing() -> None:
    told = daily([replaced("Lives in Berlin.", replaced_by=None), fact("k2", "Likes tea.")], [])
    assert "no longer lives in Berlin" in told.text and "before" not in told.text
    past = daily([replaced("Broke up in 2023.", replaced_by=None)], [])
    assert (past.text, past.memories) == ("", []), "what happened cannot be over"


# -- plans


def test_a_plan_that_is_settled_and_one_that_is_dropped() -> None:
    plans = [
        fact("k1", "Needs to call mom on 10 March 2026.", "plan", type="open_loop", change="close"),
        fact("k2", "Plans to go to Rome (dropped).", "plan", type="open_loop", change="close"),
    ]
    assert daily(plans, []).text == (
        "10 March 2026: the user settled the plan to call mom and dropped the plan to go to Rome."
    )


def test_a_plan_and_what_was_done_are_told_once() -> None:
    done = fact("k1", "Filed the taxes on 10 March 2026 at 20:00.", "event", type="episodic_event", value="file taxes")
    plan = fact("k2", "Has to file their taxes by 15 March 2026.", "plan", type="open_loop", change="close")
    reply = daily([done, {**plan, "value": "file taxes"}], [])
    assert reply.text == "10 March 2026: the user filed the taxes at 20:00, as planned."
    assert reply.memories == ["k1", "k2"]


# -- each thing once


def test_a_person_is_introduced_with_what_is_told_of_them() -> None:
    reply = spanning(
        "2026-W11",
        [
            fact("k1", "Has a sister called Nora.", "family", value="Nora"),
            fact("k2", "Sister lives in Lisbon.", "residence", subject="sister"),
            fact("k3", "Nora lives in Lisbon.", "residence", subject="Nora"),
            fact("k4", "Nora is a vet.", "occupation", subject="Nora"),
        ],
    )
    assert reply.text == "People: the user has a sister called Nora, who lives in Lisbon. Nora is a vet."
    assert sorted(reply.memories) == ["k1", "k2", "k3", "k4"]


def test_two_sisters_are_not_one() -> None:
    told = [fact(f"k{n}", f"Has a sister called {name}.", "family") for n, name in enumerate(("Nora", "Ida"))]
    text = spanning("2026-W11", [*told, fact("k3", "Sister lives in Lisbon.", "residence", subject="sister")]).text
    assert "Their sister lives in Lisbon" in text and "who" not in text


@pytest.mark.parametrize(
    ("one", "other", "times"),
    [
        ("Is allergic to peanuts.", "Is allergic to peanuts.", 1),
        ("Loves long walks in the forest.", "Loves long forest walks.", 1),
        ("Likes tea.", "Likes coffee.", 2),
        ("Likes cats.", "Does not like cats.", 2),
        ("Runs 5 km before work.", "Runs 10 km before work.", 2),
    ],
)
def test_twins_are_told_once_and_both_cited(one: str, other: str, times: int) -> None:
    reply = spanning("2026-W11", [fact("k1", one), fact("k2", other)])
    assert sorted(reply.memories) == ["k1", "k2"]
    told = [text for text in (one, other) if text.rstrip(".").split()[-1] in reply.text.lower()]
    merged = reply.text.lower().count(one.split()[-1].rstrip(".")) == 1 and len(reply.text) < len(one) + len(other)
    assert merged if times == 1 else len(told) == 2


# -- wording


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("Always defends numbers.", "They always defend numbers."),
        ("Usually carries a camera.", "They usually carry a camera."),
        ("No longer watches television.", "They no longer watch television."),
        ("Is not a smoker.", "They are not a smoker."),
        ("Really misses Japan.", "They really miss Japan."),
        ("Outgrew the old desk.", "They outgrew the old desk."),
    ],
)
def test_verbs_agree(content: str, told: str) -> None:
    first = fact("k1", "Has a parrot, a loud one.")  # its comma makes it a sentence by itself
    assert daily([first, fact("k2", content)], []).text == f"10 March 2026: the user has a parrot, a loud one. {told}"


@pytest.mark.parametrize("content", ["Rui is lactose intolerant.", "Keys get a lifetime of 300 seconds."])
def test_what_is_not_about_the_user_is_not_said_of_them(content: str) -> None:
    subject = "Rui" if content.startswith("Rui") else "keys"
    text = daily([fact("k1", content, subject=subject)], []).text
    assert text in {f"10 March 2026: {content}", f"10 March 2026: {content[:1].lower()}{content[1:]}"}


def test_what_was_decided_is_the_users() -> None:
    text = daily([memory("k1", "Decided: pgbouncer in transaction mode.", "decision", subject=None)], []).text
    assert text == "10 March 2026: the user decided: pgbouncer in transaction mode."


WEEK = [
    fact("k1", "Ran a 10k.", "event", type="episodic_event", day="2026-03-09"),
    fact("k2", "Loves running.", type="preference", day="2026-03-14"),
    fact("k3", "Plans to visit Rome in May 2026.", "plan", type="open_loop", day="2026-03-11"),
    fact("k4", "Is allergic to peanuts.", "allergy"),
    fact("k5", "Is vegetarian.", "diet"),
    memory("k6", "Decided to keep the queue, because it is simple.", "decision", subject=None),
    fact("k7", "Is tired.", "mood", type="ephemeral"),
]


@pytest.mark.parametrize("label", ["2026-W11", "2026-03"])
def test_weeks_and_months_go_by_themes(label: str) -> None:
    reply = spanning(label, WEEK)
    assert reply.text == (
        "Decided: to keep the queue, because it is simple. Health: the user is allergic to peanuts and vegetarian. "
        "Tastes and habits: loves running. What happened: ran a 10k (9 March). Plans: to visit Rome in May."
    )
    assert sorted(reply.memories) == ["k1", "k2", "k3", "k4", "k5", "k6"], "passing states are told in days only"


def test_a_week_tells_a_remark_only_where_there_is_nothing_else() -> None:
    remark = memory("k1", "Box 17 stays sealed until the move.", importance=0.3)
    fact = memory("k2", "Lives in Berlin.")
    alone, beside = spanning("2026-W11", [remark]), spanning("2026-W11", [remark, fact])
    assert ("Box 17" in alone.text, "Box 17" in beside.text, beside.memories) == (True, False, ["k2"])


def test_a_day_tells_events_first_and_passing_states_too() -> None:
    assert daily(WEEK, []).text == (
        "10 March 2026: the user ran a 10k. They decided to keep the queue, because it is simple. "
        "They are allergic to peanuts and vegetarian, love running, and are tired. They plan to visit Rome in May."
    )


def test_a_silent_period_is_no_text() -> None:
    assert spanning("2026-03", []).text == ""


# -- quotations


@pytest.mark.parametrize("tell", [daily, lambda memories, messages: spanning("2026-W11", memories, messages)])
def test_at_most_two_sentences_are_quoted(tell: Any) -> None:
    said = [message(f"I repaired the {thing} of our neighbour with my father.", f"m{n}") for n, thing in enumerate(
        ("bicycle", "kitchen sink", "garden fence", "old radio"))]  # fmt: skip
    reply = tell([], said)
    assert reply.text.count('"') <= 4 and len(reply.messages) <= 2


@pytest.mark.parametrize(
    "content",
    [
        "Can you explain how I repair the kitchen sink of our neighbour?",
        "Please shorten the letter that I wrote to our landlord about the heating.",
        'What does he want? Pasting:\n\n"I am 71 years old and I no longer travel to Berlin if I can avoid it."',
        "copied from a blog:\nI moved to Hamburg in 2019 and I regretted nothing.",
        "review this\n```python\n# I am leaving this company if it ever breaks again\ndef f(): ...",
        '"We value our ten years together and hope to see our partners again soon"',
        "I just love this broken oven, it is my best friend in the kitchen",
        "I wonder what should my mother cook for our anniversary dinner",
        "> I moved to Hamburg in 2019 and I regretted nothing except my sofa.",
    ],
)
def test_what_is_asked_pasted_quoted_or_not_meant_is_not_quoted(content: str) -> None:
    assert daily([], [message(content, "m1")]).text == ""


def test_what_is_told_already_is_not_quoted() -> None:
    told = [fact("k1", "Repaired the kitchen sink with their father.")]
    assert '"' not in daily(told, [message("I repaired the kitchen sink with my father.", "m1")]).text


def test_many_memories_need_no_quotation() -> None:
    facts = [fact(f"k{n}", f"Likes {thing}.") for n, thing in enumerate(("tea", "jazz", "chess", "soup", "hats"))]
    assert daily(facts, TALK).messages == []


# -- what is hidden, and how long it may be


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


@pytest.mark.parametrize("tokens", [30, 60, 160])
def test_a_day_fits_its_budget_and_keeps_what_matters(tokens: int) -> None:
    memories = [memory(f"k{n}", f"Has the hobby number {n} of a long list.", importance=0.3) for n in range(40)]
    memories.append(memory("k99", "Is allergic to peanuts.", importance=0.95))
    reply = daily(memories, TALK, tokens)
    assert estimate_tokens(reply.text) <= tokens
    assert "allergic to peanuts" in reply.text
    assert "k99" in reply.memories


def test_reasons_give_way_before_facts_do() -> None:
    decided = [
        memory(f"k{n}", f"Decided to keep the {thing}, because everybody here knows it and nobody wants another.",
               "decision")
        for n, thing in enumerate(("queue", "cache", "index", "parser"))
    ]  # fmt: skip
    text = spanning("2026-03", decided, tokens=40).text
    assert all(thing in text for thing in ("queue", "cache", "index", "parser")) and "because" not in text


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


def test_what_gave_way_to_a_memory_of_another_period_has_no_successor_there() -> None:
    old = {**replaced("Lives in Berlin.", "residence"), "day": "2026-03-10"}
    new = fact("k2", "Lives in Rome.", "residence", memory=2, day="2026-03-11")
    period_ = {"period": "p1", "grain": "day", "label": "2026-03-10", "max_tokens": 160, "messages": []}
    inputs = {"messages": [], "memories": [old, new], "unspoken": []}
    (told,) = calendar({**inputs, "periods": [{**period_, "memories": [["k1", "k1"]]}]}).periods
    assert told.text == "10 March 2026: the user no longer lives in Berlin." and told.memories == ["k1"]
