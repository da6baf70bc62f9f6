"""The verb of a clause: a walk over its auxiliaries to the verb that carries the meaning.

The walk collects on its way how that verb is meant (mode), whether it is denied, and how sure the writer is.
"""

from __future__ import annotations

from memory_pipeline.inference.builtin.auxiliaries import (
    ADVERBS,
    NOT_ING,
    TENSES,
    Walk,
    be,
    have,
    modal,
    side_word,
    support,
)
from memory_pipeline.inference.builtin.lexicon import wordset
from memory_pipeline.inference.builtin.modality import Mode, Predicate
from memory_pipeline.inference.builtin.verbs import Form, Kind, form

_WITH_TO = {
    "want": Mode.WISH, "hope": Mode.WISH, "wish": Mode.WISH, "aim": Mode.WISH, "need": Mode.DUTY, "have": Mode.DUTY,
    "plan": Mode.FUTURE, "intend": Mode.FUTURE, "decide": Mode.FUTURE, "promise": Mode.FUTURE, "agree": Mode.FUTURE,
    "commit": Mode.FUTURE, "arrange": Mode.FUTURE, "prepare": Mode.FUTURE, "expect": Mode.FUTURE, "choose": Mode.FUTURE,
    "look": Mode.WISH, "try": Mode.ATTEMPT, "attempt": Mode.ATTEMPT, "work": Mode.ATTEMPT, "struggle": Mode.ATTEMPT,
    "start": Mode.ONGOING, "begin": Mode.ONGOING, "continue": Mode.ONGOING, "manage": Mode.PAST, "get": Mode.PAST,
    "remember": Mode.DUTY, "forget": Mode.UNREAL, "fail": Mode.UNREAL,
}  # fmt: skip
_WITH_ING = {
    "start": Mode.ONGOING, "begin": Mode.ONGOING, "keep": Mode.ONGOING, "continue": Mode.ONGOING,
    "consider": Mode.POSSIBLE,
    "finish": Mode.PAST, "stop": Mode.PRESENT, "quit": Mode.PRESENT, "avoid": Mode.PRESENT, "try": Mode.PAST,
}  # fmt: skip
_WITH_PARTICLE = {
    ("think", "about"): Mode.POSSIBLE, ("think", "of"): Mode.POSSIBLE, ("look", "at"): Mode.POSSIBLE,
    ("look", "into"): Mode.POSSIBLE,
    ("plan", "on"): Mode.FUTURE, ("give", "up"): Mode.PRESENT, ("end", "up"): Mode.PAST, ("get", "into"): Mode.ONGOING,
    ("work", "on"): Mode.ATTEMPT, ("dream", "of"): Mode.WISH, ("dream", "about"): Mode.WISH,
    ("focus", "on"): Mode.ONGOING,
    ("decide", "on"): Mode.FUTURE, ("decide", "against"): Mode.FUTURE, ("insist", "on"): Mode.PRESENT,
}  # fmt: skip
_SURE = wordset(
    """
    want hope wish aim need plan intend decide promise agree try attempt prepare expect manage
    """
)
_ENDING = frozenset({"stop", "quit", "give", "avoid"})


def predicate(words: list[str]) -> Predicate | None:
    """The predicate that starts with the first word (auxiliaries, adverbs, verb); None where there is no verb."""
    walk = Walk(words, [w.lower().strip(",;:!.") for w in words])
    while walk.at < len(words):
        if side_word(walk) or modal(walk) or support(walk):
            continue
        found = form(walk.word())
        if found is None and walk.mode not in TENSES and walk.looks_like_verb(0):
            found = Form(walk.word(), Kind.BASE)
        if found is None:
            break
        if found.lemma == "be":
            if not be(walk):
                return _done(walk, found)
        elif found.lemma == "have":
            if not have(walk):
                return _done(walk, found)
        elif not _catenative(walk, found):
            return _done(walk, found)
    if walk.aux == "be":
        return Predicate(
            "be",
            "",
            " ".join(words[walk.at :]),
            walk.mode,
            walk.cue,
            walk.negated,
            walk.ceased,
            " ".join(walk.kept),
            walk.certainty,
        )
    return None


def _catenative(walk: Walk, found: Form) -> bool:
    past = Kind.PAST in found.kind and not walk.aux and Kind.BASE not in found.kind
    if walk.mode not in TENSES:
        past = False
    to = 2 if walk.word(1) == "not" and walk.word(2) == "to" else 1
    if found.lemma in _WITH_TO and walk.word(to) == "to":
        base = to + 1 + (walk.word(to + 1) in ADVERBS or walk.word(to + 1) == "not")
        if walk.is_base(base) or (found.lemma in _SURE and walk.looks_like_verb(base)):
            mode = _WITH_TO[found.lemma]
            if past and found.lemma in {"want", "hope", "wish", "aim", "look", "intend", "expect", "try", "attempt"}:
                mode = Mode.UNREAL if found.lemma != "try" else Mode.PAST
            if past and found.lemma == "need":
                mode = Mode.PAST
            if mode is Mode.PAST and not past:
                mode = walk.mode
            walk.take(mode if walk.mode in TENSES else walk.mode, found.lemma, base)
            return True
    particle = _WITH_PARTICLE.get((found.lemma, walk.word(1)))
    mode_ing = particle or _WITH_ING.get(found.lemma)
    ahead = 2 if particle else 1
    following = form(walk.word(ahead))
    if mode_ing is None or following is None or Kind.ING not in following.kind or walk.word(ahead) in NOT_ING:
        return False
    if found.lemma in _ENDING or walk.word(1) == "against":
        if walk.mode not in {Mode.PRESENT, Mode.PAST, Mode.PERFECT, Mode.ONGOING}:
            return False
        if found.lemma == "avoid" or walk.negated:
            return False
        walk.negated, walk.ceased = True, True
    if mode_ing is Mode.PAST and not past and walk.aux != "have":
        mode_ing = walk.mode
    walk.take(mode_ing if walk.mode in TENSES else walk.mode, found.lemma, ahead)
    walk.aux = "be"
    return True


def _done(walk: Walk, found: Form) -> Predicate:
    mode = walk.mode
    if (
        mode is Mode.PRESENT
        and not walk.aux
        and Kind.PAST in found.kind
        and (Kind.BASE not in found.kind or found.lemma == "quit")
    ):
        mode = Mode.PAST
    elif mode is Mode.PRESENT and not walk.aux and found.kind is Kind.ING and found.lemma != "be":
        mode = Mode.ONGOING
    shown = walk.words[walk.at].strip(",;:!.")
    walk.at += 1
    if found.lemma == "have":
        while walk.word() != "got" and "got" in walk.low[walk.at : walk.at + 3] and side_word(walk):
            continue
        walk.at += walk.word() == "got"
    if found.lemma == "be":
        while side_word(walk):
            continue
    return Predicate(
        found.lemma, shown, " ".join(walk.words[walk.at :]), mode, walk.cue, walk.negated, walk.ceased,
        " ".join(walk.kept), walk.certainty,
    )  # fmt: skip
