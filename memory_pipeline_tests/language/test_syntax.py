"""The tree of a sentence: its root, what hangs on what, and its words as text again."""

from __future__ import annotations

import pytest

from memory_pipeline.language.syntax import Sentence, Token, written

# index, text, dep, head
_SPEC = [
    (0, "My", "poss", 1),
    (1, "brother", "nsubj", 2),
    (2, "likes", "ROOT", 2),
    (3, "tea", "dobj", 2),
    (4, "and", "cc", 3),
    (5, "cake", "conj", 3),
    (6, ".", "punct", 2),
]


def _sentence() -> Sentence:
    tokens, at = [], 0
    for index, text, dep, head in _SPEC:
        space = text not in {"cake", "."}
        tokens.append(Token(index, text, text.lower(), "X", "X", dep, head, at, at + len(text), space=space))
        at += len(text) + space
    return Sentence(tuple(tokens))


def test_the_root_depends_on_itself() -> None:
    assert _sentence().root.text == "likes"


def test_children_stand_in_the_order_of_the_sentence() -> None:
    s = _sentence()
    assert [t.text for t in s.children(s.root)] == ["brother", "tea", "."]
    assert [t.text for t in s.children(s.root, "dobj", "punct")] == ["tea", "."]
    assert s.child(s.root, "dobj") == s[3]
    assert s.child(s.root, "prep") is None


def test_a_subtree_leaves_out_what_it_is_told_to() -> None:
    s = _sentence()
    assert [t.text for t in s.subtree(s[3])] == ["tea", "and", "cake"]
    assert [t.text for t in s.subtree(s.root, without=[1, 5])] == ["likes", "tea", "and", "."]


def test_ancestors_end_at_the_root() -> None:
    s = _sentence()
    assert [t.text for t in s.ancestors(s[5])] == ["tea", "likes"]
    assert list(s.ancestors(s.root)) == []
    assert s.head(s[0]).text == "brother"


@pytest.mark.parametrize(
    ("indexes", "text"),
    [(range(7), "My brother likes tea and cake."), ([2, 5], "likes cake"), ([5, 6], "cake."), ([], "")],
)
def test_tokens_are_written_with_their_spaces(indexes: list[int], text: str) -> None:
    s = _sentence()
    assert written([s[i] for i in indexes]) == text
