"""Saying what changed in one sentence: what was before and what is now, what is over, what became of a plan."""

from __future__ import annotations

from collections.abc import Sequence

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import negations
from memory_pipeline.inference.builtin.about import Sentence
from memory_pipeline.inference.builtin.summaries.themes import shared, stems
from memory_pipeline.language.tables import read
from memory_pipeline.language.wording.agreement import Tense, base, in_the_past, table, tense, verb_at

_OUTCOME = lazy(r"\s*\((?P<outcome>kept|dropped)\)")
_NAMED = 0.5  # share of a sentence's words from which another names what it says


def became(olds: Sequence[Sentence], new: Sentence) -> Sentence:
    """What is now, with what was before it, in the order of time.

    All are about the same person or thing.
    """
    last = olds[-1]
    if new.whole or last.whole:
        return Sentence(new.who, f"{new.text} (before: {last.text})", new.whole)
    if _says_so(last.text, new.text):
        return new
    start, end = _shared(last.text, new.text)
    now, before = _between(new.text, start, end), _between(last.text, start, end)
    if not start or not now or not before or negations(last.text) != negations(new.text):
        return Sentence(new.who, _unlike(last.text, new.text))
    words = new.text.split()
    lead = " ".join(words[:start])
    changed = read("summaries")["change"].get(lead) if not end else None
    if changed and len(olds) == 1:
        return Sentence(new.who, changed.format(before=before, now=now))
    earlier = [_between(old.text, *_shared(old.text, new.text)) for old in olds]
    told = ", then ".join(dict.fromkeys(e for e in earlier if e))
    return Sentence(new.who, f"{_with_now(new.text)} (before: {told})")


def _says_so(old: str, new: str) -> bool:
    """Whether the new sentence names what was before itself ("no longer eats meat" after "eats meat")."""
    ending = {"longer", "anymore", "stopped", "quit", "gave"} & set(new.lower().split())
    return bool(ending) and shared(stems(old), stems(new)) >= _NAMED


def _shared(old: str, new: str) -> tuple[int, int]:
    """How many words two sentences share at their beginning and at their end."""
    a, b = old.split(), new.split()
    most = min(len(a), len(b))
    start = next((n for n in range(most) if a[n].lower() != b[n].lower()), most)
    end = next((n for n in range(most - start) if a[-1 - n].lower() != b[-1 - n].lower()), most - start)
    return start, end


def _between(text: str, start: int, end: int) -> str:
    words = text.split()
    return " ".join(words[start : len(words) - end])


def _unlike(old: str, new: str) -> str:
    """Two sentences without a common beginning: "used to be vegetarian and now eats fish"."""
    if negations(new) > negations(old) and {*map(base, old.split())} - {"be"} <= {*map(base, new.split())}:
        return no_longer(old) or new
    before = formerly(old)
    if before:
        return f"{before} and {_with_now(new)}"
    return f"{old} and {'now' if _present(new) else 'then'} {new}"


def _present(text: str) -> bool:
    at = verb_at(text.split())
    return at is not None and tense(text.split()[at]) is Tense.PRESENT


def _with_now(text: str) -> str:
    """ "lives in Lisbon" → "now lives in Lisbon", "is vegan" → "is now vegan"; events and what says so stay."""
    words = text.split()
    at = verb_at(words)
    turning = set(read("summaries")["words"]["turning"].split())
    if at is None or tense(words[at]) is Tense.PAST or turning & set(text.lower().split()):
        return text
    place = at + 1 if words[at] in {"is", "has", "can", "cannot"} else 0
    place = 0 if words[at] == "has" else place
    return " ".join([*words[:place], "now", *words[place:]])


def formerly(text: str) -> str:
    """ "is vegetarian" → "used to be vegetarian", "does not smoke" → "did not smoke"; "" for what is past already."""
    words = text.split()
    at = verb_at(words)
    if at is None or tense(words[at]) is Tense.PAST:
        return ""
    if words[at] == "does" or negations(text) or words[at] in {"can", "cannot", "may", "must", "should", "will"}:
        return in_the_past(text)
    return " ".join([*words[:at], "used to", base(words[at]), *words[at + 1 :]])


def no_longer(text: str) -> str:
    """ "lives here" → "no longer lives here", "is vegan" → "is no longer vegan"; "" for what is past or denied."""
    words = text.split()
    at = verb_at(words)
    if at is None or tense(words[at]) is Tense.PAST or negations(text) or words[at] == "cannot":
        return ""
    return " ".join([*words[: at + 1], "no longer", *words[at + 1 :]]) if words[at] == "is" else f"no longer {text}"


def over(old: Sentence) -> Sentence | None:
    """A fact that holds no more, without one in its place; None where nothing can be said of it (a past event)."""
    if old.whole:
        return Sentence("", f"Taken back: {old.text}", whole=True)
    text = no_longer(old.text)
    return Sentence(old.who, text) if text else None


def closed(plan: Sentence) -> Sentence:
    """What became of a plan: settled, kept or dropped."""
    found = _OUTCOME.search(plan.text)
    verb = found["outcome"] if found else "settled"
    text = _OUTCOME.sub("", plan.text)
    planned = planned_of(text)
    if planned and not plan.whole:
        return Sentence(plan.who, f"{verb} the plan to {planned}")
    return Sentence("", f"{verb.capitalize()}: {' '.join(filter(None, (plan.who, text)))}", whole=True)


def planned_of(text: str) -> str:
    """What is planned, as an infinitive: "has to send the letter" → "send the letter"; "" where no plan is told."""
    for lead in sorted(table("plan"), key=len, reverse=True):
        if text.lower().startswith(lead + " "):
            return text[len(lead) + 1 :]
    return ""
