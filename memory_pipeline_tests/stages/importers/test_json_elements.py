"""Documents are cut into elements without being held or parsed as a whole."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.stages.messages.importers.files import json_elements
from memory_pipeline.stages.messages.importers.files.json_elements import elements

OBJECTS = st.recursive(
    st.dictionaries(st.text(max_size=6), st.text(max_size=8) | st.integers() | st.none(), max_size=3),
    lambda inner: st.dictionaries(st.text(max_size=6), inner | st.lists(inner, max_size=3), max_size=3),
    max_leaves=6,
)


def cut(text: bytes) -> list[tuple[Any, bool]]:
    return [(json.loads(e.raw), e.listed) for e in elements(io.BytesIO(text))]


@given(st.lists(OBJECTS, max_size=5), st.sampled_from([None, 1]), st.integers(1, 40), st.booleans())
def test_a_list_is_its_elements_wherever_a_block_ends(
    values: list[Any], indent: int | None, block: int, ascii: bool
) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=ascii).encode("utf-8", "surrogatepass")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_elements, "_BLOCK", block)
        assert [json.loads(e.raw.decode("utf-8", "surrogatepass")) for e in elements(io.BytesIO(text))] == values


def test_documents_may_follow_one_another() -> None:
    assert cut(b'\xef\xbb\xbf{"a": 1}\n[{"b": "]"}, [2]]\n{}') == [
        ({"a": 1}, False),
        ({"b": "]"}, True),
        ([2], True),
        ({}, False),
    ]
    assert [e.raw for e in elements(io.BytesIO(b'[1, "x, [", {}, 2]'))] == [b'1, "x, ["', b"{}", b"2"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b'[{"a": [1', "cut off in the middle"),
        (b'[{"a": "x', "cut off in the middle"),
        (b"[" * 1_000_000, "cut off in the middle"),
        (b"x {}", "'x' stands outside of any array or object"),
        (b"{} x", "'x' stands outside of any array or object"),
        (b'"text"', "stands outside of any array or object"),
        (b"[{}]]", "closed that was never opened"),
    ],
)
def test_what_is_no_document_says_so(text: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        cut(text)


def test_one_element_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_elements, "_BLOCK", 16)
    monkeypatch.setattr(json_elements, "MAX_ELEMENT", 64)
    assert len(cut(b"[" + b",".join([b'{"a": 1}'] * 40) + b"]")) == 40
    with pytest.raises(ValueError, match="takes more than 64 bytes"):
        cut(b'[{"a": "' + b"x" * 100 + b'"}]')
