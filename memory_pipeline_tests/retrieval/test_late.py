"""Late interaction: words of a query against words of a turn, beside similarity and keywords."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from memory_pipeline.domain.reading.recall import RecalledItem
from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.token_vectors import DIMENSIONS
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.retrieval.scores.keywords import KeywordIndex
from memory_pipeline.retrieval.scores.late import QueryTokens, late, query_tokens, session_best
from memory_pipeline.retrieval.store.token_rows import TokenRows
from memory_pipeline.retrieval.store.user_rows import MESSAGES, UserRows
from memory_pipeline.settings import Settings
from memory_pipeline.storage.vectors.index import vectors_of
from memory_pipeline.storage.vectors.index_rows import plain, tokens_of
from memory_pipeline_tests.store import NOW, Store, WordTokenEncoder

ENCODER = WordTokenEncoder()
POLICY = Settings.load().policies.retrieval
MINUTE = timedelta(minutes=1)


@pytest.fixture
def home(tmp_path: Path) -> Store:
    return Store(tmp_path, encoder=ENCODER)


def rows_of(home: Store, *turns: tuple[str, dict[str, Any]]) -> UserRows:
    home.messages(turns)
    table = home.index.rows(MESSAGES, Scope(home.tenant_id, home.user_id))
    return UserRows(MESSAGES, plain(table), vectors_of(table), POLICY, tokens_of(table))


def query(text: str) -> QueryTokens:
    found = query_tokens(ENCODER.encodings([text], words=True)[0])
    assert found is not None
    return found


def met(rows: UserRows, text: str, unseen: Sequence[str] = ()) -> dict[str, float]:
    """Late interaction by content, of a row as similar and as worded as a stranger."""
    nothing, contents = np.zeros(len(rows)), rows.values("content")
    mask = ~np.isin(contents.astype(str), list(unseen))
    found = late(rows, np.arange(len(rows)), mask, query(text), POLICY, nothing, nothing)
    return dict(zip(contents, found.tolist(), strict=True))


def test_the_rarer_word_counts_for_more(home: Store) -> None:
    common = [(f"tea {n}", {"session_id": f"c{n}"}) for n in range(8)]
    rows = rows_of(home, ("tea", {"session_id": "a"}), ("quinces", {"session_id": "b"}), *common)
    found = met(rows, "tea quinces")
    assert found["quinces"] > found["tea"] > 0
    assert met(rows, "quinces")["quinces"] == pytest.approx(1.0, abs=0.02)


def test_a_word_is_found_however_much_is_said_beside_it(home: Store) -> None:
    long = " ".join(f"word{n}" for n in range(60))
    rows = rows_of(home, (f"{long} quinces", {"session_id": "a"}), (long, {"session_id": "b"}))
    found = met(rows, "quinces")
    assert found[f"{long} quinces"] == pytest.approx(1.0, abs=0.02)
    assert found[long] < 0.5


def test_short_turns_of_a_session_lend_each_other_their_words(home: Store) -> None:
    long = "quinces " * 100
    rows = rows_of(
        home,
        ("do you like quinces", {"session_id": "s", "at": NOW}),
        ("very much", {"session_id": "s", "at": NOW + MINUTE}),
        ("why is that", {"session_id": "s", "at": NOW + 2 * MINUTE}),
        ("far away", {"session_id": "other", "at": NOW + MINUTE}),
        (long, {"session_id": "wordy", "at": NOW}),
        ("no answer", {"session_id": "wordy", "at": NOW + MINUTE}),
    )
    found = met(rows, "quinces")
    lent = (POLICY.late_beside - POLICY.late_floor) / (1 - POLICY.late_floor)
    assert found["do you like quinces"] > found["very much"] == pytest.approx(lent, abs=0.02)
    assert max(found["why is that"], found["far away"], found["no answer"]) < 0.5
    assert met(rows, "quinces", unseen=["do you like quinces"])["very much"] < 0.5, "what may not be seen lends nothing"


def test_rows_without_tokens_have_what_is_usual_for_their_other_figures(home: Store) -> None:
    rows = rows_of(home, ("quinces", {}))
    similarity, keyword = np.array([0.5]), np.array([0.25])
    usual = pytest.approx([POLICY.late_similarity * 0.5 + POLICY.late_keyword * 0.25])
    bare = UserRows(MESSAGES, rows.table, rows.vectors, POLICY)
    older = UserRows(MESSAGES, rows.table, rows.vectors, POLICY, pa.array([None], pa.binary()))
    own = (np.arange(1), np.ones(1, bool))
    for those, of in ((bare, query("quinces")), (older, query("quinces")), (rows, None)):
        assert late(those, *own, of, POLICY, similarity, keyword) == usual
    assert late(rows, *own, query("quinces"), POLICY, similarity, keyword) == pytest.approx([1.0], abs=0.02)
    nothing = replace(query("quinces"), words=("…",))
    assert late(rows, *own, nothing, POLICY, similarity, keyword) == usual, "no word to look for"


def test_tokens_are_read_where_they_lie() -> None:
    packed = [b"\1" * DIMENSIONS, None, b"", b"\2" * (2 * DIMENSIONS), b"\3" * DIMENSIONS]
    whole = pa.array(packed, pa.binary())
    for column in (whole, pa.array([b"\7" * DIMENSIONS, *packed, b"\7" * DIMENSIONS], pa.binary()).slice(1, 5)):
        tokens = TokenRows(column)
        assert tokens.counts.tolist() == [1, 0, 0, 2, 1]
        assert tokens.of(np.array([3, 1, 0])).tolist() == [[2.0] * DIMENSIONS] * 2 + [[1.0] * DIMENSIONS]
        assert tokens.of(np.array([], dtype=np.int64)).shape == (0, DIMENSIONS)
    assert TokenRows(pa.array([], pa.binary())).counts.shape == (0,)


def test_a_word_is_as_rare_as_its_rarest_term() -> None:
    index = KeywordIndex(["tea and jam", "tea", "tea and bread"], k1=1.2, b=0.75)
    tea, jam, both, unknown, none = index.rarities(["tea", "Jam", "tea-jam", "quince", "…"]).tolist()
    assert none == 0 < tea < jam == both < unknown


def test_the_best_of_a_session_among_those_given() -> None:
    assert session_best(np.array([7, 3, 7]), np.array([0.1, 0.4, 0.2])).tolist() == [0.2, 0.4, 0.2]
    assert session_best(np.array([], dtype=np.int64), np.array([])).tolist() == []


def asks(reader: MemoryReader, home: Store, text: str) -> list[RecalledItem]:
    return reader.search(text, **home.owner, layers=["episodic"], explain=True, k=50)


def test_a_search_says_what_it_counted_for(home: Store) -> None:
    home.message("quinces", session_id="a")
    home.message("chess by quinces, at length and at leisure", session_id="a")
    found = {item.content: item.signals for item in asks(home.reader(), home, "quinces")}
    assert found["quinces"]["late"].value == pytest.approx(1.0, abs=0.02)
    other = found["chess by quinces, at length and at leisure"]
    assert other["late_session"].value == found["quinces"]["late"].value
    assert found["quinces"]["late"].contribution > 0


def test_a_profile_that_does_not_weigh_it_looks_at_no_token(home: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    home.message("quinces")
    monkeypatch.setattr(TokenRows, "of", lambda *_: pytest.fail("tokens were read"))
    (found,) = home.reader().search("quinces", **home.owner, layers=["episodic"], profile="similarity", explain=True)
    assert found.score > 0
