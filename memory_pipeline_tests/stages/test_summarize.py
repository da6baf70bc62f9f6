"""Summaries of days, weeks and months through a hosted model: few calls, true citations, fresh with their evidence."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.domain.ledger.memory import FORGOTTEN_TOPIC, Cause, Change, MemoryVersion, Status, evolve
from memory_pipeline.domain.message import Role
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.errors import ModelError
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.storage.parquet.schemas import Quarantined
from memory_pipeline_tests.factories import POLICY, message
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import Call, fails, says
from memory_pipeline_tests.stages.summarising import (
    DAY,
    MARCH,
    NOW,
    Home,
    asked,
    at,
    faithful,
    texts,
    told,
)
from memory_pipeline_tests.store import WordEncoder


@pytest.fixture
def home(tmp_path: Path, protocol_server: ProtocolServer) -> Home:
    protocol_server.answer("calendar", faithful)
    return Home(tmp_path)


def _march(home: Home, user: str = "u") -> None:
    """Four days: two in one week, one alone in its week, one in the last week."""
    for day in (10, 12, 17, 30):
        said = home.say(f"{user} wrote this on March {day}.", at(day), user_id=user, message_id=f"{user}-{day}")
        home.say(f"Fine, {user}.", at(day, 13), user_id=user, message_id=f"{user}-{day}-a", role=Role.ASSISTANT)
        home.remember(f"{user} did something on March {day}.", said, user_id=user)


def _all(home: Home, run_id: str = "run") -> None:
    for grain in Grain:
        home.summarize(grain, MARCH, run_id)


def _calls(server: ProtocolServer) -> list[Call]:
    return [c for c in server.calls if c.task == "calendar"]


def test_a_back_fill_of_all_grains_is_one_call_a_user_and_lists_everything_once(
    home: Home, protocol_server: ProtocolServer
) -> None:
    _march(home, "ann")
    _march(home, "bob")
    _all(home)
    first, second = _calls(protocol_server)
    for call, own, other in ((first, "ann", "bob"), (second, "bob", "ann")):
        if f"{own} wrote" not in call.prompt:
            own, other = other, own
        assert other not in call.prompt, "never two users in one call"
        assert all(call.prompt.count(f"{own} wrote this on March {day}.") == 1 for day in (10, 12, 17, 30))
        assert [(p.grain, p.label) for p in asked(call)] == [
            ("day", "2026-03-10"),
            ("day", "2026-03-12"),
            ("week", "2026-W11"),
            ("day", "2026-03-17"),
            ("day", "2026-03-30"),
            ("month", "2026-03"),
        ]
    assert [len(home.rows(grain)) for grain in ("day", "week", "month")] == [8, 6, 2]


def test_each_summary_cites_its_own_evidence(home: Home) -> None:
    _march(home)
    _all(home)
    assert {s.start.day: s.message_ids for s in home.rows("day")} == {
        day: (f"u-{day}", f"u-{day}-a") for day in (10, 12, 17, 30)
    }
    (week,) = [s for s in home.rows("week") if s.label == "2026-W11"]
    assert week.message_ids == ("u-10", "u-10-a", "u-12", "u-12-a")
    assert week.memory_ids == ("mem-u did something on March 10.", "mem-u did something on March 12.")
    assert week.observed_at == at(12, 13)


def test_a_period_with_the_evidence_of_a_finer_one_has_its_text(home: Home) -> None:
    _march(home)
    _all(home)
    for label, day in (("2026-W12", 17), ("2026-W14", 30)):
        (week,) = [s for s in home.rows("week") if s.label == label]
        (finer,) = [s for s in home.rows("day") if s.start.day == day]
        assert (week.text, week.message_ids, week.memory_ids, week.input_hash) == (
            finer.text,
            finer.message_ids,
            finer.memory_ids,
            finer.input_hash,
        )
        assert week.summary_id != finer.summary_id


def test_a_second_run_asks_nothing_and_writes_the_same_bytes(home: Home, protocol_server: ProtocolServer) -> None:
    _march(home)
    _all(home)
    before = {path: Path(path).read_bytes() for path in home.lake.files("summaries")}
    version = home.ctx().index.version("summaries")
    _all(home, "again")
    assert len(_calls(protocol_server)) == 1
    assert {path: Path(path).read_bytes() for path in home.lake.files("summaries")} == before
    assert home.ctx().index.version("summaries") == version
    assert all(home.stale(grain) == [] for grain in Grain)


def test_days_made_one_at_a_time_have_the_texts_of_a_back_fill(
    home: Home, protocol_server: ProtocolServer, tmp_path: Path
) -> None:
    _march(home)
    _all(home)
    live = Home(tmp_path / "live")
    _march(live)
    for day in (10, 12, 17, 30):
        live.summarize(Grain.DAY, [date(2026, 3, day)], now=at(day, 23))
    assert len(_calls(protocol_server)) == 1 + 4
    for grain in (Grain.WEEK, Grain.MONTH):
        live.summarize(grain, MARCH)
    assert {(s.summary_id, s.text) for s in live.rows()} == {(s.summary_id, s.text) for s in home.rows()}


def test_the_last_day_of_a_week_that_is_over_is_asked_about_with_its_week(
    home: Home, protocol_server: ProtocolServer
) -> None:
    _march(home)
    home.summarize(Grain.DAY, [DAY], now=at(11, 2))
    home.summarize(Grain.DAY, [date(2026, 3, 12)], now=at(16, 2))
    assert [[p.grain for p in asked(c)] for c in _calls(protocol_server)] == [["day"], ["day", "week"]]
    home.summarize(Grain.WEEK, [DAY], now=at(16, 4))
    assert len(_calls(protocol_server)) == 2


def test_weeks_and_months_wait_until_they_are_over(home: Home, protocol_server: ProtocolServer) -> None:
    _march(home)
    sunday = datetime(2026, 3, 15, 23, tzinfo=UTC)
    assert home.stale(Grain.WEEK, sunday) == [] and home.stale(Grain.MONTH, sunday) == []
    home.summarize(Grain.WEEK, [DAY], now=sunday)
    assert home.rows("week") == [] and not _calls(protocol_server)
    monday = datetime(2026, 3, 16, 4, tzinfo=UTC)
    assert home.stale(Grain.WEEK, monday) == [date(2026, 3, 9)]
    home.summarize(Grain.WEEK, [DAY], now=monday)
    assert len(home.rows("week")) == 1
    assert home.stale(Grain.WEEK, monday) == []


def test_invented_ids_are_dropped_and_a_text_without_any_is_put_aside(
    home: Home, protocol_server: ProtocolServer
) -> None:
    def invents(call: Call) -> dict[str, Any]:
        cited = {"2026-03-10": ["m1", "m99", "k7", "nonsense"], "2026-03-12": ["m99"]}
        return {"periods": [told(p.period, "It was so.", cited.get(p.label, p.messages)) for p in asked(call)]}

    protocol_server.answer("calendar", invents)
    home.say("First.", at(10), message_id="a")
    home.say("Second.", at(12), message_id="b")
    home.summarize(Grain.DAY, MARCH)
    (only,) = home.rows("day")
    assert (only.start.day, only.message_ids, only.memory_ids) == (10, ("a",), ())
    (aside,) = home.lake.read("quarantined", Quarantined)
    assert "names no message" in aside.reason and aside.source == "calendar/u/2026-03-12"
    assert home.stale(Grain.DAY) == [], "asking again would not help: the reply is kept"


def test_ids_of_another_period_are_not_evidence(home: Home, protocol_server: ProtocolServer) -> None:
    def mixes(call: Call) -> dict[str, Any]:
        return {"periods": [told(p.period, "All the same.", texts(call)) for p in asked(call)]}

    protocol_server.answer("calendar", mixes)
    home.say("First.", at(10), message_id="a")
    home.say("Second.", at(12), message_id="b")
    home.summarize(Grain.DAY, MARCH)
    assert [s.message_ids for s in home.rows("day")] == [("a",), ("b",)]


def test_what_a_joint_reply_leaves_out_is_asked_again(home: Home, protocol_server: ProtocolServer) -> None:
    def forgetful(call: Call) -> dict[str, Any]:
        periods = faithful(call)["periods"]
        return {"periods": periods[:2] if len(periods) > 2 else periods}

    protocol_server.answer("calendar", forgetful)
    _march(home)
    report = home.summarize(Grain.DAY, MARCH)
    assert not report.failed
    assert [s.start.day for s in home.rows("day")] == [10, 12, 17, 30]
    assert len(_calls(protocol_server)) > 1


def test_a_spoilt_joint_reply_is_asked_again_in_smaller_calls(home: Home, protocol_server: ProtocolServer) -> None:
    protocol_server.script(says("no JSON"), says("still no JSON"))
    _march(home)
    report = home.summarize(Grain.DAY, MARCH)
    assert not report.failed and len(home.rows("day")) == 4


def test_a_model_that_never_fits_is_not_asked_for_ever(home: Home, protocol_server: ProtocolServer) -> None:
    protocol_server.answer("calendar", "nonsense")
    for day in range(1, 9):
        home.say(f"This is day {day}.", at(day), session_id=f"s-{day}")
    report = home.summarize(Grain.DAY, MARCH)
    assert report.failed.total() == 8 and home.rows() == []
    assert len(_calls(protocol_server)) <= 2 * (1 + 2 + 4), "each with one repair"


def test_a_period_that_gets_no_fitting_reply_stays_stale_and_the_others_do_not(
    home: Home, protocol_server: ProtocolServer
) -> None:
    def stumbles(call: Call) -> Any:
        return "nonsense" if "March 12" in call.prompt else faithful(call)

    protocol_server.answer("calendar", stumbles)
    _march(home)
    report = home.summarize(Grain.DAY, MARCH)
    assert dict(report.failed) == {date(2026, 3, 12): 1}
    assert [s.start.day for s in home.rows("day")] == [10, 17, 30]
    assert home.stale(Grain.DAY) == [date(2026, 3, 12)]
    protocol_server.answer("calendar", faithful)
    home.summarize(Grain.DAY, home.stale(Grain.DAY))
    assert len(home.rows("day")) == 4


def test_an_outage_leaves_everything_as_it_was(home: Home, protocol_server: ProtocolServer) -> None:
    _march(home)
    _all(home)
    before = home.rows()
    home.say("Late.", at(10, 15), message_id="late")
    protocol_server.script(*[fails(503)] * 4)
    with pytest.raises(ModelError):
        home.summarize(Grain.DAY, [DAY], "outage")
    assert home.rows() == before


def test_a_text_that_is_too_long_ends_with_a_sentence(home: Home, protocol_server: ProtocolServer) -> None:
    sentence = "She told about the boat and the harbour and the long way home. "
    protocol_server.answer(
        "calendar", lambda call: {"periods": [told(p.period, sentence * 40, p.messages) for p in asked(call)]}
    )
    home.say(sentence, at(10))
    home.summarize(Grain.DAY, [DAY])
    text = home.text(Grain.DAY, DAY)
    assert text is not None and text.endswith("home.")
    assert POLICY.summary.day_tokens - 20 < estimate_tokens(text) <= POLICY.summary.day_tokens


def test_nothing_worth_stating_is_no_summary(home: Home, protocol_server: ProtocolServer) -> None:
    protocol_server.answer("calendar", lambda call: {"periods": [told(p.period, " ", p.messages) for p in asked(call)]})
    home.say("hi", at(10))
    home.summarize(Grain.DAY, [DAY])
    assert home.rows() == [] and home.stale(Grain.DAY) == []


def test_a_silent_day_is_not_asked_about(home: Home, protocol_server: ProtocolServer) -> None:
    home.say("Reminder sent.", at(10), role=Role.ASSISTANT)
    home.say("You are a helper.", at(11), role=Role.SYSTEM)
    home.summarize(Grain.DAY, MARCH)
    assert not _calls(protocol_server) and home.rows() == []


def test_days_and_times_are_the_user_s_own(home: Home, protocol_server: ProtocolServer) -> None:
    home.say("Just after midnight in Tokyo.", datetime(2026, 3, 9, 15, 30, tzinfo=UTC), timezone="Asia/Tokyo")
    home.summarize(Grain.DAY, MARCH)
    (day,) = home.rows("day")
    assert day.start == date(2026, 3, 10)
    (call,) = _calls(protocol_server)
    assert "Tue 2026-03-10 +09:00" in call.prompt and "| 00:30 |" in call.prompt


def test_ten_thousand_messages_in_a_day_are_one_call_within_the_budget(
    home: Home, protocol_server: ProtocolServer
) -> None:
    random_ = random.Random(3)
    words = ["boat", "river", "garden", "violin", "doctor", "Lisbon", "exam", "rent", "train", "cello", "oven"]
    day = [
        message(" ".join(random_.choices(words, k=12)), at(10, 0) + timedelta(seconds=8 * n), message_id=f"m{n}")
        for n in range(10_000)
    ]
    home.lake.append("messages", day)
    home.summarize(Grain.DAY, [DAY])
    (call,) = _calls(protocol_server)
    shown = [i for i in texts(call) if i.startswith("m")]
    assert call.prompt_tokens < POLICY.summary.day_input_tokens + POLICY.summary.session_input_tokens + 800
    assert len(shown) > 80
    hours = set(re.findall(r"^m\d+ \| (\d\d):", call.prompt, re.M))
    assert len(hours) >= 18, "all parts of the day are seen"


def test_a_late_message_makes_its_day_week_and_month_stale_and_no_other(
    home: Home, protocol_server: ProtocolServer
) -> None:
    _march(home)
    _all(home)
    home.say("And the boat has sunk.", at(12, 20), message_id="late")
    assert home.stale(Grain.DAY) == [date(2026, 3, 12)]
    assert home.stale(Grain.WEEK) == [date(2026, 3, 9)]
    assert home.stale(Grain.MONTH) == [date(2026, 3, 1)]
    for grain in Grain:
        home.summarize(grain, home.stale(grain), "late")
    assert len(_calls(protocol_server)) == 2, "the three of them in one call"
    for grain in Grain:
        assert "sunk" in (home.text(grain, date(2026, 3, 12)) or "")


def _changed(version: MemoryVersion, change: Change, day: int, **given: Any) -> MemoryVersion:
    when = at(day)
    return replace(
        evolve(version, change=change, cause=Cause.MANUAL, reason="", changed_at=when, day=when.date(), **given),
        recorded_at=version.recorded_at + timedelta(days=1),
    )


def test_what_is_forgotten_later_is_told_nowhere_any_more(home: Home, protocol_server: ProtocolServer) -> None:
    said = home.say("The best coffee is at Rosenfeld.", at(10), message_id="coffee")
    home.say("And I bought a bike.", at(10, 13), message_id="bike")
    home.say("Good morning.", at(12))
    known = home.remember("Likes the coffee at Rosenfeld.", said)
    _all(home)
    assert "Rosenfeld" in (home.text(Grain.DAY, DAY) or "")
    home.put(_changed(known, Change.FORGET, 24, status=Status.ARCHIVED, taken_back=("coffee", known.memory_id)))
    assert DAY in home.stale(Grain.DAY) and date(2026, 3, 9) in home.stale(Grain.WEEK)
    for grain in Grain:
        home.summarize(grain, home.stale(grain), "forgotten")
    assert not any("Rosenfeld" in s.text for s in home.rows())
    assert home.text(Grain.DAY, DAY) == "And I bought a bike."
    last = _calls(protocol_server)[-1].prompt
    assert "The best coffee" not in last
    assert "<unspoken>" in last and '"Likes the coffee at Rosenfeld."' in last


def test_what_a_topic_closes_is_neither_read_nor_told(home: Home, protocol_server: ProtocolServer) -> None:
    met = home.say("I met my ex Tobias at the pier.", at(10), message_id="met")
    home.say("Was Tobi well?", at(10, 13), message_id="asked", role=Role.ASSISTANT)
    home.say("My clinic is by the pier.", at(10, 14), message_id="clinic")
    home.say("I bought a bike at the pier.", at(10, 15), message_id="bike")
    home.remember("Met Tobias at the pier.", met)
    home.say("Please do not bring him up.", at(12), message_id="rule")
    rule = home.remember("Does not want their ex Tobias to be brought up.", home.say("Not him.", at(12, 13)))
    home.put(_changed(rule, Change.EDIT, 12, type=MemoryType.BOUNDARY, value="ex Tobias", surface=Surface.AVOID))
    plea = home.remember("Wants clinic to be forgotten.", home.say("Forget the clinic.", at(12, 14), message_id="plea"))
    held = {"attribute": FORGOTTEN_TOPIC, "value": "clinic", "type": MemoryType.BOUNDARY, "status": Status.ARCHIVED}
    home.put(_changed(plea, Change.FORGET, 12, taken_back=("plea", plea.memory_id), **held))
    _all(home)
    read = "".join(call.prompt for call in _calls(protocol_server))
    assert "bike" in read
    assert not [t for t in ("I met my ex", "Was Tobi well", "My clinic", "Met Tobias") if t in read]
    assert not any(re.search("tobi|clinic", s.text, re.I) for s in home.rows())


def test_a_sentence_about_what_must_not_be_told_is_left_out(home: Home, protocol_server: ProtocolServer) -> None:
    protocol_server.answer(
        "calendar",
        lambda call: {"periods": [told(p.period, "Met the ex, Tom. Bought a bike.", p.messages) for p in asked(call)]},
    )
    said = home.say("I met my ex Tom, and bought a bike.", at(10))
    rule = home.say("Please never bring up my ex Tom.", at(10, 13), message_id="rule")
    home.remember("Does not want their ex Tom to be brought up.", rule, surface=Surface.AVOID)
    home.summarize(Grain.DAY, [DAY])
    (day,) = home.rows("day")
    assert day.text == "Bought a bike." and day.message_ids == (said.message_id,)


def test_an_edited_memory_is_told_in_the_user_s_own_words(home: Home) -> None:
    said = home.say("I live in Berlin.", at(10), message_id="berlin")
    home.say("The weather is fine.", at(10, 13), message_id="weather")
    known = home.remember("Lives in Berlin.", said)
    home.summarize(Grain.DAY, [DAY])
    home.put(_changed(known, Change.EDIT, 20, content="Lives in Bernau.", own_words=True, taken_back=("berlin",)))
    assert DAY in home.stale(Grain.DAY)
    home.summarize(Grain.DAY, home.stale(Grain.DAY), "edited")
    assert home.text(Grain.DAY, DAY) == "The weather is fine. Lives in Bernau."


def test_a_summary_names_the_memories_behind_the_messages_it_cites(home: Home, protocol_server: ProtocolServer) -> None:
    protocol_server.answer(
        "calendar", lambda call: {"periods": [told(p.period, "It was so.", ["m1"]) for p in asked(call)]}
    )
    said = home.say("I live in Berlin.", at(10))
    known = home.remember("Lives in Berlin.", said)
    home.summarize(Grain.DAY, [DAY])
    (day,) = home.rows("day")
    assert day.memory_ids == (known.memory_id,), "so that forgetting it hides the text at once"


def test_a_memory_that_was_only_confirmed_is_one_line(home: Home, protocol_server: ProtocolServer) -> None:
    said = home.say("I live in Berlin.", at(10))
    known = home.remember("Lives in Berlin.", said)
    again = at(12)
    home.say("As I live in Berlin, …", again)
    home.put(
        evolve(known, change=Change.REINFORCE, cause=Cause.PROPOSAL, reason="", changed_at=again, day=again.date())
    )
    home.summarize(Grain.DAY, MARCH)
    home.summarize(Grain.WEEK, MARCH)
    (call,) = _calls(protocol_server)
    (week,) = [p for p in asked(call) if p.grain == "week"]
    assert len(week.memories) == 1


def test_the_summaries_of_somebody_who_has_vanished_are_gone(home: Home) -> None:
    _march(home, "ann")
    _march(home, "bob")
    _all(home)
    lake = home.lake
    for dataset in ("messages", "memory_versions"):
        for path in lake.files(dataset):
            rows = lake.columns(dataset, [path], ["user_id"])["user_id"].to_pylist()
            if rows == ["bob"] * len(rows):
                Path(path).unlink()
    for grain in Grain:
        assert home.stale(grain) != []
        home.summarize(grain, home.stale(grain), "gone")
    assert {s.user_id for s in home.rows()} == {"ann"}
    held = home.ctx().index.all("summaries", ["user_id"])["user_id"].to_pylist()
    assert set(held) == {"ann"} and len(held) == len(home.rows())


def test_the_builtin_model_tells_the_same_however_periods_are_packed(tmp_path: Path) -> None:
    together, apart = Home(tmp_path / "a", "builtin"), Home(tmp_path / "b", "builtin")
    for place in (together, apart):
        for day in (10, 12, 17):
            said = place.say(f"We planted {day} tomato seedlings on the balcony today.", at(day))
            place.remember(f"Planted {day} tomato seedlings.", said)
    _all(together)
    for day in (17, 12, 10):
        apart.summarize(Grain.DAY, [date(2026, 3, day)])
    for grain in (Grain.MONTH, Grain.WEEK):
        apart.summarize(grain, MARCH)
    assert {(s.summary_id, s.text, s.memory_ids) for s in together.rows()} == {
        (s.summary_id, s.text, s.memory_ids) for s in apart.rows()
    }
    assert "tomato" in (together.text(Grain.MONTH, DAY) or "")


def test_nothing_depends_on_the_time_of_the_run(home: Home, tmp_path: Path, protocol_server: ProtocolServer) -> None:
    _march(home)
    _all(home)
    later = Home(tmp_path / "later")
    _march(later)
    for grain in Grain:
        later.summarize(grain, MARCH, now=NOW + timedelta(days=90))
    same = [replace(s, recorded_at=NOW) for s in later.rows()]
    assert same == [replace(s, recorded_at=NOW) for s in home.rows()]


def test_days_of_users_in_two_zones_and_of_one_who_moves(home: Home) -> None:
    late = datetime(2026, 3, 10, 22, 30, tzinfo=UTC)
    for user, zone in (("west", "America/New_York"), ("east", "Europe/Berlin"), ("far", "Asia/Tokyo")):
        home.say(f"{user} says good night.", late, user_id=user, timezone=zone, message_id=user)
    home.say(
        "Landed.", datetime(2026, 3, 11, 22, 30, tzinfo=UTC), user_id="east", timezone="Asia/Tokyo", message_id="l"
    )
    home.summarize(Grain.DAY, MARCH)
    assert {(s.user_id, s.start.day, s.message_ids) for s in home.rows("day")} == {
        ("west", 10, ("west",)),
        ("east", 10, ("east",)),
        ("far", 11, ("far",)),
        ("east", 12, ("l",)),
    }


def test_a_boundary_that_holds_no_more_makes_its_days_stale_and_no_others(home: Home) -> None:
    said = home.say("Never bring up my ex Tom.", at(10), message_id="rule")
    home.say("I bought a bike.", at(10, 13), message_id="bike")
    other = home.say("I live in Oslo.", at(12), message_id="oslo")
    home.remember("Lives in Oslo.", other)
    rule = home.remember("Does not want their ex Tom to be brought up.", said, surface=Surface.AVOID)
    home.summarize(Grain.DAY, MARCH)
    assert "Tom" not in (home.text(Grain.DAY, DAY) or "")
    again = evolve(rule, change=Change.REINFORCE, cause=Cause.PROPOSAL, reason="", changed_at=at(20), day=at(20).date())
    home.put(again)
    assert home.stale(Grain.DAY) == [date(2026, 3, 20)], "said again: nothing that was told before changes"
    home.put(_changed(again, Change.SUPERSEDE, 24, status=Status.SUPERSEDED))
    assert home.stale(Grain.DAY) == [DAY, date(2026, 3, 20), date(2026, 3, 24)]
    home.summarize(Grain.DAY, home.stale(Grain.DAY))
    assert "Tom" in (home.text(Grain.DAY, DAY) or ""), "as a back-fill would tell it"


def test_what_was_forgotten_and_restored_is_told_again(home: Home) -> None:
    said = home.say("I live in Oslo.", at(10), message_id="oslo")
    home.say("Good morning.", at(10, 13), message_id="morning")
    known = home.remember("Lives in Oslo.", said)
    home.summarize(Grain.DAY, MARCH)
    before = home.text(Grain.DAY, DAY)
    gone = _changed(known, Change.FORGET, 20, status=Status.ARCHIVED, taken_back=("oslo", known.memory_id))
    home.put(gone)
    home.summarize(Grain.DAY, home.stale(Grain.DAY))
    assert "Oslo" not in (home.text(Grain.DAY, DAY) or "")
    home.put(_changed(gone, Change.UNDO, 21, status=Status.ACTIVE, taken_back=()))
    assert DAY in home.stale(Grain.DAY)
    home.summarize(Grain.DAY, home.stale(Grain.DAY))
    assert home.text(Grain.DAY, DAY) == before


def test_thousands_of_memories_stay_within_the_budget_of_a_call(home: Home, protocol_server: ProtocolServer) -> None:
    said = home.say("So much to tell.", at(10))
    for n in range(3):
        home.remember(f"Owns the very important painting number {n}.", said, importance=0.9)
    many = [f"Saw the film number {n} of the festival in town." for n in range(1500)]
    first = home.remember("Saw a film.", said, importance=0.2)
    home.put(*(replace(first, memory_id=f"mem-{n}", version_id=f"v-{n}", content=text) for n, text in enumerate(many)))
    home.summarize(Grain.DAY, MARCH)
    (call,) = _calls(protocol_server)
    assert call.prompt_tokens < POLICY.summary.pack_tokens
    assert sum("very important painting" in text for text in texts(call).values()) == 3, "what weighs most is read"


def test_a_summary_whose_file_is_gone_is_made_again(home: Home) -> None:
    _march(home)
    _all(home)
    before = home.rows()
    for path in home.lake.files("summaries", [DAY]):
        Path(path).unlink()
    assert home.stale(Grain.DAY) == [DAY] and home.stale(Grain.WEEK) == []
    home.summarize(Grain.DAY, home.stale(Grain.DAY))
    assert [(s.summary_id, s.text) for s in home.rows()] == [(s.summary_id, s.text) for s in before]


# -- the embedded model


def test_the_embedded_model_tells_what_a_fact_gave_way_to(tmp_path: Path) -> None:
    home = Home(tmp_path, "builtin")
    before = home.remember("Lives in Berlin.", home.say("I live in Berlin.", at(3)), **_home_of("Berlin"))
    home.put(_moved(before, home))
    home.summarize(Grain.DAY, MARCH)
    home.summarize(Grain.WEEK, MARCH)
    home.summarize(Grain.MONTH, MARCH)
    days = {s.start.day: s.text for s in home.rows("day")}
    assert days == {
        3: "3 March 2026: the user lives in Berlin.",
        17: "17 March 2026: the user moved from Berlin to Hamburg.",
    }
    (month,) = home.rows("month")
    assert month.text == "Home: the user moved from Berlin to Hamburg (17 March)."
    assert set(month.memory_ids) == {"mem-Lives in Berlin.", "mem-Lives in Hamburg."}
    assert sorted(s.text for s in home.rows("week")) == sorted(days.values()), "one day's week is that day"


def _moved(before: MemoryVersion, home: Home) -> MemoryVersion:
    """Hamburg is remembered on 17 March. Returns Berlin as it gave way to it."""
    now = home.remember("Lives in Hamburg.", home.say("We live in Hamburg now.", at(17)), **_home_of("Hamburg"))
    return _changed(before, Change.SUPERSEDE, 17, status=Status.SUPERSEDED, superseded_by=now.memory_id)


def _home_of(city: str) -> dict[str, str]:
    """The slot of where the user lives."""
    return {"subject": "user", "attribute": "residence", "value": city}


def test_a_user_of_several_domains_has_a_summary_of_each(home: Home, protocol_server: ProtocolServer) -> None:
    """Nothing of one domain is in the text of another; what is in one domain only stays one summary."""
    confidential = '{"classification": "confidential"}'
    lease = home.say("The landlord sues.", at(10), message_id="m-1", session_id="s-1", domain="legal", agent_id="bot")
    home.say("Noted, the lawsuit.", at(10, 13), message_id="m-2", session_id="s-1", role=Role.ASSISTANT)
    home.say("Baked bread.", at(10, 14), message_id="m-3", session_id="s-2", domain="home")
    home.say("Nice weather.", at(10, 15), message_id="m-4", session_id="s-3")
    home.say("The court has ruled.", at(12), message_id="m-5", session_id="s-4", domain="legal", metadata=confidential)
    home.remember("Is in a lawsuit.", lease, domain="legal")
    home.summarize(Grain.DAY, MARCH)
    home.summarize(Grain.WEEK, MARCH)
    found = {(s.grain, s.start.day, s.domains): s for s in home.rows()}
    assert found.keys() == {
        ("day", 10, ("legal",)),
        ("day", 10, ("home",)),
        ("day", 10, ()),
        ("day", 12, ("legal",)),
        ("week", 9, ("legal",)),
        ("week", 9, ("home",)),
        ("week", 9, ()),
    }
    assert set(found["day", 10, ("legal",)].message_ids) == {"m-1", "m-2"}  # its session has one domain
    assert found["day", 10, ("legal",)].memory_ids and found["day", 10, ("legal",)].agent_ids == ("bot",)
    assert "bread" in found["week", 9, ("home",)].text and "bread" not in found["week", 9, ("legal",)].text
    classes = {key: s.classification for key, s in found.items()}
    assert {key for key, c in classes.items() if c == "confidential"} == {
        ("day", 12, ("legal",)),
        ("week", 9, ("legal",)),
    }
    reader = MemoryReader(home.ctx().settings, encoder=WordEncoder(), clock=lambda: NOW)
    who = {"user_id": "u", "tenant_id": "t"}
    told = reader.search("landlord bread weather", **who, layers=["narrative"], domain="home", k=50)
    assert {i.id for i in told} == {s.summary_id for key, s in found.items() if key[2] in ((), ("home",))}
    (day,) = reader.timeline(**who, start=date(2026, 3, 10), end=date(2026, 3, 10))
    assert len(day["summary_ids"]) == 3 and len(day["summary"].splitlines()) >= 3
    assert home.stale(Grain.DAY) == home.stale(Grain.WEEK) == []


def test_when_a_second_domain_comes_up_the_summary_of_all_gives_way(home: Home) -> None:
    home.say("The landlord sues.", at(10), message_id="m-1", session_id="s-1", domain="legal")
    home.summarize(Grain.DAY, [DAY])
    (whole,) = home.rows("day")
    home.say("Baked bread.", at(10, 14), message_id="m-3", session_id="s-2", domain="home")
    home.summarize(Grain.DAY, [DAY])
    rows = home.rows("day")
    assert {s.domains for s in rows} == {("legal",), ("home",)}
    assert whole.summary_id not in {s.summary_id for s in rows}
    indexed = home.ctx().index.all("summaries", ["summary_id"])["summary_id"].to_pylist()
    assert set(indexed) == {s.summary_id for s in rows}
