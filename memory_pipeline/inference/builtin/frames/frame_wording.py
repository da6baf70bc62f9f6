"""How a row of the table words a fact: its template filled in, denied, and put in the plural."""

from __future__ import annotations

from memory_pipeline.inference.builtin.facts.context import Reading, article
from memory_pipeline.inference.builtin.frames.row_values import cut, untimed
from memory_pipeline.inference.builtin.frames.table import Hit
from memory_pipeline.language.grammar.clauses import Clause, Cue
from memory_pipeline.language.syntax import Token
from memory_pipeline.language.vocabulary import occupation
from memory_pipeline.language.wording.inflection import base_form, third_person
from memory_pipeline.language.wording.rewrite import sentence

_DETERMINED = ("a ", "an ", "the ", "some ")


def worded(reading: Reading, hit: Hit, token: Token | None, value: str, denied: bool) -> str:
    """The content of a row's fact: its own wording, or the clause as it stands; "" where neither can be told."""
    row, subject = hit.row, reading.subject
    template = row.get("say")
    if template is None or row.get("told") or reading.clause.cue is Cue.FORMER:
        return reading.told
    text = _filled(template, reading, hit, token, value)
    if row.get("tail"):
        text = f"{text.rstrip('.')}{_tail(reading, hit)}."
    if denied:
        text = _deny(text, ceased=reading.clause.ceased)
    text = text.rstrip(".")
    if subject.label:
        text = text[:1].lower() + text[1:]
        text = _plural(text) if subject.plural else text
    return sentence(subject, text)


def _filled(template: str, reading: Reading, hit: Hit, token: Token | None, value: str) -> str:
    each = _each(reading, hit, token, value)
    before = _article(reading.clause, token) if "{article}" in template else ""
    if before and each.lower().startswith("their "):
        before = ""
    elif before and each.lower().startswith(_DETERMINED):
        each = each.split(" ", 1)[1]
    together = reading.subject.together
    return template.format(
        value=value,
        each=each,
        whole=_whole(reading, token, value),
        article=before,
        head=hit.head.low if hit.head else "",
        obj=reading.named(hit.head) if hit.head else "",
        verb=reading.verb,
        Verb=third_person(reading.verb).capitalize(),
        when="{when}",
        together=f" with {together}" if together else _behind(reading, " with ", "with", "from", bare=False),
        instead=_behind(reading, " instead of ", "from"),
    )


def _each(reading: Reading, hit: Hit, token: Token | None, value: str) -> str:
    """The value with its article and possessive: "a red bike", "their old job"."""
    activity = token is not None and (token.dep == "xcomp" or token.tag == "VB")
    said = value if token is None or activity else reading.named(token, bare=False, each=bool(hit.row.get("each")))
    said = untimed(reading, said) or said
    return cut("head", said) if hit.row.get("cut") == "head" else said


def _whole(reading: Reading, token: Token | None, value: str) -> str:
    """The value with all that is said of it, to the next clause."""
    return cut("head", untimed(reading, reading.named(token, each=True))) if token else value


def _behind(reading: Reading, joint: str, *prepositions: str, bare: bool = True) -> str:
    token = reading.clause.after(*prepositions)
    told = reading.named(token, bare=bare) if token else ""
    return f"{joint}{told}" if told else ""


def _article(clause: Clause, token: Token | None) -> str:
    if token is None or token.pos == "PROPN" or token.tag in {"NNS", "NNPS"}:
        return ""
    determined = clause.sentence.child(token, "det")
    if determined is not None and determined.low in {"the", "an", "a", "no"}:
        return "" if determined.low == "no" else f"{determined.low} "
    if clause.sentence.children(token, "poss", "nummod") or not occupation(token.low):
        return ""
    return article(min(clause.sentence.subtree(token), key=_index).low)


def _index(token: Token) -> int:
    return token.index


def _tail(reading: Reading, hit: Hit) -> str:
    """What else is said beside the value: "as a welder", "with their mother"."""
    s, head = reading.clause.sentence, reading.clause.head
    used = {t.index for t in s.subtree(hit.value)} | {hit.value.head} if hit.value else set()
    told = [
        reading.named(child, bare=False)
        for child in s.children(head, "prep", "advmod", "agent", "npadvmod", "dobj")
        if child.index > head.index and _adds(reading, child, used)
    ]
    return "".join(f" {t}" for t in told if t)


def _adds(reading: Reading, token: Token, used: set[int]) -> bool:
    """Whether a complement says something that neither the value nor the time of a fact does."""
    if token.dep == "advmod":
        return False
    if token.dep == "npadvmod" and token.kind in {"GPE", "LOC"}:
        return False
    inside = reading.clause.sentence.subtree(token, without=reading.clause.apart)
    return not {t.index for t in inside} & (used | reading.timed)


def _deny(content: str, *, ceased: bool) -> str:
    """ "Lives in Lisbon." → "Does not live in Lisbon" or "No longer lives in Lisbon"."""
    first, _, rest = content.rstrip(".").partition(" ")
    low = first.lower()
    if low in {"is", "was", "are"}:
        return f"{first} {'no longer' if ceased else 'not'} {rest}"
    if low in {"cannot", "never", "no", "does"}:
        return content
    return f"No longer {low} {rest}" if ceased else f"Does not {base_form(low)[0]} {rest}"


def _plural(text: str) -> str:
    """ "lives in Lisbon" → "live in Lisbon"."""
    first, _, rest = text.partition(" ")
    several = {"is": "are", "was": "were"}.get(first) or base_form(first)[0]
    return f"{several} {rest}".strip()
