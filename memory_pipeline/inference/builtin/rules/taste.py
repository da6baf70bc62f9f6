"""What somebody likes, prefers and changed to."""

from __future__ import annotations

import re

from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline.inference.builtin.categories import category
from memory_pipeline.inference.builtin.lexicon import NOT_NAMES
from memory_pipeline.inference.builtin.modality import Mode
from memory_pipeline.inference.builtin.patterns import ANY, FIRM, LIGHT, NOW, PLAIN, STATE, THEN, Rule, Weight

_PREFERENCE = MemoryType.PREFERENCE
# What the assistant has just said or offered, or what is too vague to be a taste.
_PASSING = re.compile(
    r"(?:the|that|this|these|those|your|his|her|their|how|what|when|where|it|him|them|to (?:hear|know|see|"
    r"chat|talk|think|point|share|thank|ask|say)|both|each|all|"
    r"everything|anything|nothing|my|our|being able|having|knowing|hearing|seeing|you|one|"
    r"some)\b(?! (?:outdoors|ocean|sea|beach|mountains|beatles|smell|sound of|taste of|feeling of|countryside|"
    r"city life|cold|heat|rain|snow|gym|theat(?:er|re)|office|lakers|[A-Z][a-z]+s\b))",
    re.I,
)
_OFFERED = re.compile(
    r"\b(?:idea|ideas|suggestions?|options?|ones?|answers?|approach|plan|version|list|recommendations?|tips?|"
    r"points?|thoughts?|concept|draft|"
    r"responses?|advice|sound of (?:that|it)|way you|look of)\b",
    re.I,
)


def _taste(value: str) -> bool:
    return len(value) > 1 and not _OFFERED.search(value)


def _named(value: str) -> bool:
    return value.split()[0].lower() not in NOT_NAMES and _taste(value)


def _interest(value: str) -> bool:
    asked = r"(?:learning|hearing|knowing|getting|trying|buying|seeing|finding|exploring|a|an|any|more)\b"
    return _taste(value) and not re.match(asked, value, re.I)


_THING = r"(?P<value>(?!{passing}).+)".replace("{passing}", _PASSING.pattern)
_LOVE = Weight(0.7, 0.6, 0.88)
_EITHER = frozenset({Mode.PRESENT, Mode.ONGOING, Mode.PERFECT, Mode.FORMER})

CHANGES = [
    Rule("switch change move convert migrate",
         r"(?:over |back )?from (?:using |drinking |eating |being an? )?(?P<old>.+?) (?:over |back )?to (?:using |"
         r"drinking |eating |being an? )?(?P<value>[^,]+)", "Switched from {old} to {value}.",
         "preferred_{category}", _PREFERENCE, weight=FIRM, modes=ANY, denied=False, operation=Operation.UPDATE,
         when="happened"),
    Rule("switch change convert migrate go come be",
         r"(?:over |back |all the way )+(?:to|on|onto) (?:using |drinking |eating )?(?P<value>[^,]+)",
         "Prefers {value} again.", "preferred_{category}", _PREFERENCE, weight=FIRM, modes=ANY, denied=False,
         operation=Operation.UPDATE, when="happened"),
    Rule("switch change convert migrate", r"(?:over )?to (?:using |drinking |eating )?(?P<value>[^,]+)",
         "Switched to {value}.", "preferred_{category}", _PREFERENCE, weight=FIRM, modes=ANY, denied=False,
         operation=Operation.UPDATE, when="happened"),
    Rule("switch change convert migrate",
         r"(?:over )?(?:from (?:using )?(?P<old>.+?) )?(?:over |back )?to (?:using )?(?P<value>[A-Z][^,]*)",
         "Uses {value} now.", "tool", weight=PLAIN, modes=ANY, denied=False, operation=Operation.UPDATE,
         when="happened"),
    Rule("replace swap ditch", r"(?:my )?(?P<old>.+?) (?:with|for) (?P<value>.+)", "Switched from {old} to {value}.",
         "preferred_{category}", _PREFERENCE, weight=FIRM, modes=THEN, denied=False, operation=Operation.UPDATE,
         when="happened"),
    Rule("prefer", r"(?:drinking |eating |using |to drink |to use |to eat |having |taking |"
         r"the )?(?P<value>.+?)(?: much)? (?:over|to|rather than|instead of|more than|than|vs\.?) (?P<other>.+)",
         "Prefers {value} over {other}.", "preferred_{category}", _PREFERENCE, weight=FIRM, modes=STATE),
    Rule("prefer", r"(?:drinking |eating |using |to drink |to use |to eat |the )?(?P<value>[^,]+)$",
         "Prefers {value}.", "preferred_{category}", _PREFERENCE, weight=FIRM, modes=STATE),
    Rule("prefer", r"(?P<value>.+?)(?: much)? (?:over|rather than|instead of|more than) (?P<other>.+)",
         "Prefers {value} over {other}.", "preference", _PREFERENCE, weight=PLAIN, modes=STATE, test=_taste),
    Rule("prefer", rf"{_THING}", "Prefers {the_value}.", "preference", _PREFERENCE, weight=PLAIN, modes=STATE,
         test=_taste, value="noun"),
    Rule("have drink eat use take", r"(?P<value>.+?) (?:than|over|instead of) (?P<other>.+)",
         "Prefers {value} over {other}.", "preferred_{category}", _PREFERENCE, weight=FIRM,
         modes=frozenset({Mode.WISH})),
    Rule("like", r"(?P<value>.+?) (?:more|better) than (?P<other>.+)", "Prefers {value} over {other}.",
         "preferred_{category}", _PREFERENCE, weight=FIRM, modes=NOW),
]  # fmt: skip

VERBS = [
    Rule("love adore", rf"{_THING}", "Loves {the_value}.", "likes", _PREFERENCE, weight=_LOVE, value="activity",
         many=True, modes=_EITHER, test=_taste),
    Rule("like enjoy", rf"(?:also |to eat |to drink |eating |drinking )?{_THING}", "Likes {the_value}.", "likes",
         _PREFERENCE, value="activity", many=True, modes=_EITHER, test=_taste),
    Rule("hate despise detest loathe dislike", rf"(?:to eat |eating |drinking )?{_THING}", "Dislikes {the_value}.",
         "dislikes", _PREFERENCE, weight=_LOVE, value="activity", many=True, modes=_EITHER, test=_taste),
    Rule("stand bear tolerate", rf"{_THING}", "Can stand {the_value}.", "dislikes", _PREFERENCE, weight=_LOVE,
         many=True, modes=frozenset({Mode.ABLE}), test=_taste),
    Rule("be",
         rf"(?:an? |the |such an? )?(?:huge |big |massive |real |total |long-?time |lifelong |avid |die-?hard |"
         rf"bit of an? )*(?:fan|lover|enthusiast|admirer|supporter) of {_THING}", "Is a fan of {the_value}.",
         "likes", _PREFERENCE, weight=_LOVE, many=True, modes=_EITHER, test=_taste),
    Rule("be", r"(?:an? )?(?:huge |big |massive |real |total |long-?time |lifelong |avid |"
         r"die-?hard )*(?P<value>[\w'-]+(?: [\w'-]+)?) (?:fan|lover|enthusiast|buff|geek|nerd|aficionado|addict|"
         r"junkie|nut|fanatic)\b", "Is a {value} fan.", "likes", _PREFERENCE, weight=_LOVE, modes=_EITHER,
         test=lambda v: v.lower() not in {"huge", "big", "a big", "total", "real", "complete"}),
    Rule("be get become",
         rf"(?:really |very |super |big |more |totally |so |heavily )*(?:into|fond of|crazy about|obsessed with|"
         rf"passionate about|keen on|hooked on|fascinated by|mad about|addicted to) {_THING}",
         "Is into {the_value}.", "likes", _PREFERENCE, weight=_LOVE, many=True, modes=_EITHER,
         test=_taste),
    Rule("be become", rf"(?:really |very |always |particularly |deeply |more and more |increasingly |"
         rf"more )*interested in {_THING}", "Is interested in {the_value}.", "likes", _PREFERENCE, many=True,
         modes=NOW, test=_interest),
    Rule("love like enjoy adore", r"(?P<value>(?:\"|[A-Z]).+)", "Likes {value}.", "likes", _PREFERENCE, weight=LIGHT,
         modes=frozenset({Mode.PAST}), denied=False, test=_named),
    Rule("be", r"(?:an? |the )?(?:huge |big |much of an? )*(?:fan|lover) of (?P<value>.+)",
         "Is a fan of {the_value}.", "likes", _PREFERENCE, many=True, modes=_EITHER, test=_taste),
]  # fmt: skip

_THE_THING = r"(?P<thing>(?!of\b|thing|one\b|part|way|idea|option|suggestion)[\w &'-]+?)"
NOUNS = [
    Rule("be", rf"(?:all[- ]time |absolute |current |new |personal |number one |"
         rf"latest )*fav(?:ou?rite)? {_THE_THING}(?: (?:ever|of all time|to \w+|right now))?: (?:definitely |"
         rf"probably |still |currently |now |always |either |the )*(?P<value>.+)",
         "{Poss}avorite {thing} is {the_value}.", "favorite_{thing}", _PREFERENCE, weight=FIRM, value="noun",
         denied=False),
    Rule("be", r"(?:usual |regular )?go[- ]?to (?P<thing>[\w ]+?)(?: order| choice)?: (?P<value>.+)",
         "{Poss}avorite {thing} is {the_value}.", "favorite_{thing}", _PREFERENCE, weight=PLAIN, denied=False),
    Rule("be", r"(?:current |main |primary |daily |preferred |usual )*(?P<thing>editor|ide|browser|phone|laptop|"
         r"operating system|os|shell|database|package manager|drink|cuisine|programming language|"
         r"language of choice|search engine|note-taking app)(?: of choice)?: (?P<value>.+)",
         "Preferred {thing} is {value}.", "preferred_{thing}", _PREFERENCE, weight=PLAIN, denied=False,
         test=lambda v: category(v) is not None or v[:1].isupper()),
    Rule("be", r"preference: (?:for )?(?P<value>.+)", "Prefers {the_value}.", "preference", _PREFERENCE,
         weight=PLAIN, denied=False),
]  # fmt: skip
