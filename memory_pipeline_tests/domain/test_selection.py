"""Which messages a summary reads: within the budget, the user's own first, all parts of a long day."""

from __future__ import annotations

import random
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_pipeline.domain.derived.selection import clipped, memory_size, select, size, weightiest
from memory_pipeline.domain.message import Message, Role
from memory_pipeline_tests.factories import NOON, memory, message, proposal

WORDS = ("boat", "Lisbon", "rent", "garden", "exam", "violin", "doctor", "train", "oven", "river", "thanks", "great")


def _day(count: int, seed: int = 1) -> list[Message]:
    random_ = random.Random(seed)
    return [
        message(
            " ".join(random_.choices(WORDS, k=random_.randint(1, 30))),
            NOON + timedelta(seconds=8 * n),
            message_id=f"m{n}",
            role=random_.choice([Role.USER, Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM]),
        )
        for n in range(count)
    ]


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(0, 900), st.integers(0, 5))
def test_the_choice_fits_is_in_order_and_does_not_depend_on_the_order_given(count: int, tokens: int, seed: int) -> None:
    day = _day(count, seed)
    chosen = select(day, tokens, 40)
    assert sum(size(m, 40) for m in chosen) <= tokens
    assert [m.message_id for m in chosen] == [m.message_id for m in day if m in chosen]
    assert all(m.role is not Role.SYSTEM for m in chosen)
    shuffled = list(day)
    random.Random(seed).shuffle(shuffled)
    assert select(shuffled, tokens, 40) == chosen


def test_what_fits_is_taken_whole() -> None:
    day = [m for m in _day(20) if m.role is not Role.SYSTEM]
    assert select(day, 10_000, 40) == day


def test_the_user_s_own_words_come_first() -> None:
    day = _day(60)
    own = [m for m in day if m.role is Role.USER]
    tokens = sum(size(m, 40) for m in own)
    assert select(day, tokens, 40) == own


def test_every_part_of_a_day_of_ten_thousand_messages_is_seen() -> None:
    day = _day(10_000)
    chosen = select(day, 2400, 60)
    assert sum(size(m, 60) for m in chosen) <= 2400
    places = [int(m.message_id[1:]) for m in chosen]
    gaps = [b - a for a, b in zip([0, *places], [*places, 10_000], strict=True)]
    assert max(gaps) < 4000 and len(chosen) > 40


def test_what_says_something_goes_before_small_talk_and_before_what_is_known() -> None:
    day = [
        message("Thanks, that is great, thanks!", NOON, message_id="m0"),
        message("The doctor found that my knee needs surgery in May.", NOON + timedelta(minutes=1), message_id="m1"),
        message("Great, thanks, great!", NOON + timedelta(minutes=2), message_id="m2"),
        message("I am allergic to peanuts, by the way.", NOON + timedelta(minutes=3), message_id="m3"),
    ]
    room = size(day[1], 60)
    assert [m.message_id for m in select(day, room, 60)] == ["m1"]
    known = frozenset({"doctor", "found", "knee", "surgery", "may", "need"})
    assert [m.message_id for m in select(day, room, 60, known)] == ["m3"]


def test_a_quotation_that_is_cut_stays_a_quotation() -> None:
    pasted = 'I found this: "I live in Lisbon, and I have been making natas for thirty-one years now." - Anabela'
    assert clipped(pasted, 12) == 'I found this: "I live in Lisbon, and I have…"'
    assert clipped("Sie schrieb: „Ich wohne in Lissabon, seit dreißig Jahren.“ Schön.", 10).endswith("…“")
    assert clipped(pasted, 100) == pasted
    assert clipped('He said "no" and then he went on and on and on.', 6) == 'He said "no" and…'


def test_of_too_many_memories_the_most_important_are_read_in_their_order() -> None:
    known = [
        memory(proposal(f"Fact number {n}.", NOON + timedelta(days=n), importance=importance))
        for n, importance in enumerate((0.2, 0.9, 0.5, 0.5))
    ]
    each = memory_size(known[0])
    assert weightiest(known, 4 * each) == known
    assert weightiest(known, 2 * each) == [known[1], known[3]], "of equal ones the latest"
    assert weightiest(known, each - 1) == []
