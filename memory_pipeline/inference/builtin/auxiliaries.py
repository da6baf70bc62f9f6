"""Adverbs, modals and auxiliaries before a verb: one step of the walk each."""

from __future__ import annotations

from dataclasses import dataclass, field

from memory_pipeline.inference.builtin.lexicon import wordset
from memory_pipeline.inference.builtin.modality import Mode
from memory_pipeline.inference.builtin.verbs import FORMS, Kind, form

ADVERBS = wordset(
    """
    also just really currently recently still actually finally definitely already even truly absolutely now then
    totally literally simply basically mostly primarily generally typically normally genuinely deeply happily
    proudly quickly slowly lately obviously certainly clearly personally always usually often sometimes both all
    only constantly regularly officially honestly completely so suddenly initially originally mainly secretly
    soon newly super very particularly especially immediately strongly highly thoroughly occasionally eventually
    ever instead somehow randomly accidentally temporarily permanently too well probably maybe possibly kinda
    currently never hardly rarely seldom barely pretty mildly severely slightly extremely deathly frequently
    presently
    """
)
DENIALS = frozenset({"not", "never"})
_KEPT = wordset(
    """
    always usually often sometimes regularly occasionally only hardly rarely seldom barely frequently
    """
)
_HEDGES = wordset("probably maybe possibly")
NOT_ING = wordset(
    """
    willing boring interesting amazing exciting during nothing something anything everything morning evening
    king ring string spring outgoing hardworking loving caring charming demanding wedding ceiling
    sterling
    """
)
_DETERMINERS = wordset("the a an my our his her their some this that these those it them him")
_MODALS = {
    "will": Mode.FUTURE, "shall": Mode.FUTURE, "would": Mode.UNREAL, "could": Mode.UNREAL, "can": Mode.ABLE,
    "may": Mode.POSSIBLE, "might": Mode.POSSIBLE, "must": Mode.DUTY, "should": Mode.DUTY, "ought": Mode.DUTY,
}  # fmt: skip
TENSES = frozenset({Mode.PRESENT, Mode.PAST, Mode.PERFECT, Mode.ONGOING})


@dataclass(slots=True)
class Walk:
    """Where a walk over the words of a predicate stands, and what it has met so far."""

    words: list[str]
    low: list[str]
    at: int = 0
    mode: Mode = Mode.PRESENT
    cue: str = ""
    aux: str = ""
    negated: bool = False
    ceased: bool = False
    certainty: float = 1.0
    kept: list[str] = field(default_factory=list)

    def word(self, ahead: int = 0) -> str:
        return self.low[self.at + ahead] if self.at + ahead < len(self.low) else ""

    def content_ahead(self, ahead: int = 1) -> int:
        """How far the next word is that is neither adverb nor negation."""
        while self.word(ahead) in ADVERBS or self.word(ahead) == "not":
            ahead += 1
        return ahead

    def is_base(self, ahead: int) -> bool:
        word = self.word(ahead)
        found = FORMS.get(word)
        if found is not None:
            return Kind.BASE in found.kind
        return word.isalpha() and self.words[self.at + ahead].islower() and self.word(ahead + 1) in _DETERMINERS

    def looks_like_verb(self, ahead: int) -> bool:
        """After "want to" any plain word is a verb, known or not."""
        word = self.word(ahead)
        return (
            word.isalpha()
            and self.words[self.at + ahead].islower()
            and word not in _DETERMINERS
            and word not in ADVERBS
        )

    def take(self, mode: Mode, cue: str, skip: int) -> None:
        """Enter a mode and go on behind its words; what is denied on the way there stays denied."""
        for ahead in range(1, skip):
            self.negated ^= self.word(ahead) in DENIALS
        self.mode, self.cue, self.at = mode, cue or self.cue, self.at + skip


def side_word(walk: Walk) -> bool:
    """Step over an adverb or a negation; False where the word is neither."""
    word = walk.word()
    if word == "not" or (word == "never" and walk.at + 1 < len(walk.words)):
        walk.negated = not walk.negated
    elif word == "no" and walk.word(1) == "longer":
        walk.negated = walk.ceased = True
        walk.at += 1
    elif word in ADVERBS and walk.at + 1 < len(walk.words):
        if word in _HEDGES:
            walk.certainty *= 0.75
        if word in _KEPT:
            walk.kept.append(word)
    else:
        return False
    walk.at += 1
    return True


def modal(walk: Walk) -> bool:
    """Step over a modal ("will", "would like to", "used to"); False where there is none."""
    word = walk.word()
    if word == "would" and walk.word(1) in {"like", "love", "prefer", "rather", "hate"}:
        liked = walk.word(1)
        if walk.word(2) == "to":
            walk.take(Mode.WISH, "want", 3)
            return True
        if liked == "rather":
            walk.take(Mode.WISH, "want", 2)
            return True
        walk.at += 1
        walk.mode = Mode.WISH if liked != "prefer" else Mode.PRESENT
        walk.cue = "want"
        return True
    if word == "used" and walk.word(1) == "to" and walk.aux != "be":
        walk.take(Mode.FORMER, "used", 2)
        return True
    if word == "had" and walk.word(1) == "better":
        walk.take(Mode.DUTY, "should", 2)
        return True
    if word not in _MODALS or walk.at + 1 >= len(walk.words):
        return False
    skip = 2 if word == "ought" else 1
    ahead = skip + (walk.word(skip) == "not")
    then = form(walk.word(ahead + 1)) if walk.word(ahead) == "have" else None
    regret = then is not None and Kind.PARTICIPLE in then.kind  # "should have called", "must have left"
    walk.take(Mode.UNREAL if regret else _MODALS[word], word, skip)
    return True


def support(walk: Walk) -> bool:
    """ "do" before another verb."""
    word = walk.word()
    if word not in {"do", "does", "did"} or not walk.is_base(walk.content_ahead()):
        return False
    if walk.word(1) != "not" and walk.word(walk.content_ahead()) in {
        "work",
        "exercise",
        "sport",
        "garden",
        "stretch",
        "dance",
    }:
        return False
    walk.mode = Mode.PAST if word == "did" else walk.mode
    walk.at += 1
    return True


def be(walk: Walk) -> bool:
    """Whether "be" is an auxiliary here; then the walk stands behind it."""
    past = walk.word() in {"was", "were"}
    ahead = walk.content_ahead()
    following, after = walk.word(ahead), walk.word(ahead + 1)
    if past and walk.mode is Mode.PRESENT:
        walk.mode = Mode.PAST
    if following == "going" and after in {"to"} and walk.is_base(ahead + 2) and not past:
        walk.take(Mode.FUTURE, "going", ahead + 2)
        return True
    if (
        following
        in {"about", "set", "scheduled", "due", "supposed", "meant", "expected", "hoping", "determined", "ready"}
        and after == "to"
    ):
        duty = following in {"supposed", "meant", "expected"}
        walk.take(
            Mode.UNREAL if past else Mode.DUTY if duty else Mode.WISH if following == "hoping" else Mode.FUTURE,
            following,
            ahead + 2,
        )
        return True
    found = form(following)
    if found and Kind.ING in found.kind and following not in NOT_ING and following != "being" and ahead <= 4:
        for n in range(1, ahead):
            walk.negated ^= walk.word(n) in DENIALS
        if walk.word(1) == "no" and walk.word(2) == "longer":
            walk.negated = walk.ceased = True
        if walk.mode is Mode.PERFECT:
            walk.cue = "been"
        if walk.mode in {Mode.PRESENT, Mode.PERFECT}:
            walk.mode = Mode.ONGOING
        walk.aux = "be"
        walk.at += ahead
        return True
    return False


def have(walk: Walk) -> bool:
    """Whether "have" is an auxiliary here; then the walk stands behind it."""
    past = walk.word() == "had"
    ahead = walk.content_ahead()
    following = walk.word(ahead)
    if following == "to" and walk.is_base(ahead + 1):
        walk.take(Mode.PAST if past else Mode.DUTY, "have", ahead + 1)
        return True
    if following == "got":
        if walk.word(ahead + 1) == "to" and walk.is_base(ahead + 2):
            walk.take(Mode.DUTY, "have", ahead + 2)
            return True
        return False
    found = form(following)
    if found and Kind.PARTICIPLE in found.kind and following not in {"fixed", "limited", "mixed"}:
        for n in range(1, ahead):
            walk.negated ^= walk.word(n) in DENIALS
        walk.mode = Mode.PAST if past else Mode.PERFECT if walk.mode in TENSES else walk.mode
        walk.aux = "have"
        walk.at += ahead
        return True
    return False
