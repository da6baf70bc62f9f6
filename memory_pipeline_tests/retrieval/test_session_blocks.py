"""What holds for a session whichever process answers its turns: what was offered, and the block it began with."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_pipeline.domain.ledger.memory import Change
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import QueryError
from memory_pipeline.retrieval.prompt.layouts import AVOID, RELEVANT, SILENT
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.storage.logs.block_files import BlockFiles
from memory_pipeline_tests.store import NOW, Store

TURN = "the new quartet and many other musicians"


def _section(reader: MemoryReader, home: Store, session: str | None = "s-9") -> list[str]:
    return list(reader.context(TURN, **home.owner, session_id=session).sections)


def _text(reader: MemoryReader, home: Store, session: str = "s-9") -> str:
    return reader.context("violin", **home.owner, session_id=session, stable=True).text


class TestRestraint:
    def test_the_same_is_not_offered_a_third_time_by_another_process(self, home: Store) -> None:
        home.memory("Plays the violin in a quartet of many players.")
        found = [_section(home.reader(), home) for _ in range(4)]
        assert found == [[RELEVANT], [RELEVANT], [SILENT], [RELEVANT]]

    def test_processes_that_take_turns_know_of_each_other(self, home: Store) -> None:
        home.memory("Plays the violin in a quartet of many players.")
        one, two = home.reader(), home.reader()
        assert [_section(r, home) for r in (one, two, one, two)] == [[RELEVANT], [RELEVANT], [SILENT], [RELEVANT]]

    def test_another_user_of_the_same_session_name_starts_afresh(self, home: Store) -> None:
        other = home.of(f"{home.user_id}-2")
        for store in (home, other):
            store.memory("Plays the violin in a quartet of many players.")
        assert [_section(home.reader(), home) for _ in range(2)] == [[RELEVANT]] * 2
        assert _section(home.reader(), other) == [RELEVANT]

    def test_reads_that_are_not_recorded_leave_no_trace(self, home: Store) -> None:
        home.memory("Plays the violin in a quartet of many players.")
        for _ in range(2):
            _section(home.reader(recorded=False), home)
        assert _section(home.reader(), home) == [RELEVANT]


class TestStable:
    def test_another_process_goes_on_with_the_block_to_the_byte(self, home: Store) -> None:
        home.memory("Plays the violin.")
        first = home.reader().context("violin", **home.owner, session_id="s-9", stable=True)
        home.memory("Sold a violin to Ann.")
        again = home.reader().context("something else", **home.owner, session_id="s-9", stable=True)
        assert again.text == first.text and again.recall_id != first.recall_id
        assert (again.sections, again.item_ids, again.budget) == (first.sections, first.item_ids, first.budget)
        assert "Ann" in _text(home.reader(), home, "s-10")

    def test_what_the_user_forgets_ends_it_everywhere(self, home: Store) -> None:
        made = home.memory("Plays the violin.")
        home.memory("Likes the violin of Ann.")
        one, two = home.reader(), home.reader()
        assert _text(one, home) == _text(two, home)
        home.change(made, Change.FORGET, status="archived", taken_back=(made.memory_id,))
        after = _text(home.reader(), home)
        assert "Plays" not in after and "Ann" in after
        assert _text(home.reader(), home) == after

    def test_of_two_that_begin_at_once_the_first_stands(self, home: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        home.memory("Plays the violin.")
        late, found = home.reader(), BlockFiles.get
        with monkeypatch.context() as patched:  # neither sees the other's when it looks first
            looks = iter([None])
            patched.setattr(BlockFiles, "get", lambda *args: next(looks, found(*args)))
            first = _text(home.reader(), home)
            home.memory("Sold a violin to Ann.")
            looks = iter([None])
            assert _text(late, home) == first

    def test_an_unreadable_record_is_made_anew(self, home: Store) -> None:
        home.memory("Plays the violin.")
        first = _text(home.reader(), home)
        for path in Path(home.settings.path("recall")).rglob("*.json"):
            path.write_text("{}")
        assert _text(home.reader(), home) == first

    def test_what_others_share_stays_in_the_process(self, home: Store) -> None:
        home.of(f"{home.user_id}-2").memory("The violin shop is in Oslo.", shared=True, classification="public")
        home.memory("Plays the violin.")
        given = {**home.owner, "session_id": "s-9", "stable": True, "include_shared": True}
        assert "Oslo" in home.reader().context("violin", **given).text
        owner = Scope(home.tenant_id, home.user_id)
        assert BlockFiles(home.settings.path("recall")).count([owner]) == 0


class TestConversation:
    def test_only_what_was_said_in_the_session_and_what_is_never_to_be_brought_up(self, home: Store) -> None:
        home.memory("Plays the violin.", session_id="s-1")
        home.memory("Owns a violin of Ann.", session_id="s-2", pinned=True)
        home.memory("Wants no word of the violin teacher.", session_id="s-2", surface=Surface.AVOID)
        home.message("My violin is old.", session_id="s-2")
        given = {**home.owner, "session_id": "s-1"}
        block = home.reader().context("violin", **given, scope="conversation")
        assert block.sections[AVOID].endswith("Wants no word of the violin teacher.")
        assert "Plays the violin." in block.text
        assert "Ann" not in block.text and "old" not in block.text
        assert "Ann" in home.reader().context("violin", **given).text

    def test_the_whole_prompt_of_a_conversation(self, home: Store) -> None:
        home.memory("Lives in Lisbon.", session_id="s-2", attribute="residence", value="Lisbon")
        home.memory("Plays the violin.", session_id="s-1", type=MemoryType.PREFERENCE)
        given = {**home.owner, "session_id": "s-1"}
        own = home.reader().payload("violin", **given, scope="conversation")
        assert "Lisbon" not in str(own.messages) and "violin" in str(own.messages)

    def test_it_needs_a_session(self, home: Store) -> None:
        with pytest.raises(QueryError, match="session_id"):
            home.reader().context("violin", **home.owner, scope="conversation")
        with pytest.raises(QueryError, match="conversation, user"):
            home.reader().context("violin", **home.owner, session_id="s", scope="world")


def test_records_are_bounded_and_go_with_their_user(tmp_path: Path) -> None:
    files, ann, bob = BlockFiles(str(tmp_path)), Scope("t", "ann"), Scope("t", "bob")
    for n in range(80):
        assert files.put(ann, f"k{n}", {"n": n}, instead=False)
    assert files.put(bob, "k", {"n": 0}, instead=False)
    assert (files.count([ann]), files.get(ann, "k79"), files.get(bob, "k79")) == (64, {"n": 79}, None)
    assert not files.put(ann, "k79", {"n": 1}, instead=False) and files.get(ann, "k79") == {"n": 79}
    assert files.put(ann, "k79", {"n": 1}, instead=True) and files.get(ann, "k79") == {"n": 1}
    files.forget([ann])
    assert (files.count([ann]), files.count([bob])) == (0, 1)
    assert files.remove_before(NOW.timestamp() + 10**9) == 1 and not list((tmp_path / "blocks").iterdir())
    assert not BlockFiles("s3://bucket/recall").put(ann, "k", {}, instead=False)
