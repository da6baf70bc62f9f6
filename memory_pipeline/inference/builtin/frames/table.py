"""The table of frames, and which of its rows fit a clause (see ``language/tables/frames.toml``)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from memory_pipeline.inference.builtin.frames.word_classes import of_class
from memory_pipeline.language.grammar.clauses import Clause, Cue, Tense
from memory_pipeline.language.grammar.people import Kind, Subject
from memory_pipeline.language.syntax import Sentence, Token
from memory_pipeline.language.vocabulary import table, words

_NOT_HUMAN = frozenset({"PRODUCT", "DATE"})
_OF_THE_WORLD = frozenset({"partner", "relationship_status"})  # read as "current_spouse" of whomever
_HERE = frozenset({"here", "just", "now", "back"})


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that fits.

    Attributes:
        value: the word that its value starts from, None where the row gives the value itself.
        head: the object, or the word of it that the row asks for.
    """

    row: dict[str, Any]
    value: Token | None
    head: Token | None


def hits(clause: Clause, subject: Subject) -> Iterator[Hit]:
    """The rows that speak for a clause, in their order; several where a row leaves room for more."""
    for row in _rows().get(clause.verb, ()):
        found = _fit(row, clause, subject)
        if found is None:
            continue
        yield found
        if not row.get("more"):
            return


@cache
def _rows() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in table("frames")["rows"]:
        for verb in row["verb"].split():
            found[verb.replace("_", " ")].append(row)
    return dict(found)


def _fit(row: dict[str, Any], clause: Clause, subject: Subject) -> Hit | None:
    if not (_speaks_of(row, clause, subject) and _timely(row, clause) and _shaped(row, clause)):
        return None
    complement = clause.object()
    head = of_class(row["obj"], complement, clause) if "obj" in row else complement
    if not _has_object(row, clause, complement, head):
        return None
    behind = _behind(row, clause)
    if "with" in row and behind is None:
        return None
    if "inside" in row and of_class(row["inside"], behind, clause) is None:
        return None
    return Hit(row, behind if row.get("take") == "with" else head, head)


def _speaks_of(row: dict[str, Any], clause: Clause, subject: Subject) -> bool:
    """Whether a row is about such a subject. Whoever is told by a first name alone may be anybody's brother."""
    told_of = row.get("who", "user").replace("thing", "possession").split()
    by_name = subject.kind is Kind.NAMED and "person" in told_of and len(subject.key.split()) == 1
    by_name = by_name and row.get("slot") not in _OF_THE_WORLD
    if subject.kind.value not in told_of and not by_name:
        return False
    return not row.get("human") or clause.subject is None or clause.subject.kind not in _NOT_HUMAN


def _timely(row: dict[str, Any], clause: Clause) -> bool:
    """Whether a clause tells of the time that a row does: now, the past, or any time but the future."""
    wanted = row.get("tense", "now")
    if clause.progressive and clause.passive and not row.get("going"):
        return False
    if clause.cue is Cue.FORMER:
        return wanted != "past" and "say" in row
    if clause.cue not in {Cue.NONE, Cue.BEGUN, Cue.CEASED, Cue.ABLE}:
        return False
    if clause.cue is Cue.ABLE and not row.get("modal"):
        return False
    past = clause.tense is Tense.PAST and clause.cue not in {Cue.CEASED, Cue.BEGUN}
    if wanted == "any":
        return clause.tense is not Tense.FUTURE
    if wanted == "past":
        return past or clause.perfect
    return not past and clause.tense is not Tense.FUTURE


def _shaped(row: dict[str, Any], clause: Clause) -> bool:
    """Whether a clause has the voice, the modal, the aspect and the denial that a row asks for."""
    if row.get("passive") is True and not clause.passive:
        return False
    if clause.passive and not row.get("passive") and clause.verb != "be":
        return False
    if row.get("modal") and clause.modal != row["modal"] or row.get("denied") and not clause.negated:
        return False
    if row.get("going") and not (clause.progressive or clause.cue is Cue.BEGUN or clause.perfect):
        return False
    if row.get("here") is True and (not clause.adverbs() & _HERE or _for_now(clause)):
        return False
    return not row.get("only_past") or clause.tense is Tense.PAST


def _for_now(clause: Clause) -> bool:
    """ "We're in Rome now for the weekend": whoever is somewhere for something does not live there."""
    purpose = clause.after("for")
    return purpose is not None and purpose.low != "good"


def _has_object(row: dict[str, Any], clause: Clause, complement: Token | None, head: Token | None) -> bool:
    """Whether a clause has the object that a row asks for, or none where it asks for none."""
    s = clause.sentence
    if row.get("noobj") and complement is not None or "obj" in row and head is None:
        return False
    if row.get("compound") and not (head and s.children(head, "compound", "amod")):
        return False
    if row.get("several") and not _several(row["several"], clause, complement):
        return False
    if row.get("mine") and not _of_user(s, complement):
        return False
    return not (row.get("bare") and head is not None and s.children(head, "det", "amod", "nummod"))


def _several(name: str, clause: Clause, complement: Token | None) -> bool:
    """Whether what is joined to the object is of a class as well: "metformin and ramipril" are two medicines."""
    joined = clause.sentence.children(complement, "conj") if complement is not None else []
    if any(t.lemma.lower() in words("medicine_kind") for t in clause.sentence.subtree(complement or clause.head)):
        return False  # "vitamin D and iron"
    return bool(joined) and all(of_class(name, t, clause) is not None for t in joined)


def _of_user(s: Sentence, complement: Token | None) -> bool:
    """Whether a thing is "my", "our" or "the" one: "my mum's pills" are hers."""
    if complement is None:
        return False
    owner = s.child(complement, "poss")
    if owner is not None:
        return owner.low in {"my", "our"}
    return any(t.low in {"my", "our", "the"} for t in s.subtree(complement))


def _behind(row: dict[str, Any], clause: Clause) -> Token | None:
    """What stands behind a preposition of the row, of its class where the value is taken from there."""
    if "with" not in row:
        return None
    wanted = row.get("class") if row.get("take") == "with" else None
    found = clause.behind(*row["with"].split())
    return next((t for t in found if not wanted or of_class(wanted, t, clause) is not None), None)
