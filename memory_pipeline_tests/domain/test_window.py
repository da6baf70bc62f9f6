from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.message import Message
from memory_pipeline.domain.window import windows
from memory_pipeline_tests.factories import NOON, POLICY, message

MINUTES = st.lists(st.integers(0, 3000), min_size=1, max_size=60, unique=True)


def _messages(minutes: list[int]) -> list[Message]:
    return [
        message(f"message number {n}", NOON + timedelta(minutes=n), message_id=f"m{n}", session_id=f"s{n % 2}")
        for n in minutes
    ]


@given(MINUTES)
def test_every_message_stands_in_exactly_one_window(minutes: list[int]) -> None:
    messages = _messages(minutes)
    found = [m.message_id for _, inside in windows(messages, POLICY.window) for m in inside]
    assert sorted(found) == sorted(m.message_id for m in messages)


@given(MINUTES)
def test_windows_keep_to_one_session_one_day_and_the_policy(minutes: list[int]) -> None:
    for window, inside in windows(_messages(minutes), POLICY.window):
        assert {(m.session_id, m.day) for m in inside} == {(window.session_id, window.day)}
        assert len(inside) <= POLICY.window.max_messages
        for before, after in zip(inside, inside[1:], strict=False):
            assert after.created_at - before.created_at <= timedelta(minutes=POLICY.window.pause_minutes)


@given(MINUTES, st.randoms())
def test_windows_do_not_depend_on_the_order_of_arrival(minutes: list[int], random: object) -> None:
    messages = _messages(minutes)
    shuffled = list(messages)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert list(windows(messages, POLICY.window)) == list(windows(shuffled, POLICY.window))


@given(MINUTES)
def test_later_messages_never_change_a_closed_window(minutes: list[int]) -> None:
    ordered = _messages(sorted(minutes))
    half = ordered[: len(ordered) // 2]
    before = {w.window_id for w, _ in windows(half, POLICY.window) if w.closed}
    after = {w.window_id for w, _ in windows(ordered, POLICY.window)}
    assert before <= after


def test_an_edited_message_makes_another_window() -> None:
    (one, _), (other, _) = (next(iter(windows([message(text)], POLICY.window))) for text in ("I run.", "I swim."))
    assert one.window_id != other.window_id
