"""Verbs that govern another: which of them carries the meaning, and what the others make of it."""

from __future__ import annotations

from memory_pipeline.language.grammar.clause import Cue
from memory_pipeline.language.syntax import Sentence, Token
from memory_pipeline.language.vocabulary import classes, words

_DEEPEST = 3  # "I want to try to stop smoking"
_BESIDE = 3  # words between giving up and what is given up
_WILL = frozenset({"will", "'ll", "would", "'d", "wo"})
_ABOUT = frozenset({"about", "of", "on"})
_TO = frozenset({"to"})


def meaning(sentence: Sentence, outer: Token) -> tuple[Token, Cue]:
    """The verb that carries the meaning, and what the verbs above it make of it."""
    head, cue = outer, Cue.NONE
    for _ in range(_DEEPEST):
        below = sentence.child(head, "xcomp") or _behind_preposition(sentence, head)
        if below is None and head.lemma.lower() in words("vow", "clauses"):
            promised = vowed(sentence, head)
            if promised is not None:
                return promised, Cue.PROMISE
        able = sentence.child(head, "acomp")
        if head.low == "able" or (below is None and able is not None and able.low in {"able", "unable"}):
            below, cue = sentence.child(able or head, "xcomp"), Cue.ABLE
        below = below or _activity_given_up(sentence, head)
        if below is None and (became := _became(sentence, head)) is not None:
            return became, cue
        if below is None or below.pos not in {"VERB", "AUX"}:
            break
        if head.lemma.lower() == "get" and below.tag in {"VBN", "VBD"}:  # "got fired"
            return below, cue
        if not (able is not None and cue is Cue.ABLE or _governs(sentence, head, below)):
            break
        cue = cue or Cue(classes("cue", "clauses")[head.lemma.lower()])
        head = below
    return head, cue


def vowed(sentence: Sentence, head: Token) -> Token | None:
    """ "I promised I'd call", "I told Sam I would": what the writer said to do."""
    said = sentence.child(head, "ccomp")
    who = sentence.child(said, "nsubj") if said is not None else None
    if said is None or who is None or who.low not in {"i", "we"}:
        return None
    return said if any(a.low.replace("’", "'") in _WILL for a in sentence.children(said, "aux")) else None


def _behind_preposition(sentence: Sentence, head: Token) -> Token | None:
    """ "thinking about moving", "dreams of opening", "committed to running"."""
    wanted = _TO if head.lemma.lower() == "commit" else _ABOUT
    if head.lemma.lower() not in {"think", "dream", "plan", "commit"}:
        return None
    prep = next((p for p in sentence.children(head, "prep") if p.low in wanted), None)
    return sentence.child(prep, "pcomp") if prep is not None else None


def _activity_given_up(sentence: Sentence, head: Token) -> Token | None:
    """ "quit smoking", "gave up drinking", where the parser sees an object."""
    given_up = head.lemma in {"quit", "stop"} or (head.lemma == "give" and sentence.child(head, "prt") is not None)
    if not given_up:
        return None
    doing = next((c for c in sentence.children(head, "dobj", "advcl") if c.tag == "VBG"), None)
    # "given up on Portuguese, trying Greek": what is done instead stands apart
    return doing if doing is not None and doing.index - head.index <= _BESIDE else None


def _became(sentence: Sentence, head: Token) -> Token | None:
    """ "got engaged", "got laid off", where the parser sees an adjective."""
    became = sentence.child(head, "acomp", "oprd", "attr") if head.lemma == "get" else None
    if became is None or became.tag not in {"VBN", "JJ", "VBD"}:
        return None
    return became if became.low.endswith(("ed", "ff")) else None


def _governs(sentence: Sentence, head: Token, below: Token) -> bool:
    """Whether a verb only says how the one below it is meant: "have to go" does, "have gone" does not."""
    lemma = head.lemma.lower()
    if lemma == "use":
        return head.tag in {"VBD", "VBN"}
    if lemma in {"like", "love"}:
        return any(a.low in {"would", "'d", "’d"} for a in sentence.children(head, "aux"))
    if lemma == "go":  # "going to run" does, "went running" tells of a run
        been = any(a.low == "been" for a in sentence.children(head, "aux"))  # "been going to physio"
        return head.tag == "VBG" and below.tag == "VB" and not been
    if lemma in {"have", "get", "got"}:
        return below.tag == "VB"
    if lemma in {"stop", "quit", "give", "drop", "finish"}:
        return below.tag != "VB"
    return lemma in classes("cue", "clauses")
