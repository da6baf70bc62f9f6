"""The assistant's words in the user's mouth: you → I, your → my, I → you; and the verb forms that go with them."""

from __future__ import annotations

from collections.abc import Sequence

from memory_pipeline.language.syntax import Sentence, Token

_PRONOUNS = {
    "your": "my", "yours": "mine", "yourself": "myself", "my": "your", "mine": "yours", "i": "you", "me": "you",
    "myself": "yourself",
}  # fmt: skip
_WITH_I = {"are": "am", "'re": "am", "re": "am", "were": "was"}
_SUBJECTS = ("nsubj", "nsubjpass")
_WHOLE = {"'re": "are", "'ve": "have", "'ll": "will", "'m": "are", "n't": "not", "ca": "can", "wo": "will"}


def told(sentence: Sentence, tokens: Sequence[Token], relatives: frozenset[str] = frozenset()) -> str:
    """Tokens of an assistant's sentence as its reader would say them; "the" before a relative becomes "my"."""
    parts: list[str] = []
    for n, token in enumerate(tokens):
        parts.append(_said(sentence, token, tokens[n + 1] if n + 1 < len(tokens) else None, relatives))
        if n + 1 < len(tokens) and (token.space or tokens[n + 1].start > token.end):
            parts.append(" ")
    return "".join(parts).strip()


def _said(sentence: Sentence, token: Token, following: Token | None, relatives: frozenset[str]) -> str:
    low = token.low
    if low == "you":
        return "I" if token.dep in _SUBJECTS and not _of_infinitive(sentence, token) else "me"
    if low in _PRONOUNS:
        return _PRONOUNS[low]
    if low == "the" and following is not None and following.low in relatives:
        return "my"
    if low in _WITH_I and _of_you(sentence, token):
        return (" " if low != token.low or low.startswith("'") else "") + _WITH_I[low]
    return token.text


def _of_infinitive(sentence: Sentence, subject: Token) -> bool:
    """ "What made you switch", "wants you to stay": the subject of a verb without a tense."""
    verb = sentence.head(subject)
    tensed = any(t.tag != "TO" for t in sentence.children(verb, "aux"))
    return verb.tag == "VB" and verb.dep in ("ccomp", "xcomp") and subject.index < verb.index and not tensed


def _of_you(sentence: Sentence, token: Token) -> bool:
    """Whether a form of "be" has "you" as its subject."""
    verb = sentence.head(token) if token.dep in ("aux", "auxpass") else token
    return any(c.low == "you" for c in sentence.children(verb, *_SUBJECTS))


def whole(token: Token) -> str:
    """An auxiliary written out: 're → are, 's → is or has."""
    low = token.low
    if low == "'s":
        return "has" if token.lemma == "have" else "is"
    if low == "'d":
        return "had" if token.lemma == "have" else "would"
    return _WHOLE.get(low, low)
