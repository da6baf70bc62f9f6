"""Insights and patterns: counted, cited, and without a figure that nobody named."""

from __future__ import annotations

from memory_pipeline.domain.faithfulness import unfaithful
from memory_pipeline.domain.text import numbers
from memory_pipeline.inference.builtin.reflect import pattern, reflect
from memory_pipeline_tests.inference.builtin.test_summarise import memory

RUNS = [
    memory("k1", "Ran a 10k on 9 March 2026.", "episodic_event", day="2026-03-09"),
    memory("k2", "Went running along the Elbe.", "episodic_event", day="2026-03-11"),
    memory("k3", "Ran 8 km with Max.", "episodic_event", day="2026-03-13"),
    memory("k4", "Lives in Lisbon.", day="2026-03-14"),
]


def _insights(memories: list[dict[str, object]], least: int = 3, most: int = 5) -> list[tuple[str, list[str]]]:
    (told,) = reflect(_asked(memories, memories, least, most)).periods
    return [(i.content, i.evidence) for i in told.insights]


def _asked(
    memories: list[dict[str, object]], new: list[dict[str, object]], least: int = 3, most: int = 5
) -> dict[str, object]:
    period = {"period": "p1", "label": "2026-W11", "memories": _run(memories), "new": _run(new)}
    return {"periods": [period], "memories": memories, "min_evidence": least, "max_insights": most}


def _run(memories: list[dict[str, object]]) -> list[list[object]]:
    return [[memories[0]["id"], memories[-1]["id"]]] if memories else []


def test_a_theme_that_comes_back() -> None:
    assert _insights(RUNS) == [
        (
            "Has come back to running on three days: ran a 10k on 9 March 2026; went running along the Elbe; "
            "ran 8 km with Max.",
            ["k1", "k2", "k3"],
        )
    ]


def test_too_little_evidence_is_no_insight() -> None:
    assert _insights(RUNS, least=4) == []
    assert _insights([]) == []


def test_one_day_is_no_insight() -> None:
    assert _insights([{**m, "day": "2026-03-09"} for m in RUNS]) == []


def test_boundaries_are_left_alone() -> None:
    assert _insights([{**m, "type": "boundary"} for m in RUNS]) == []


def test_a_theme_is_told_once() -> None:
    talks = [memory(f"k{n}", f"Had a long talk with Farid about slide {n}.", day=f"2026-03-{10 + n}") for n in range(4)]
    assert len(_insights(talks)) == 1


def test_no_more_than_asked_for() -> None:
    groups = [
        memory(f"k{n}{topic}", f"Worked on the {topic} piece.", day=f"2026-03-{10 + n}")
        for topic in ("violin", "garden", "kitchen")
        for n in range(3)
    ]
    assert len(_insights(groups, most=2)) == 2


MEMBERS = [
    memory("k1", "Batching gives 1.5x throughput on the quote API.", "finding"),
    memory("k2", "Batching the quote API calls gives 2.8x throughput.", "finding"),
    memory("k3", "Batching helps the label service by 2x.", "finding", importance=0.8),
]


def test_a_pattern_names_what_is_shared_the_count_and_the_range() -> None:
    reply = pattern({"members": MEMBERS})
    assert reply.content.startswith("Three findings have “batching”")
    assert " in common, from 1.5x to 2.8x: " in reply.content
    assert all(str(m["content"])[1:-1] in reply.content for m in MEMBERS), "they are quoted"
    assert reply.importance >= 0.8


def test_figures_that_not_every_member_gives_are_no_range() -> None:
    members = [*MEMBERS, memory("k4", "Batching broke the export.", "finding")]
    assert "from " not in pattern({"members": members}).content.split(":")[0]


def test_a_pattern_is_faithful_to_its_members() -> None:
    told = [*RUNS[:3], memory("k5", "Did not run with Max because of the rain.", "episodic_event")]
    for members in (MEMBERS, told):
        contents = [str(m["content"]) for m in members]
        assert unfaithful(pattern({"members": members}).content, contents) is None


def test_a_pattern_names_no_number_of_its_own() -> None:
    members = [memory(f"k{n}", f"The nightly backfill stalls on table {name}.") for n, name in enumerate("abcdefgh")]
    assert numbers(pattern({"members": members}).content) == frozenset()
    known = frozenset().union(*(numbers(str(m["content"])) for m in MEMBERS))
    assert numbers(pattern({"members": MEMBERS}).content) <= known


def test_without_anything_new_there_is_nothing_to_say_again() -> None:
    (told,) = reflect(_asked(RUNS, RUNS[3:])).periods
    assert told.insights == []


def test_each_week_by_itself() -> None:
    asked = _asked(RUNS, RUNS)
    asked["periods"] = [
        {"period": "p1", "label": "2026-W10", "memories": [["k1", "k2"]], "new": [["k1", "k2"]]},
        {"period": "p2", "label": "2026-W11", "memories": [["k1", "k4"]], "new": [["k3", "k4"]]},
    ]
    first, second = reflect(asked).periods
    assert (first.period, first.insights) == ("p1", [])
    assert second.period == "p2" and second.insights[0].evidence == ["k1", "k2", "k3"]
