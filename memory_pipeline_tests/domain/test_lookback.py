from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.lookback import carried, lookback
from memory_pipeline.domain.message import Message, Role
from memory_pipeline_tests.factories import NOON, message

ROLES = {"u": Role.USER, "a": Role.ASSISTANT, "s": Role.SYSTEM}


def talk(roles: str, start: int = 0) -> list[Message]:
    return [
        message(f"turn {n}", NOON + timedelta(minutes=n), message_id=f"m{n}", role=ROLES[role])
        for n, role in enumerate(roles, start)
    ]


def ids(messages: Sequence[Message]) -> list[int]:
    return [int(m.message_id[1:]) for m in messages]


def test_the_last_messages_are_context() -> None:
    seen = lookback((), talk("uaua"), 3, 10)
    assert (ids(seen.context), ids(seen.summarised)) == ([1, 2, 3], [])


def test_a_summary_is_due_when_enough_was_said_beyond_the_context() -> None:
    assert not lookback((), talk("ua" * 11), 4, 10).summarised
    assert ids(lookback((), talk("ua" * 12), 4, 10).summarised) == list(range(19))


def test_it_is_refreshed_every_ten_user_turns() -> None:
    lengths = [len(lookback((), talk("ua" * turns), 4, 10).summarised) for turns in (12, 15, 19, 20, 25, 30)]
    assert lengths == [19, 19, 19, 39, 39, 59]


def test_it_is_refreshed_after_a_message_of_the_system() -> None:
    roles = "ua" * 12 + "s" + "ua"
    assert ids(lookback((), talk(roles), 4, 10).summarised) == list(range(25))


def test_it_is_refreshed_at_the_end_of_a_day() -> None:
    before = carried(talk("ua" * 13), 4, 10)
    assert ids(lookback(before, talk("ua", 26), 4, 10).summarised) == list(range(26))


def test_a_day_sees_the_end_of_the_days_before_or_all_of_it() -> None:
    assert ids(carried(talk("ua" * 5), 4, 10)) == [6, 7, 8, 9]
    assert len(carried(talk("ua" * 12), 4, 10)) == 24
    assert carried((), 4, 10) == ()


def test_without_context_nothing_is_context() -> None:
    assert ids(lookback((), talk("ua" * 3), 0, 10).context) == []
    assert ids(carried(talk("ua" * 3), 0, 10)) == []


@given(st.text("uas", max_size=60), st.text("uas", max_size=60), st.integers(0, 12), st.integers(1, 12))
def test_every_message_that_is_carried_over_is_seen(before: str, today: str, context: int, turns: int) -> None:
    """What makes a day stale is what its first window sees; no later window sees more of the days before."""
    earlier, later = talk(before), talk(today, len(before))
    kept = carried(earlier, context, turns)
    first = lookback(kept, (), context, turns)
    assert {*ids(first.context), *ids(first.summarised)} == set(ids(kept))
    seen = lookback(kept, later, context, turns)
    assert set(ids([*seen.context, *seen.summarised])) <= {*ids(kept), *ids(later)}
