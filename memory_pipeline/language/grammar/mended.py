"""Trees that the parser gets wrong in the same way again and again, put right before anybody reads them.

"My flatmate Keti disagrees": in chat the parser gives the verb two subjects, or makes the flatmate its object. A name
right behind a relation of the writer's belongs to it.
"""

from __future__ import annotations

from dataclasses import replace

from memory_pipeline.language.syntax import Sentence, Token
from memory_pipeline.language.vocabulary import relations, words

_BESIDE = frozenset({"nsubj", "nsubjpass", "dobj", "npadvmod", "dep", "nmod", "ROOT"})
_OWN = frozenset({"my", "our"})


def mended(sentence: Sentence) -> Sentence:
    """The sentence with its relations and the names behind them joined; as it is where nothing is to be put right."""
    sentence = _days_as_subjects(_relations_as_nouns(sentence))
    for token, name in zip(sentence.tokens, sentence.tokens[1:], strict=False):
        if _relation_with_name(sentence, token, name):
            return Sentence(tuple(_joined(sentence, token, name)))
    return sentence


def _relations_as_nouns(sentence: Sentence) -> Sentence:
    """ "My mother-in-law" is no adjective."""
    if not any(t.low.endswith("-in-law") and t.pos != "NOUN" for t in sentence):
        return sentence
    return Sentence(
        tuple(replace(t, pos="NOUN", tag="NN") if t.low.endswith("-in-law") else t for t in sentence.tokens)
    )


def _days_as_subjects(sentence: Sentence) -> Sentence:
    """ "Thursday is my only free evening": the day is what something is said of."""
    first, root = sentence.tokens[0], sentence.root
    said = first.dep == "npadvmod" and first.head == root.index and root.lemma == "be" and root.index == 1
    if not said or sentence.child(root, "nsubj") is not None or sentence.child(root, "attr") is None:
        return sentence
    return Sentence((replace(first, dep="nsubj"), *sentence.tokens[1:]))


def _relation_with_name(sentence: Sentence, token: Token, name: Token) -> bool:
    """ "my flatmate Keti", with the two beside one another in the tree, or "my sister Adwoa's" of what is hers."""
    known = token.low in relations() or token.low in words("pet")
    if not known or name.pos != "PROPN" or not name.text[:1].isupper() or token.pos not in {"NOUN", "PROPN"}:
        return False
    owned = any(t.low in _OWN for t in sentence.tokens[max(token.index - 2, 0) : token.index])
    if not owned or name.dep == "appos" and name.head == token.index:
        return False
    subject = name.dep in {"nsubj", "nsubjpass"} and token.dep in _BESIDE and token.head == name.head
    return subject or name.dep == "poss" and sentence.head(name).head == token.index


def _joined(sentence: Sentence, token: Token, name: Token) -> list[Token]:
    """The tokens, with the relation below its name."""
    told = list(sentence.tokens)
    if name.dep == "poss":  # what is hers stands where she stood
        thing = sentence.head(name)
        told[thing.index] = replace(thing, head=token.head, dep=token.dep)
    told[token.index] = replace(token, head=name.index, dep="compound")
    return told
