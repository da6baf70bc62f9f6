"""Fixture files: what is wrong is named by file, line, fixture and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_pipeline.errors import EvaluationError
from memory_pipeline.evaluation.fixture_loading import load_fixtures

GOOD = """\
today: 2026-03-20 18:00
fixtures:
  - name: tea
    kind: stable user fact
    tags: [DL-35]
    about: A taste.
    chats:
      - id: s1
        at: 2026-03-02 09:15
        turns:
          - user: I love green tea.
          - assistant: Noted.
    remembers:
      - {type: preference, words: [tea], from: s1.1, label: tea}
    asks:
      - {query: "what do I drink?", finds: [tea]}
"""

KINDS = {
    "stable user fact",
    "hard boundary",
    "corrected fact",
    "explicit delete",
    "do not bring up",
    "open loops with due dates",
    "stale low-salience detail fades",
    "natural follow-up",
    "over-reference prevention",
    "cross-chat isolation",
}

BROKEN = {
    "unknown field": ("about: A taste.", "abut: A taste.", "tea.yaml:3: fixture 'tea': about: Field required"),
    "unknown type": ("type: preference", "type: taste", "tea.yaml:14: fixture 'tea': remembers.0.type"),
    "no role": ("- assistant: Noted.", "- robot: Noted.", "tea.yaml:12: fixture 'tea': chats.0.turns.1"),
    "no such message": ("from: s1.1", "from: s1.9", "tea.yaml:14: fixture 'tea': remembers.0.from: no message 's1.9'"),
    "no such label": ("finds: [tea]", "finds: [milk]", "tea.yaml:16: fixture 'tea': asks.0.finds: 'milk' is neither"),
    "nobody": ('{query: "', '{user: bob, query: "', "asks.0.user: nobody called 'bob' of 'fixtures'"),
    "no zone": ("kind: stable", "timezone: Mars/Base\n    kind: stable", "tea.yaml:4: fixture 'tea': timezone"),
    "not YAML": ("tags: [DL-35]", "tags: [DL-35", "tea.yaml: not YAML"),
    "no time": ("at: 2026-03-02 09:15", "at: soon", "tea.yaml:9: fixture 'tea': chats.0.at"),
    "an act without its memory": (
        "    remembers:",
        "    acts:\n      - {act: forget, at: 2026-03-03 10:00}\n    remembers:",
        "tea.yaml:14: fixture 'tea': acts.0: Value error, forget needs target",
    ),
}


def test_good_file(tmp_path: Path) -> None:
    (tmp_path / "tea.yaml").write_text(GOOD)
    (fixture,) = load_fixtures(tmp_path)
    assert fixture.chats[0].turns[1].role == "assistant"
    assert fixture.remembers[0].messages == ("s1.1",)
    assert fixture.asks[0].finds == (("tea",),)


@pytest.mark.parametrize(("old", "new", "message"), BROKEN.values(), ids=BROKEN)
def test_broken_file(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    (tmp_path / "tea.yaml").write_text(GOOD.replace(old, new, 1))
    with pytest.raises(EvaluationError) as raised:
        load_fixtures(tmp_path)
    assert message in str(raised.value)


def test_names_stand_for_one_fixture(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD)
    (tmp_path / "b.yaml").write_text(GOOD)
    with pytest.raises(EvaluationError, match=r"b.yaml:3: a fixture 'tea' stands in a.yaml:3 already"):
        load_fixtures(tmp_path)


def test_unknown_name(tmp_path: Path) -> None:
    (tmp_path / "tea.yaml").write_text(GOOD)
    with pytest.raises(EvaluationError, match="no fixture called coffee; there are tea"):
        load_fixtures(tmp_path, ["coffee"])


def test_shipped_fixtures_have_every_kind() -> None:
    fixtures = load_fixtures()
    assert len(fixtures) >= 40
    assert {f.kind for f in fixtures} >= KINDS
