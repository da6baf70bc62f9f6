"""Every reason that a verdict can have, with one line for a reader. The codes are stable; new ones may come."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Why a proposal became what it became: the gate's rules, then what consolidation did."""

    meaning: str

    def __new__(cls, code: str, meaning: str) -> Reason:
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    # The gate: the first rule that a proposal fails.
    SECRET = "secret", "states a key, a password, a card, a bank account or a number of a person"
    INSTRUCTION = "instruction", "is aimed at the memory or the assistant, or stands beside something that is"
    CANARY = "canary", "was copied from the prompt's examples"
    LENGTH = "length", "is too short or too long"
    CONFIDENCE = "confidence", "the extractor was not sure enough"
    SALIENCE = "salience", "does not matter enough, or is a passing state that does not stand out"
    SURPRISE = "surprise", "says nothing that does not hold of anybody"
    QUALITY = "quality", "a work memory without substance: a status report, or no reason, subject or key word"
    DATES = "dates", "ends before it begins"
    GROUNDING = "grounding", "its quote stands in no cited message"
    OWN_WORDS = "own_words", "rests on nobody's words but the assistant's or a tool's"
    ECHO = "echo", "gives back what was recalled into the session, pasted or quoted"
    INVENTED = "invented", "holds a name, a number or a date that nobody said"
    UNSUPPORTED = "unsupported", "says something else than the conversation"
    VOICE = "voice", "quotes what is not said in the user's own name: pasted, played, off the record"
    SUBJECT = "subject", "says of one person what the user said of another"
    CONTRARY = "contrary", "says the opposite of its quote, or another number"
    UNFOUNDED = "unfounded", "states as so what the user only asked, supposed, wished or planned"
    WIDENED = "widened", "says of more cases than its quote: of all, of always, of what was not left out"
    EMBELLISHED = "embellished", "adds a detail or a cause that nobody gave"
    DERIVED = "derived", "is of a type that only the pipeline itself makes, out of memories"

    # Consolidation.
    ADD = "add", "became a new memory"
    REINFORCE = "reinforce", "confirmed a memory"
    MERGE = "merge", "was merged into a memory that says nearly the same"
    SUPERSEDE = "supersede", "replaced an older memory"
    CONTRADICT = "contradict", "ended a memory that holds no longer"
    CLOSE = "close", "closed an open loop"
    FORGET = "forget", "made a memory be forgotten, as the user asked"
    SUPPRESS = "suppress", "made a memory not be brought up, as the user asked"
    NONE = "none", "changed nothing"
    COVERED = "covered", "adds nothing to what is remembered"
    ROLLED_BACK = "rolled_back", "does not count: what a run made of that day was rolled back"
    NO_TARGET = "no_target", "would end or confirm something, and no memory is clearly meant"


def meaning(code: str) -> str:
    """What a reason says, "" for a code that this version does not know."""
    return next((reason.meaning for reason in Reason if reason == code), "")
