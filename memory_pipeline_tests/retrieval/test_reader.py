from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.domain.ledger.memory import Change, Status
from memory_pipeline.domain.proposal import Evidence, Finding, MemoryType, Outcome, Verdict
from memory_pipeline.domain.window import Window
from memory_pipeline.errors import NotFound, QueryError
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.storage.logs.recall_log import RecallLog
from memory_pipeline_tests import factories
from memory_pipeline_tests.store import NOW, Store

DAY = timedelta(days=1)


def log(home: Store) -> RecallLog:
    return RecallLog(home.settings.path("recall"))


class TestQueries:
    @pytest.mark.parametrize("query", ["", "   ", "\n\t"])
    def test_a_query_without_text_finds_nothing(self, home: Store, reader: MemoryReader, query: str) -> None:
        home.memory("Plays the violin.")
        assert reader.search(query, **home.owner) == []

    @pytest.mark.parametrize(
        ("content", "query"),
        [
            ("我住在里斯本。", "里斯本在哪里"),
            ("私は東京に住んでいます。", "東京"),
            ("서울에 살아요", "서울"),
            ("ฉันอาศัยอยู่ที่ลิสบอน", "ลิสบอน"),
            ("أعيش في لشبونة", "لشبونة"),
            ("Живу в Лиссабоне", "в Лиссабоне"),
            ("Ζω στη Λισαβόνα", "Λισαβόνα"),
            ("🎉 party 🎉", "🎉"),
            ("Sagt Grüße aus Köln", "KÖLN"),
        ],
    )
    def test_any_script_is_found(self, home: Store, reader: MemoryReader, content: str, query: str) -> None:
        home.memories([("Plays the violin.", {}), (content, {})])
        home.message(content)
        assert [i.content for i in reader.search(query, **home.owner, layers=["semantic"])] == [content]
        assert reader.search(query, **home.owner, layers=["episodic"])[0].content == content

    @pytest.mark.parametrize("query", ["🎉" * 10, "?!…", "\x00\x01", "\ud83d", "a" * 100_000, "violin " * 20_000])
    def test_odd_queries_are_answered(self, home: Store, reader: MemoryReader, query: str) -> None:
        home.memory("Plays the violin.")
        found = reader.search(query, **home.owner, layers=["semantic", "episodic", "narrative"])
        assert len(found) == ("violin" in query)
        reader.context(query, **home.owner)

    def test_k(self, home: Store, reader: MemoryReader) -> None:
        home.memories([(f"Plays violin number {n}.", {}) for n in range(120)])
        for k, count in ((0, 0), (1, 1), (10, 10), (100, 100), (1000, 120), (10_000, 120)):
            assert len(reader.search("violin", **home.owner, k=k)) == count
        for k in (-1, 10_001):
            with pytest.raises(QueryError):
                reader.search("violin", **home.owner, k=k)

    def test_a_user_is_required(self, reader: MemoryReader) -> None:
        with pytest.raises(QueryError, match="user_id"):
            reader.search("violin", user_id="")
        with pytest.raises(TypeError):
            reader.search("violin")  # type: ignore[call-arg]


class TestCountingOnce:
    def test_the_better_one_stays_with_the_evidence_of_both(self, home: Store, reader: MemoryReader) -> None:
        turn = home.message("I play the violin in a quartet, since you ask, and have for years.")
        memory = home.memory("Plays the violin.", evidence=["m-0", turn.message_id])
        (item,) = reader.search("plays violin", **home.owner)
        assert (item.id, item.evidence) == (memory.memory_id, ("m-0", turn.message_id))
        (item,) = reader.search("violin quartet since years", **home.owner)
        assert (item.id, item.evidence) == (turn.message_id, (turn.message_id, "m-0"))
        assert len(reader.search("violin", **home.owner, layers=["episodic"])) == 1

    def test_it_does_not_use_up_a_place(self, home: Store, reader: MemoryReader) -> None:
        turn = home.message("I play the violin.")
        home.memory("Plays the violin.", evidence=[turn.message_id])
        home.message("My violin is old and somewhat out of tune today.")
        assert len(reader.search("plays violin", **home.owner, k=2)) == 2

    def test_two_memories_of_one_message_are_two(self, home: Store, reader: MemoryReader) -> None:
        turn = home.message("violin and cello")
        home.memories(
            [
                ("Plays the violin.", {"evidence": [turn.message_id]}),
                ("Plays the cello.", {"evidence": [turn.message_id]}),
            ]
        )
        assert {i.layer for i in reader.search("plays", **home.owner, k=9)} == {"semantic"}
        assert len(reader.search("plays", **home.owner, k=9)) == 2

    def test_the_same_id_in_another_session_is_another_message(self, home: Store, reader: MemoryReader) -> None:
        home.messages(
            [("I play the violin.", {"message_id": "1"}), ("A violin!", {"message_id": "1", "session_id": "s-2"})]
        )
        home.memory("Plays the violin.", evidence=["1"])
        found = reader.search("plays the violin", **home.owner)
        assert [(i.layer, i.session_id) for i in found] == [("semantic", "s-1"), ("episodic", "s-2")]


class TestRecord:
    def test_each_read_is_logged_with_its_items(self, home: Store, reader: MemoryReader) -> None:
        home.memory("Plays the violin.")
        items = reader.search("violin", **home.owner, session_id="s-1", profile="durable")
        rows = log(home).find(items[0].recall_id)
        assert [(r.kind, r.user_id, r.item_id, r.query, r.session_id, r.profile, r.model) for r in rows] == [
            ("search", home.user_id, items[0].id, "violin", "s-1", "durable", "test-words")
        ]
        assert rows[0].latency_ms > 0
        block = reader.context("violin", **home.owner, session_id="s-7")
        rows = log(home).find(block.recall_id)
        assert [(r.kind, r.item_id, r.session_id) for r in rows] == [("context", items[0].id, "s-7")]

    def test_a_secret_in_a_query_is_not_logged(self, home: Store, reader: MemoryReader) -> None:
        home.memory("Plays the violin.")
        items = reader.search("DB_PASS=swordfish, and what about the violin?", **home.owner)
        (row, *_) = log(home).find(items[0].recall_id)
        assert "swordfish" not in row.query and "the violin?" in row.query

    def test_feedback_goes_to_the_reads_owner(self, home: Store, reader: MemoryReader) -> None:
        home.memory("Plays the violin.")
        (item,) = reader.search("violin", **home.owner)
        home.reader().feedback(item.recall_id, item.id, True)
        found = [r for r in log(home).rows() if r.kind == "feedback" and r.recall_id == item.recall_id]
        assert [(r.tenant_id, r.user_id, r.item_id, r.helpful) for r in found] == [
            (home.tenant_id, home.user_id, item.id, True)
        ]

    def test_feedback_on_what_was_not_returned_is_refused(self, home: Store, reader: MemoryReader) -> None:
        home.memory("Plays the violin.")
        (item,) = reader.search("violin", **home.owner)
        for recall_id, item_id in ((item.recall_id, "mem_other"), ("rec_unknown", item.id)):
            with pytest.raises(NotFound, match="recall_id") as refused:
                reader.feedback(recall_id, item_id, True)
            assert (refused.value.recall_id, refused.value.item_id) == (recall_id, item_id)

    def test_feedback_after_the_spool_went_to_the_lake(self, own_home: Store) -> None:
        own_home.memory("Plays the violin.")
        reader = own_home.reader()
        (item,) = reader.search("violin", **own_home.owner)
        (row,) = log(own_home).find(item.recall_id)
        own_home.lake.replace("recalls", row.day, [row])
        for path in log(own_home).files():
            open(path, "w").close()
        reader.feedback(item.recall_id, item.id, False)
        assert [r.helpful for r in log(own_home).rows()] == [False]

    def test_a_log_that_cannot_be_written_breaks_no_read(self, own_home: Store) -> None:
        own_home.memory("Plays the violin.")
        with open(own_home.settings.path("recall"), "w") as blocked:
            blocked.write("in the way")
        assert len(own_home.reader().search("violin", **own_home.owner)) == 1


def test_asynchronous_twins(home: Store, reader: MemoryReader) -> None:
    home.memory("Plays the violin.")

    async def read() -> tuple[Any, Any]:
        return await asyncio.gather(
            reader.asearch("violin", **home.owner, k=3), reader.acontext("violin", **home.owner)
        )

    items, block = asyncio.run(read())
    assert [i.content for i in items] == ["Plays the violin."]
    assert block.item_ids == (items[0].id,)


class TestMemories:
    KEYS = [
        "memory_id",
        "lineage_id",
        "user_id",
        "tenant_id",
        "type",
        "status",
        "content",
        "subject",
        "attribute",
        "value",
        "surface",
        "confidence",
        "salience",
        "importance",
        "pinned",
        "entities",
        "observed_at",
        "valid_from",
        "valid_until",
        "due_at",
        "evidence",
        "superseded_by",
        "version",
        "entity_ids",
    ]

    def test_all_states_are_listed_in_order_of_time(self, home: Store, reader: MemoryReader) -> None:
        first = home.memory("Lives in Berlin.", at=NOW - 9 * DAY, evidence=["m-1"], entities=("Berlin",))
        home.memory("Plays the violin.", at=NOW - 20 * DAY, type=MemoryType.PREFERENCE)
        home.change(first, Change.STALE, status=Status.STALE)
        rows = reader.memories(**home.owner)
        assert [list(row) for row in rows] == [self.KEYS] * 2
        assert [row["content"] for row in rows] == ["Plays the violin.", "Lives in Berlin."]
        assert {k: rows[1][k] for k in ("status", "version", "evidence", "entities", "observed_at")} == {
            "status": "stale",
            "version": 2,
            "evidence": ["m-1"],
            "entities": ["Berlin"],
            "observed_at": NOW - 9 * DAY,
        }
        assert [r["content"] for r in reader.memories(**home.owner, status="stale")] == ["Lives in Berlin."]
        assert [r["content"] for r in reader.memories(**home.owner, type="preference")] == ["Plays the violin."]

    def test_unknown_states_and_types_are_refused(self, home: Store, reader: MemoryReader) -> None:
        with pytest.raises(QueryError, match="archived"):
            reader.memories(**home.owner, status="gone")
        with pytest.raises(QueryError, match="preference"):
            reader.memories(**home.owner, type="fact")


class TestTimeline:
    def fill(self, home: Store) -> None:
        home.messages(
            [
                ("Hello.", {"at": datetime(2026, 3, 2, 9, tzinfo=UTC)}),
                ("Again.", {"at": datetime(2026, 3, 2, 10, tzinfo=UTC), "session_id": "s-2"}),
                ("Later.", {"at": datetime(2026, 3, 12, 9, tzinfo=UTC)}),
            ]
        )
        home.memory("Plays the violin.", at=datetime(2026, 3, 2, 9, tzinfo=UTC))
        home.summary("A quiet Monday.", date(2026, 3, 2))
        home.summary("A quiet week.", date(2026, 3, 2), Grain.WEEK)

    def test_days(self, home: Store, reader: MemoryReader) -> None:
        self.fill(home)
        first, second = reader.timeline(**home.owner)
        assert (first["label"], first["end"], first["messages"], first["sessions"]) == (
            "2026-03-02",
            date(2026, 3, 2),
            2,
            2,
        )
        assert first["summary"] == "A quiet Monday."
        assert [(c["change"], c["content"]) for c in first["changes"]] == [("add", "Plays the violin.")]
        assert (second["label"], second["summary"], second["changes"]) == ("2026-03-12", None, [])

    def test_weeks_and_a_span(self, home: Store, reader: MemoryReader) -> None:
        self.fill(home)
        weeks = reader.timeline(**home.owner, grain="week")
        assert [(w["label"], w["end"], w["summary"]) for w in weeks] == [
            ("2026-W10", date(2026, 3, 8), "A quiet week."),
            ("2026-W11", date(2026, 3, 15), None),
        ]
        span = reader.timeline(**home.owner, grain="month", start=date(2026, 3, 3), end=date(2026, 3, 31))
        assert [(m["label"], m["messages"]) for m in span] == [("2026-03", 1)]

    def test_changes_are_counted_without_what_they_say(self, home: Store, reader: MemoryReader) -> None:
        self.fill(home)
        hidden = home.memory("Takes a pill.", at=datetime(2026, 3, 2, 9, tzinfo=UTC), classification="confidential")
        for ceiling, most in (("internal", 1), ("confidential", 2)):
            told, _ = reader.timeline(**home.owner, max_classification=ceiling)
            for _ in range(2):  # from the files, and from what was kept of them
                counted, _ = reader.timeline(**home.owner, max_classification=ceiling, contents=False)
                assert [c["memory_id"] for c in counted.changes] == [c["memory_id"] for c in told.changes]
                assert {*counted.changes[0]} == {"day", "memory_id", "change", "status"}
                assert (len(counted.changes), counted.summary) == (most, told.summary)
        home.memory("Plays chess.", at=datetime(2026, 3, 2, 9, tzinfo=UTC))
        (counted, _) = reader.timeline(**home.owner, contents=False)
        assert len(counted.changes) == 2 and hidden.memory_id not in {c["memory_id"] for c in counted.changes}

    def test_a_running_week_has_its_days_until_it_is_over(self, home: Store) -> None:
        self.fill(home)
        home.summary("A second day.", date(2026, 3, 12))
        thursday = datetime(2026, 3, 12, 20, tzinfo=UTC)
        reader = home.reader(clock=lambda: thursday)
        past, running = reader.timeline(**home.owner, grain="week")
        assert (past["over"], past["summary"], past["days"]) == (True, "A quiet week.", [])
        assert (running["over"], running["summary"]) == (False, None)
        assert [(d["label"], d["summary"]) for d in running["days"]] == [("2026-03-12", "A second day.")]
        (month,) = reader.timeline(**home.owner, grain="month")
        assert [d["label"] for d in month["days"]] == ["2026-03-02", "2026-03-12"] and not month["over"]
        assert all(day["days"] == [] for day in reader.timeline(**home.owner))
        later = home.reader(clock=lambda: thursday + timedelta(days=4))
        assert [w["over"] for w in later.timeline(**home.owner, grain="week")] == [True, True]

    def test_what_cannot_be_asked(self, home: Store, reader: MemoryReader) -> None:
        with pytest.raises(QueryError, match="day, month, week"):
            reader.timeline(**home.owner, grain="year")
        with pytest.raises(QueryError, match="before it starts"):
            reader.timeline(**home.owner, start=date(2026, 3, 2), end=date(2026, 3, 1))


class TestExplain:
    def test_the_whole_chain(self, home: Store, reader: MemoryReader) -> None:
        day = date(2026, 2, 28)
        turn = home.message("Well, I moved to Lisbon last week, you know.")
        evidence = (Evidence(turn.message_id, "I moved to Lisbon"),)
        window = Window(
            window_id="win_1",
            **home.owner,
            session_id="s-1",
            agent_id=None,
            domain=None,
            day=day,
            timezone="UTC",
            ordinal=0,
            closed=True,
            started_at=turn.created_at,
            ended_at=turn.created_at,
            message_ids=(turn.message_id,),
            content_hashes=(turn.content_hash,),
        )
        proposal = factories.proposal(
            "Lives in Lisbon.", turn.created_at, **home.owner, window_id="win_1", evidence=evidence, prompt_hash="abc"
        )
        finding = Finding("grounding", True, 1.0, 0.8, "quoted to the letter")
        verdict = Verdict(
            verdict_id="vrd_1",
            proposal_id=proposal.proposal_id,
            **home.owner,
            day=day,
            outcome=Outcome.ACCEPTED,
            reason="add",
            findings=(finding,),
            memory_id="mem_x",
        )
        for dataset, row in (("windows", window), ("proposals", proposal), ("verdicts", verdict)):
            home.lake.append(dataset, [row])
        memory = home.memory("Lives in Lisbon.", evidence=evidence, proposal_id=proposal.proposal_id)
        home.change(memory, Change.PIN, pinned=True)

        found = reader.explain(memory.memory_id, **home.owner)

        assert found["memory"] == reader.memories(**home.owner)[0]
        assert [(v["version"], v["change"]) for v in found["versions"]] == [(1, "add"), (2, "pin")]
        assert found["verdict"]["outcome"] == "accepted"
        assert found["verdict"]["findings"][0]["code"] == "grounding"
        assert found["proposal"]["content"] == "Lives in Lisbon."
        assert found["window"]["message_ids"] == [turn.message_id]
        assert (found["prompt_hash"], found["model"], found["run_id"]) == ("abc", "test", "run-1")
        (message,) = found["messages"]
        assert message["content"] == "Well, I moved to Lisbon last week, you know."
        assert (message["quote"], message["role"]) == ("I moved to Lisbon", "user")
        assert message["created_at"] == turn.created_at

    def test_a_memory_by_hand_has_no_proposal(self, home: Store, reader: MemoryReader) -> None:
        memory = home.memory("Lives in Lisbon.")
        found = reader.explain(memory.memory_id, **home.owner)
        assert (found["proposal"], found["verdict"], found["window"], found["messages"]) == (None, None, None, [])
        assert (found["prompt_hash"], found["model"]) == (None, None)

    def test_messages_of_other_days_are_found(self, home: Store, reader: MemoryReader) -> None:
        turn = home.message("I moved to Lisbon.", at=NOW - 90 * DAY)
        memory = home.memory("Lives in Lisbon.", evidence=[turn.message_id], session_id="another")
        assert [m["message_id"] for m in reader.explain(memory.memory_id, **home.owner)["messages"]] == [
            turn.message_id
        ]


def test_frames(home: Store, reader: MemoryReader) -> None:
    memory = home.memory("Lives in Berlin.")
    home.change(memory, Change.MERGE, content="Lives in Berlin-Mitte.")
    home.message("Hello.")
    memories = reader.frame("memories", **home.owner)
    assert list(memories["content"]) == ["Lives in Berlin-Mitte."]
    assert list(reader.frame("messages", **home.owner)["content"]) == ["Hello."]
    for name in ("summaries", "verdicts", "costs"):
        assert len(reader.frame(name, **home.owner)) == 0
    with pytest.raises(QueryError, match="memories, messages, summaries, verdicts, costs"):
        reader.frame("secrets", **home.owner)


def test_a_reader_opens_from_the_environment(own_home: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(own_home.home))
    own_home.memory("Plays the violin.")
    assert [m["content"] for m in MemoryReader.open().memories(user_id="alice")] == ["Plays the violin."]
    assert MemoryReader.open(str(own_home.home / "elsewhere")).memories(user_id="alice") == []
