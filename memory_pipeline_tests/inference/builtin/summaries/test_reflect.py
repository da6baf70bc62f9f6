"""Insights and patterns: what recurs, when, and what changed; cited, and without a figure that nobody named."""

from __future__ import annotations

from typing import Any

import pytest

from memory_pipeline.domain.derived.derived_numbers import underived
from memory_pipeline.domain.derived.faithfulness import unfaithful
from memory_pipeline.domain.text import numbers
from memory_pipeline.inference.builtin.summaries.clusters import pattern
from memory_pipeline.inference.builtin.summaries.reflect import reflect
from memory_pipeline_tests.inference.builtin.summaries.test_summarise import memory

# Mondays to Wednesdays, Fridays: days on which other things are said.
OTHERS = [
    memory(f"o{n}", f"Likes {thing}.", "preference", day=f"2026-03-{day:02}", hour=9)
    for n, (thing, day) in enumerate(
        [("tea", 9), ("soup", 11), ("chess", 13), ("hats", 17), ("jazz", 20), ("kites", 25)]
    )
]
SUNDAYS = ("2026-03-15", "2026-03-22", "2026-03-29")
SCATTERED = ("2026-03-09", "2026-03-12", "2026-03-17")


def said(*contents: str, days: tuple[str, ...] = SUNDAYS, kind: str = "episodic_event", **given: Any) -> list[Any]:
    return [
        memory(f"k{n}", text, kind, day=day, **given)
        for n, (text, day) in enumerate(zip(contents, days, strict=True), 1)
    ]


def insights(memories: list[dict[str, Any]], least: int = 3, most: int = 5) -> list[tuple[str, list[str]]]:
    (told,) = reflect(asked(memories, memories, least, most)).periods
    return [(i.content, i.evidence) for i in told.insights]


def asked(memories: list[Any], new: list[Any], least: int = 3, most: int = 5) -> dict[str, Any]:
    period = {"period": "p1", "label": "2026-W11", "memories": _run(memories), "new": _run(new)}
    return {"periods": [period], "memories": memories, "min_evidence": least, "max_insights": most}


def _run(memories: list[Any]) -> list[list[Any]]:
    return [[memories[0]["id"], memories[-1]["id"]]] if memories else []


@pytest.mark.parametrize(
    ("contents", "told"),
    [
        (
            ("Felt sick before the status meeting.", "Felt anxious before the status meeting.",
             "Felt tense before the status meeting."),
            "On three Sundays felt sick, anxious and tense before the status meeting.",
        ),
        (
            ("Felt tired after the shift.", "Felt tired.", "Felt very tired after the long shift."),
            "On three Sundays felt tired.",
        ),
        (
            ("Is dreading the presentation.", "Is dreading the presentation.", "Is dreading the presentation."),
            "On three Sundays was dreading the presentation.",
        ),
        (
            ("Ran a 10k.", "Went running along the Elbe.", "Ran 8 km with Max."),
            "On three Sundays came back to running: ran a 10k; went running along the Elbe; ran 8 km with Max.",
        ),
        (
            ("Brother called about the loan.", "Brother called about the loan.", "Brother called about the loan."),
            "On three Sundays their brother called about the loan.",
        ),
    ],
)  # fmt: skip
def test_what_recurs_on_a_weekday_is_told_with_it(contents: tuple[str, ...], told: str) -> None:
    assert insights([*said(*contents), *OTHERS]) == [(told, ["k1", "k2", "k3"])]


def test_what_keeps_no_rule_and_did_not_change_is_no_insight() -> None:
    assert (
        insights([*said("Ran a 10k.", "Went running along the Elbe.", "Ran with Max.", days=SCATTERED), *OTHERS]) == []
    )


def test_a_word_that_unlike_memories_share_keeps_no_rule() -> None:
    contents = (
        "Is on the pricing team.",
        "Estimate for the price history: 3 days.",
        "Decided to keep the price table.",
    )
    kinds = ("profile_fact", "estimate", "decision")
    memories = [{**m, "type": kind} for m, kind in zip(said(*contents), kinds, strict=True)]
    assert insights([*memories, *OTHERS]) == []


def test_whoever_only_writes_on_sundays_has_no_habit_of_sundays() -> None:
    others = [{**other, "day": day} for other, day in zip(OTHERS, SUNDAYS * 2, strict=True)]
    assert insights([*said("Ran a 10k.", "Ran along the Elbe.", "Ran with Max."), *others]) == []


def test_what_recurs_at_a_time_of_day() -> None:
    runs = said("Ran a 10k.", "Ran along the Elbe.", "Ran with Max.", days=SCATTERED, hour=21)
    ((content, evidence),) = insights([*runs, *OTHERS])
    assert content.startswith("On three evenings ") and evidence == ["k1", "k2", "k3"]
    assert insights([*runs, *({**other, "hour": 20} for other in OTHERS)]) == [], "who always writes then has no habit"


def test_a_state_that_comes_with_something_else() -> None:
    tired = said("Is tired.", "Is tired.", "Is tired.", days=SCATTERED, kind="ephemeral")
    shifts = said("Worked a night shift.", "Did a double shift.", "Took a shift.", days=SCATTERED)
    shifts = [{**shift, "id": f"s{n}"} for n, shift in enumerate(shifts)]
    found = insights([*tired, *shifts, *OTHERS])
    assert [content for content, _ in found] == ["On three days on which shift came up, was tired."]
    assert set(found[0][1]) == {"k1", "k2", "k3", "s0", "s1", "s2"}


@pytest.mark.parametrize(
    ("contents", "told"),
    [
        (("Weighed 208 lb.", "Weighed 203 lb.", "Weighed 199 lb."), "went from 208 to 199 lb in March."),
        (
            ("Ran at 6:28 per km.", "Ran at 6:12 per km.", "Ran at 5:55 per km."),
            "went from 6:28 to 5:55 per km in March.",
        ),
        (("Slept 5 hours.", "Slept 6 hours.", "Slept 7 hours."), "went from 5 to 7 hour"),
    ],
)
def test_what_rises_or_falls_each_time(contents: tuple[str, ...], told: str) -> None:
    ((content, evidence),) = insights([*said(*contents, days=SCATTERED), *OTHERS])
    assert told in content and evidence == ["k1", "k2", "k3"]
    up_and_down = (contents[0], contents[2], contents[1])
    assert insights([*said(*up_and_down, days=SCATTERED), *OTHERS]) == []


def test_what_changed_with_a_habit_is_told_with_it() -> None:
    dread = said(*["Is dreading the presentation."] * 3, kind="ephemeral")
    over = memory("k4", "Is no longer dreading the presentation.", "ephemeral", day="2026-04-05")
    assert insights([*dread, over, *OTHERS]) == [
        (
            "On three Sundays was dreading the presentation; since then: is no longer dreading the presentation.",
            ["k1", "k2", "k3", "k4"],
        )
    ]


@pytest.mark.parametrize("contents", [["Weighed 208 lb.", "Weighed 203 lb.", "Weighed 199 lb."],
                                      ["Ran a 10k.", "Ran 8 km with Max.", "Ran 12 km."]])  # fmt: skip
def test_an_insight_names_no_figure_of_its_own(contents: list[str]) -> None:
    for content, _ in insights([*said(*contents), *OTHERS]):
        assert underived(content, contents) == []


def test_too_little_evidence_is_no_insight() -> None:
    runs = said("Ran a 10k.", "Ran along the Elbe.", "Ran with Max.")
    assert insights([*runs, *OTHERS], least=4) == []
    assert insights([]) == []
    assert insights([{**m, "day": SUNDAYS[0]} for m in runs]) == [], "one day"
    assert insights([*runs[:2], {**runs[2], "day": SUNDAYS[1]}, *OTHERS]) == [], "two days"


@pytest.mark.parametrize("kind", ["boundary", "protocol", "reflection", "pattern"])
def test_what_is_no_event_of_their_life_is_left_alone(kind: str) -> None:
    assert insights([*said("Ran a 10k.", "Ran along the Elbe.", "Ran with Max.", kind=kind), *OTHERS]) == []


def test_a_theme_is_told_once() -> None:
    talks = said(*[f"Had a long talk with Farid about slide {letter}." for letter in "abc"])
    assert len(insights([*talks, *OTHERS])) == 1


def test_no_more_than_asked_for() -> None:
    groups = [
        memory(f"k{n}{topic}", f"Practised the {topic} piece.", "episodic_event", day=day)
        for topic in ("violin", "garden", "kitchen")
        for n, day in enumerate(SUNDAYS)
    ]
    assert len(insights([*groups, *OTHERS], most=2)) == 2


def test_without_anything_new_there_is_nothing_to_say_again() -> None:
    memories = [*said("Ran a 10k.", "Ran along the Elbe.", "Ran with Max."), *OTHERS]
    (told,) = reflect(asked(memories, OTHERS)).periods
    assert told.insights == []


def test_each_week_by_itself() -> None:
    memories = [*said("Ran a 10k.", "Ran along the Elbe.", "Ran with Max."), *OTHERS]
    given = asked(memories, memories)
    given["periods"] = [
        {"period": "p1", "label": "2026-W12", "memories": [["k1", "k2"], ["o0", "o5"]], "new": [["k1", "k2"]]},
        {"period": "p2", "label": "2026-W13", "memories": [["k1", "k3"], ["o0", "o5"]], "new": [["k3", "k3"]]},
    ]
    first, second = reflect(given).periods
    assert (first.period, first.insights) == ("p1", [])
    assert second.period == "p2" and second.insights[0].evidence == ["k1", "k2", "k3"]


# -- patterns

BATCHING = [
    memory("k1", "Batching gives 1.5x throughput on the quote API.", "finding"),
    memory("k2", "Batching the quote API calls gives 2.8x throughput.", "finding"),
    memory("k3", "Batching helps the quote API by 2x.", "finding", importance=0.8),
]
RUNS = said("Ran a 10k on 9 March 2026.", "Ran 8 km with Max.", "Ran along the Elbe.")


def test_a_pattern_names_what_is_shared_the_count_and_the_range() -> None:
    reply = pattern({"members": BATCHING})
    assert reply.content.startswith("Three findings are about the quote API, from 1.5x to 2.8x: ")
    assert all(str(m["content"])[1:-1] in reply.content for m in BATCHING), "they are retold"
    assert reply.importance >= 0.8


def test_what_was_done_again_and_again_is_told_under_its_verb() -> None:
    assert pattern({"members": RUNS}).content == "Ran a 10k on 9 March 2026, 8 km with Max and along the Elbe."


def test_figures_that_not_every_member_gives_are_no_range() -> None:
    members = [*BATCHING, memory("k4", "Batching broke the export.", "finding")]
    assert "from " not in pattern({"members": members}).content.split(":")[0]


@pytest.mark.parametrize(
    "members",
    [BATCHING, RUNS, [*RUNS, memory("k5", "Did not run with Max because of the rain.", "episodic_event")]],
)
def test_a_pattern_is_faithful_to_its_members(members: list[dict[str, Any]]) -> None:
    contents = [str(m["content"]) for m in members]
    assert unfaithful(pattern({"members": members}).content, contents) is None


def test_a_pattern_names_no_number_of_its_own() -> None:
    members = [memory(f"k{n}", f"The nightly backfill stalls on table {name}.") for n, name in enumerate("abcdefgh")]
    assert numbers(pattern({"members": members}).content) == frozenset()
    known = frozenset().union(*(numbers(str(m["content"])) for m in BATCHING))
    assert numbers(pattern({"members": BATCHING}).content) <= known
