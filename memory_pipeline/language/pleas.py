"""Whether a sentence asks for something to be forgotten or left alone: it states nothing that may be told."""

from __future__ import annotations

from memory_pipeline.language.questions.tables import any_of


def plea(sentence: str) -> bool:
    """Whether a sentence is a plea to forget something or not to bring it up, in English or another known language."""
    said = any_of("pleas", "said").match(_plain(sentence)) and not drops_plan(sentence)
    return bool(said) or foreign_plea(sentence)


def drops_plan(sentence: str) -> bool:
    """Whether "forget" gives up a plan, and says why: "forget the solar panels, the roof is too weak".

    Nothing that was said is spoken of, and the reason has nothing to do with the assistant or with what it hears.
    """
    return given_up(sentence) is not None


def given_up(sentence: str) -> str | None:
    """The plan that such a sentence gives up, as written; None where it gives up none."""
    plain = _plain(sentence)
    hit = any_of("pleas", "dropped").match(plain)
    if hit is None or any_of("pleas", "of_memory").search(plain):
        return None
    owned = hit["owner"] is not None
    if owned and not any_of("pleas", "abandoned").search(hit["why"]):
        return None  # "forget my address, I moved"
    return hit["what"]


def foreign_plea(sentence: str) -> bool:
    """Whether a sentence is such a plea in another known language than English, in which no topic is read out of it."""
    return bool(any_of("pleas", "elsewhere").search(_plain(sentence)))


def _plain(sentence: str) -> str:
    return sentence.replace("’", "'")
