from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.ids import content_hash, digest, fingerprint, identifier

texts = st.text(max_size=40)


@given(st.lists(texts, max_size=5), st.lists(texts, max_size=5))
def test_digest_is_injective_over_parts(a: list[str], b: list[str]) -> None:
    assert (digest(*a) == digest(*b)) == (a == b)


@given(texts, texts)
def test_an_id_names_its_kind_and_repeats(kind: str, part: str) -> None:
    found = identifier(kind, part)
    assert found == identifier(kind, part)
    assert found.startswith(f"{kind}_") and len(found) == len(kind) + 1 + 24


@given(st.lists(texts, max_size=8))
def test_fingerprint_does_not_depend_on_order(items: list[str]) -> None:
    assert fingerprint(items) == fingerprint(reversed(items))


def test_content_hash_is_sha256_of_role_and_content() -> None:
    # printf 'user:hello' | sha256sum
    assert content_hash("user", "hello") == "5cfd12f2da3a3c8adce480276f99225b987ae19460eb8d840577ae241c13a271"
