"""What stands around a statement: openings, lists, tags, exceptions, quotations of several lines."""

from __future__ import annotations

import pytest

from memory_pipeline_tests.inference.builtin.extraction import answered, brief, briefs, drafts

STATED = {
    "Good news from the scale, I weigh 88 kg now.": ["profile_fact weight=88 kg"],
    "Weird, since the pregnancy I hate cilantro.": ["preference dislikes=cilantro"],
    "I live in Berlin and the heating bill this winter is insane.": ["profile_fact residence=Berlin"],
    "Hi, I'm Tomasz, 41.": ["profile_fact name=Tomasz", "profile_fact age=41"],
    "I work nights at the Erasmus hospital.": [
        "profile_fact employer=Erasmus",
        "profile_fact current_work_mode=nights",
    ],
    "I'm the treasurer of our choir.": ["profile_fact role=treasurer of our choir"],
    "I'm a beekeeper, so I'm used to sweet things.": ["profile_fact occupation=beekeeper"],
    "I play the banjo.": ["profile_fact hobby=banjo"],
    "I play the fool.": [],
    "Always be brief. And no emojis.": ["protocol answer_style=brief", "protocol protocol=not emojis"],
    "No, I live in Graz.": ["profile_fact residence=Graz"],
    "Call me Bex, nobody says Rebecca.": ["protocol preferred_name=Bex"],
    "We call our robot vacuum Sir Sucks-a-lot.": ["shared_lore lore=Sir Sucks-a-lot"],
    "Please forget that I'm learning Korean.": ["forget profile_fact Anything about learning Korean."],
    "Delete that I have a twin sister.": ["forget profile_fact Anything about a twin sister."],
    "Forget that I told you anything.": [],
    "Don't bring up my father unless I do, okay?": [
        "boundary avoid_topic=father",
        "suppress boundary avoid_topic=father",
    ],
    "I have to book flights before the end of the month.": ["open_loop plan=book flights"],
    "They moved my driving test to March 26th.": ["update open_loop plan=driving test"],
}


@pytest.mark.parametrize(("content", "expected"), STATED.items(), ids=STATED)
def test_stated(content: str, expected: list[str]) -> None:
    assert briefs(content) == expected


def test_a_date_in_another_clause_is_not_this_one_s() -> None:
    (home,) = drafts("I live in Berlin and the heating bill this winter is insane.")
    assert (home.content, home.valid_until) == ("Lives in Berlin.", None)


def test_before_the_end_of_the_month_is_a_due_date() -> None:
    (loop,) = drafts("I have to book flights before the end of the month.")
    assert loop.due_at == "2026-03-31"


def test_who_broke_up_together() -> None:
    told = [brief(d) for d in drafts("Paula and I broke up last week.")]
    assert "contradict profile_fact partner=not Paula" in told
    assert any("Broke up with Paula" in d.content for d in drafts("Paula and I broke up last week."))


def test_yes_i_do_confirms() -> None:
    assert [brief(d) for d in answered("You do enjoy crime fiction, don't you?", "Yes, I do.")] == [
        "preference likes=crime fiction"
    ]
    assert answered("Do you live in Rome?", "Yes, I think so, but not for long.") == []


@pytest.mark.parametrize("quotes", ['""', "“”"])
def test_a_letter_in_quotation_marks_is_somebody_else_s(quotes: str) -> None:
    letter = f"{quotes[0]}Dear Ms Okafor,\n\nI live in Malmö. I love working with children.\nSven{quotes[1]}"
    assert drafts(f"Can you proofread this?\n\n{letter}\n\nI live in Oslo.") != []
    assert {d.value for d in drafts(f"Can you proofread this?\n\n{letter}\n\nI live in Oslo.")} == {"Oslo"}


def test_a_breakup_of_years_ago_does_not_tell_how_things_are_now() -> None:
    assert not any(d.attribute == "relationship_status" for d in drafts("We broke up in 2019 and it was bad."))
