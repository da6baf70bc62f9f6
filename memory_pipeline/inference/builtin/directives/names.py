"""What the writer wants to be called: "call me Bex", "my friends call me Bee", "I'd like to be called Jo"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.inference.builtin.directives.requests import Request, plain
from memory_pipeline.inference.builtin.facts.fact import CORE, Fact
from memory_pipeline.language.syntax import Sentence, Token, written
from memory_pipeline.language.vocabulary import table

_QUOTES = frozenset("'\"“”‘’`")
_PARTS = frozenset({"-", ".", "de", "van", "von", "der", "la", "of", "the"})  # inside a name: "Dr.", "Mary of Scots"


def preferred_names(sentence: Sentence, asked: Sequence[Request]) -> list[Fact]:
    """The name that a sentence asks to be called by, or not to be called by."""
    return list(_asked(asked)) or list(_told(sentence))


def _asked(asked: Sequence[Request]) -> Iterator[Fact]:
    for request in asked:
        rest = list(request.rest)
        low = [plain(t) for t in rest]
        if request.lemma == "call" and low[:1] == ["me"]:
            name = name_at(rest[1:])
        elif request.lemma in {"refer", "address"} and "me" in low[:2] and "as" in low[:3]:
            name = name_at(rest[low.index("as") + 1 :])
        else:
            continue
        if name and request.denied:
            yield _fact(f"Does not want to be called {name}.", name, denied=True)
        elif name:
            yield _fact(f"Wants to be called {name}.", name)


def _told(sentence: Sentence) -> Iterator[Fact]:
    low = [plain(t) for t in sentence]
    for n, word in enumerate(low[:-2]):
        rest = sentence.tokens[n + 1 :]
        if word in {"call", "calls"} and low[n + 1] == "me" and set(low[:n]) & set(table("directives")["callers"]):
            name = name_at(rest[1:], capital=True)
            if name:
                yield _fact(f"Goes by {name}.", name)
        elif word == "call" and low[n + 1] == "me" and low[n - 1] == "you" and low[n - 2 : n - 1] in ([], [","]):
            name = name_at(rest[1:], capital=True)
            if name:
                yield _fact(f"Wants to be called {name}.", name)
        elif word == "called" and low[n - 1] in {"be", "being"} and _wished(low[: n - 1]):
            name = name_at(rest)
            if name:
                yield _fact(f"Wants to be called {name}.", name)


def _wished(before: list[str]) -> bool:
    wish = {"like", "want", "prefer", "rather", "love"} & set(before)
    return bool(wish) and "i" in before and "not" not in before


def name_at(tokens: Sequence[Token], *, capital: bool = False) -> str:
    """The name with which words begin; "" where they begin with something else.

    Args:
        capital: a word in lower case is no name, not even where it stands alone.
    """
    kept = list(tokens)
    while kept and kept[0].low in {"just", "simply", "only"}:
        kept.pop(0)
    if not kept:
        return ""
    if kept[0].text in _QUOTES:
        inside = next((n for n, t in enumerate(kept[1:], 1) if t.text in _QUOTES), 0)
        return written(kept[1:inside])
    run = _capitals(kept)
    if run:
        return written(run)
    first = kept[0]
    alone = len(kept) == 1 or kept[1].pos == "PUNCT" or kept[1].low in {"please", "from", "instead", "ok", "okay"}
    usual = first.low not in table("directives")["no_name"] and first.kind not in {"DATE", "TIME"}
    noun = first.pos not in {"ADV", "ADP", "DET", "VERB", "PRON"}
    return first.text if alone and usual and noun and not capital else ""


def _capitals(tokens: Sequence[Token]) -> list[Token]:
    run: list[Token] = []
    for token in tokens:
        capital = token.text[:1].isupper() and token.low != "i" and token.kind not in {"DATE", "TIME"}
        if not capital and (not run or token.low not in _PARTS or run[-1].low in _PARTS):
            break
        run.append(token)
    while run and run[-1].low in _PARTS:
        run.pop()
    return run


def _fact(content: str, name: str, *, denied: bool = False) -> Fact:
    return Fact(
        MemoryType.PROTOCOL, content, "user", "preferred_name", name, denied, weight=CORE, surface=Surface.ADAPT,
        when="", dated="none", names=(name,),
    )  # fmt: skip


__all__ = ["name_at", "preferred_names"]
