"""The "I" and "I am" that people leave out: "Moved house" → "I moved house", "Allergic to nuts" → "I am allergic …"."""

from __future__ import annotations

from memory_pipeline.domain.consolidation.plans.deeds import acted
from memory_pipeline.domain.tables import wordset
from memory_pipeline.language.vocabulary import relations, table, words
from memory_pipeline.language.wording.agreement import Tense, tense

_BE = frozenset({"is", "are", "was", "were"})
# Verbs that need no known word behind them to be the writer's.
_PERSONAL = frozenset({"love", "hate", "prefer", "live", "work"})
# "Can't do stairs", "can't have dairy": the writer's; "could have been worse" is nobody's.
_CANNOT, _ABLE = frozenset({"can't", "cannot", "couldn't"}), frozenset({"do", "have"})


def with_subject(text: str) -> str:
    """The sentence with the "I" that its writer left out."""
    first, _, rest = text.partition(" ")
    low = first.lower().strip(",.")
    known = table("repair")
    if _past(low, rest):
        if low in known["participle"]:
            return f"I am {lowered(text)}"
        if low in known["past"] or rest.split(" ", 1)[0].lower() not in _BE:
            return f"I {lowered(text)}"
    if low == "never" and (_second(rest) in known["perfect"] or tense(_second(rest)) is Tense.PAST):
        return f"I {'have ' if _second(rest) in known['perfect'] else ''}{lowered(text)}"
    if low in known["perfect"] and _second(rest) not in {"that", "the", "my", "how"}:
        return f"I have {lowered(text)}"
    if f"{low} {rest.lower()}".startswith(("must not forget ", "mustn't forget ")):
        return f"I {lowered(text)}"  # "must not be easy" is somebody else's
    barred = low in _CANNOT and rest.split(" ", 1)[0].lower() in _ABLE
    if low in known["modal"] and rest and (barred or rest.split(" ", 1)[0].lower() not in known["asked"]):
        return f"I {lowered(text)}"
    if low in known["present"] and rest:
        following = rest.split(" ", 1)[0].lower()
        if following in known["after_present"].split() or low in _PERSONAL:
            return f"I {lowered(text)}"
    if low in wordset("objects", "roles") and rest.split(" ", 1)[0].lower() in _BE | {"called"}:
        return f"My {lowered(text)}"  # "Supervisor is Dr Hale"
    return f"I am {lowered(text)}" if _lacks_be(low, rest) else text


def lowered(text: str) -> str:
    """A text without its capital, so that it can stand behind a subject; "I" keeps its own."""
    return text if text[:1] == "I" and not text[1:2].isalpha() else text[:1].lower() + text[1:]


def _past(low: str, rest: str) -> bool:
    """Whether a first word is a past form: "went", or one in -ed with what such a form takes behind it."""
    known = table("repair")
    if low in known["past"]:
        return True
    if not low.endswith("ed") or len(low) <= 4 or low in known["no_past"]:
        return False
    second = _second(rest)
    if rest and acted(low):
        return True
    return not rest or rest[:1].isupper() or second in known["after_past"] or second in relations()


def _lacks_be(low: str, rest: str) -> bool:
    """ "Allergic to nuts", "Living in Leeds", "Not into sports"."""
    known = table("repair")
    if low in known["participle"] and (rest or low in words("diet") | words("condition")):
        return True
    if low in known["doing"] and rest:
        return True
    if low.endswith("ing") and len(low) > 4 and _second(rest) in known["after_doing"]:
        return True
    if low == "going" and rest.startswith("to "):
        return True
    return low in {"not", "no"} and rest.split(" ", 1)[0].lower() in known["denied"]


def _second(rest: str) -> str:
    return rest.split(" ", 1)[0].lower().strip(",.")
