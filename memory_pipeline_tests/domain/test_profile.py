"""The standing profile: who somebody is within a budget, the same bytes whatever happens around it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.policy import StandingProfilePolicy
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.domain.reading.profile import HEAD, Section, Trait, compose
from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline_tests.factories import NOON, POLICY

FIGURES = POLICY.profile


def trait(content: str, attribute: str | None = None, **given_: Any) -> Trait:
    plain: dict[str, Any] = {
        "memory_id": f"mem-{content}",
        "type": MemoryType.PROFILE_FACT,
        "subject": "user",
        "negated": False,
        "surface": Surface.SPEAK,
        "pinned": False,
        "importance": 0.6,
        "support": 0,
        "observed_at": NOON,
    }
    return Trait(content=content, attribute=attribute, **{**plain, **given_})


def boundary(content: str, **given_: Any) -> Trait:
    return trait(content, "avoid_topic", type=MemoryType.BOUNDARY, surface=Surface.AVOID, **given_)


def protocol(content: str, **given_: Any) -> Trait:
    return trait(content, "answer_style", type=MemoryType.PROTOCOL, **given_)


ADA = [
    boundary("Does not want the accident to be brought up."),
    protocol("Prefers short answers."),
    trait("Is allergic to peanuts.", "allergy", importance=0.95),
    trait("Likes sardines.", "likes", type=MemoryType.PREFERENCE),
    trait("Has a daughter called Ellie.", "family", importance=0.95),
    trait("Works as a nurse.", "occupation", importance=0.8),
    trait("Lives in Lisbon.", "residence", importance=0.8),
    trait("Is called Ada.", "name", importance=0.95),
]


def test_the_sections_in_their_order() -> None:
    assert compose(ADA, FIGURES).text == (
        f"{HEAD}\n"
        "Who: Is called Ada.\n"
        "Place: Lives in Lisbon.\n"
        "Work: Works as a nurse.\n"
        "People: Has a daughter called Ellie.\n"
        "Likes and habits: Likes sardines.\n"
        "Use silently: Is allergic to peanuts. Prefers short answers.\n"
        "Never bring up, respect: Does not want the accident to be brought up."
    )


def test_nothing_known_is_no_text() -> None:
    empty = compose([], FIGURES)
    assert (empty.text, empty.item_ids, empty.tokens) == ("", (), 0)


@pytest.mark.parametrize(
    "left_out",
    [
        trait("Ran a marathon.", "event", type=MemoryType.EPISODIC_EVENT),
        trait("Needs to call mom.", "plan", type=MemoryType.OPEN_LOOP),
        trait("Feels tired.", "mood", type=MemoryType.EPHEMERAL),
        trait("Responds well to humour.", type=MemoryType.REFLECTION),
        trait("Brother lives in Oslo.", "residence", subject="brother"),
        trait("Used to live in Porto.", "former_residence"),
        trait("Does not speak French.", "language", negated=True),
        trait("Is going through a divorce.", "relationship_status", surface=Surface.AVOID),
        trait("Talks " + "and talks " * 40, "likes", type=MemoryType.PREFERENCE),
    ],
    ids=lambda t: t.content[:30],
)
def test_what_is_no_lasting_trait_or_must_not_be_said_stays_out(left_out: Trait) -> None:
    assert compose([*ADA, left_out], FIGURES) == compose(ADA, FIGURES)


def test_how_not_to_answer_is_in() -> None:
    assert "emojis" in compose([protocol("Does not want emojis.", negated=True)], FIGURES).text


def test_who_is_single_no_longer_has_the_partner_of_before() -> None:
    partner = trait("Has a boyfriend called Jonas.", "partner")
    single = trait("Is single.", "relationship_status", observed_at=NOON + timedelta(days=9))
    assert compose([partner, single], FIGURES).text.endswith("People: Is single.")
    again = replace(partner, observed_at=NOON + timedelta(days=20))
    assert compose([again, single], FIGURES).text.endswith("People: Has a boyfriend called Jonas.")


def test_what_is_to_be_used_silently_says_so() -> None:
    shy = trait("Is shy about their stammer.", type=MemoryType.PREFERENCE, surface=Surface.ADAPT)
    assert "Use silently: Is shy about their stammer." in compose([shy], FIGURES).text


def test_what_harms_when_left_out_goes_in_first() -> None:
    crowd = [trait(f"Likes the rather long name of thing {n:03}.", "likes") for n in range(60)]
    tight = replace(FIGURES, tokens=60)
    text = compose([*ADA, *crowd], tight).text
    assert "accident" in text
    assert "peanuts" in text
    assert "thing" not in text


def test_many_boundaries_leave_room_for_who_it_is() -> None:
    many = [boundary(f"Does not want matter {n:03} of the past to be brought up.") for n in range(60)]
    text = compose([*ADA, *many], FIGURES).text
    assert "Is called Ada." in text
    assert text.count("to be brought up") >= 4


def test_a_boundary_is_never_left_out_for_its_length() -> None:
    long = boundary("Does not want " + "the long story of the old house " * 5 + "to be brought up.")
    assert "old house" in compose([long], FIGURES).text


def test_the_more_important_and_the_better_confirmed_first() -> None:
    likes = [
        trait("Likes tea.", "likes", importance=0.5, support=5),
        trait("Likes rye bread.", "likes", importance=0.8),
        trait("Likes jazz.", "likes", importance=0.8, support=2),
        trait("Likes chess.", "likes", importance=0.5, pinned=True),
    ]
    text = compose(likes, FIGURES).text
    assert text.endswith("Likes and habits: Likes chess. Likes jazz. Likes rye bread. Likes tea.")


def test_the_same_words_stand_once() -> None:
    twice = [*ADA, trait("is allergic to peanuts", "health", memory_id="other")]
    assert compose(twice, FIGURES).text.lower().count("peanuts") == 1


def test_other_scripts_count_by_their_own_measure() -> None:
    rows = [trait("リスボンに住んでいます。", "residence"), trait("Зовут Ада.", "name"), trait("اسمها نورا", "family")]
    found = compose(rows, FIGURES)
    assert found.text == f"{HEAD}\nWho: Зовут Ада.\nPlace: リスボンに住んでいます。\nPeople: اسمها نورا"
    assert found.tokens == estimate_tokens(found.text)


def test_the_version_changes_with_the_text_and_with_what_it_rests_on() -> None:
    base = compose(ADA, FIGURES).version
    assert compose([*ADA[:-1], replace(ADA[-1], content="Is called Eva.")], FIGURES).version != base
    assert compose([*ADA[:-1], replace(ADA[-1], memory_id="mem-other")], FIGURES).version != base
    assert compose([*reversed(ADA)], FIGURES).version == base


_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=60)
_TRAITS = st.lists(
    st.builds(
        trait,
        _WORDS,
        st.sampled_from([None, "name", "residence", "occupation", "family", "likes", "allergy", "answer_style", "x"]),
        memory_id=st.uuids().map(str),
        type=st.sampled_from(list(MemoryType)),
        surface=st.sampled_from(list(Surface)),
        subject=st.sampled_from(["user", None, "brother"]),
        pinned=st.booleans(),
        importance=st.floats(0, 1),
        support=st.integers(0, 9),
        observed_at=st.integers(0, 400).map(lambda n: NOON + timedelta(days=n)),
    ),
    max_size=40,
)


@given(_TRAITS, st.randoms(), st.integers(0, 400))
def test_any_order_gives_the_same_bytes_within_the_budget(traits: list[Trait], chance: Any, tokens: int) -> None:
    policy = StandingProfilePolicy(tokens, 30, 8)
    found = compose(traits, policy)
    assert found.tokens == estimate_tokens(found.text) <= tokens
    shuffled = list(traits)
    chance.shuffle(shuffled)
    assert compose(shuffled, policy) == found
    assert len(set(found.item_ids)) == len(found.item_ids)


@given(_TRAITS)
def test_what_did_not_get_in_changes_nothing(traits: list[Trait]) -> None:
    found = compose(traits, FIGURES)
    inside = [t for t in traits if t.memory_id in found.item_ids]
    assert compose(inside, FIGURES) == found


@given(_TRAITS)
def test_what_must_not_be_said_is_never_said(traits: list[Trait]) -> None:
    found = compose(traits, FIGURES)
    lines = {line.split(":")[0] + ":" for line in found.text.splitlines()[2:]}
    assert lines <= set(Section)
    for one in traits:
        if one.memory_id in found.item_ids and one.surface == Surface.AVOID:
            assert one.type == MemoryType.BOUNDARY
