"""The walk from clause to clause down the tree of a sentence: whom each is about, and how surely it is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from memory_pipeline.language.grammar.clause import Clause, Cue, Mood
from memory_pipeline.language.grammar.cues import meaning, vowed
from memory_pipeline.language.grammar.verb_groups import conjunction, denied, mood, verb_group
from memory_pipeline.language.syntax import Sentence, Token
from memory_pipeline.language.vocabulary import words

_SUBJECTS = ("nsubj", "nsubjpass", "csubj", "expl")
_RELATIVE = frozenset({"who", "which", "that"})
_OBJECTIVE = frozenset({"me", "us", "him", "them"})
_ASIDE = frozenset({",", ";", "-", "–", "—"})
_UNREAL = frozenset({Cue.WISH, Cue.ATTEMPT, Cue.CONSIDERED, Cue.POSSIBLE})
_UNSURE = frozenset({"would", "could", "might", "may", "should"})
# How much of the certainty is left: "I think", "Anna says", "maybe".
_HEDGED, _REPORTED, _DOUBTED = 0.7, 0.85, 0.8


@dataclass(frozen=True, slots=True)
class _Path:
    """How the walk came to a clause.

    Attributes:
        above: the clause that it hangs on.
    """

    certainty: float = 1.0
    link: str = ""
    unreal: bool = False
    above: Clause | None = None


def visit(sentence: Sentence, outer: Token, subject: Token | None = None) -> Iterator[Clause]:
    """The clause of a verb, and those that hang on it.

    Args:
        subject: whom it is about where the verb has no subject of its own.
    """
    return _Walk(sentence).visit(outer, subject, _Path())


def _wished_with(outer: Token, above: Clause | None) -> bool:
    """ "I'd love to hike there and see the glacier": what is joined in its bare form to something wished, tried or
    possible is no more than that itself."""
    if above is None or outer.dep != "conj" or outer.tag not in {"VB", "VBG"}:
        return False
    if above.modal in _UNSURE or above.cue in _UNREAL:
        return True
    return outer.tag == "VBG" and above.cue is Cue.PLAN


class _Walk:
    def __init__(self, sentence: Sentence) -> None:
        self._sentence = sentence

    def visit(self, outer: Token, subject: Token | None, path: _Path) -> Iterator[Clause]:
        own = self._subject(outer)
        who = own or subject
        said = self._sentence.child(outer, "ccomp")
        if said is not None and not self._is_predicate(said):
            said = None  # "I saw the Uffizi, overwhelming"
        if said is not None and self._only_leads_in(outer, own):
            hedged = outer.lemma.lower() in words("hedge", "clauses")
            yield from self.visit(said, None, replace(path, certainty=path.certainty * (_HEDGED if hedged else 1.0)))
            yield from self._below(outer, who, replace(path, link=""), without=said)
        elif said is not None and own is not None and self._speaks_of_self(outer, own, said):
            yield from self._reported(said, own, path)
        else:
            clause = self._clause(outer, who, path, carried=own is None and subject is not None)
            yield clause
            unreal = path.unreal or clause.mood is Mood.SUPPOSITION or self._depends(outer, clause)
            for inner in {clause.head.index: clause.head, outer.index: outer}.values():
                below = replace(path, link="", unreal=unreal, above=clause)
                yield from self._below(inner, who, below, without=clause.head)

    def _depends(self, outer: Token, clause: Clause) -> bool:
        """ "If I win I'm buying a yacht and naming it Foam": what comes of a condition, which is not so yet."""
        under = self._sentence.children(outer, "advcl")
        conditional = any(conjunction(self._sentence, c) in words("condition", "clauses") for c in under)
        return conditional and (clause.progressive or clause.modal == "will")

    def _subject(self, token: Token) -> Token | None:
        s = self._sentence
        # "Parcel is gone": the parser may hang a subject on the auxiliary.
        below = (s.child(aux, *_SUBJECTS) for aux in s.children(token, "aux", "auxpass"))
        return s.child(token, *_SUBJECTS) or next((t for t in below if t is not None), None)

    def _only_leads_in(self, outer: Token, own: Token | None) -> bool:
        """ "I think", "just remembered that": what counts is the clause below; a vow counts itself."""
        lemma = outer.lemma.lower()
        if lemma not in words("hedge", "clauses") | words("aside", "clauses") or denied(self._sentence, outer):
            return False
        if own is None:
            return True
        promised = lemma in words("vow", "clauses") and vowed(self._sentence, outer) is not None
        return own.low in {"i", "we"} and not promised

    def _speaks_of_self(self, outer: Token, own: Token, said: Token) -> bool:
        """ "Anna told me she's moving": the pronoun is most likely the speaker."""
        if outer.lemma.lower() not in words("report", "clauses") or own.low in {"i", "we", "you"}:
            return False
        whose = self._subject(said)
        return whose is not None and whose.low in {"he", "she", "they"}

    def _reported(self, said: Token, speaker: Token, path: _Path) -> Iterator[Clause]:
        whose = self._subject(said)
        for clause in self.visit(said, speaker, replace(path, certainty=path.certainty * _REPORTED, link="")):
            yield replace(clause, subject=speaker, carried=True) if clause.subject is whose else clause

    def _below(self, token: Token, subject: Token | None, path: _Path, *, without: Token) -> Iterator[Clause]:
        """The clauses that hang on a verb or on its nouns."""
        s = self._sentence
        predicates = [c for c in s.children(token) if self._is_predicate(c)]
        for child in predicates:
            link = self._link(token, child) if child.index != without.index else None
            if link is not None:
                yield from self.visit(child, subject if child.dep == "conj" else None, replace(path, link=link))
        for noun in s.subtree(token, without=[c.index for c in predicates]):
            for relative in s.children(noun, "relcl"):
                who = s.child(relative, "nsubj", "nsubjpass")
                if who is not None and who.low in _RELATIVE:
                    yield from self.visit(relative, noun, replace(path, link="who"))
                elif self._runs_on(noun, relative):
                    yield from self.visit(relative, None, replace(path, link=""))

    def _runs_on(self, noun: Token, relative: Token) -> bool:
        """ "I'm a morning person I get up at five": a sentence without its stop, which tells nothing of the noun."""
        s = self._sentence
        who = s.child(relative, "nsubj", "nsubjpass")
        if who is None or who.low not in {"i", "we"} or noun.low in words("time_noun", "clauses"):
            return False
        behind_verb = any(t.pos in {"VERB", "AUX"} and t.index < noun.index for t in s.ancestors(noun))
        if not behind_verb or noun.dep in {"nsubj", "nsubjpass"}:
            return False  # "the book I read"
        if any(t.tag in {"WDT", "WP", "WRB"} or t.dep == "mark" for t in s.children(relative)):
            return False
        if any(not s.children(t) for t in s.children(relative, "prep")):
            return False  # "the town I live in"
        complete = s.child(relative, "dobj", "attr", "acomp") is not None
        return complete or relative.lemma.lower() in words("complete_alone", "clauses")

    def _link(self, token: Token, child: Token) -> str | None:
        """The word that joins a clause to the one above, "" where there is none; None where it may not be told."""
        s = self._sentence
        if child.dep == "conj":
            return "and"
        complete = self._subject(child) is not None
        if child.dep == "advcl":
            word = conjunction(s, child)
            return word if word in words("reason", "clauses") or (not word and complete) else None
        if child.dep == "ccomp" and token.lemma.lower() in words("hedge", "clauses") and denied(s, token):
            return None
        if child.dep == "ccomp" and self._caused(child):
            return None
        return "" if child.dep in {"ccomp", "parataxis"} and complete and not s.child(child, "mark") else None

    def _caused(self, child: Token) -> bool:
        """ "The doctor wants me to cut down", "oats make me throw up": told with what governs it, or not at all."""
        s = self._sentence
        who = s.child(child, "nsubj")
        above = s.head(child)
        behind = above.lemma.lower() in {"have", "get"} and above.index < child.index
        if behind and child.tag in {"VBN", "VBD"} and not s.children(child, "mark", "aux", "auxpass"):
            return True  # "had my hip replaced"
        return any(t.tag == "TO" for t in s.children(child, "aux")) or who is not None and who.low in _OBJECTIVE

    def _is_predicate(self, token: Token) -> bool:
        s = self._sentence
        if token.dep == "conj" and token.tag in {"VB", "VBP"} and not s.children(token) and s.head(token).lemma == "be":
            return False  # "allergic to peanuts and shellfish"
        return token.pos in {"VERB", "AUX"} or s.child(token, "cop", "nsubj", "nsubjpass") is not None

    def _clause(self, outer: Token, subject: Token | None, path: _Path, *, carried: bool) -> Clause:
        s = self._sentence
        head, cue = meaning(s, outer)
        group = verb_group(s, outer, head, cue, subject)
        adverbs = {t.low for host in (outer, head) for t in s.children(host, "advmod", "npadvmod")}
        negated = denied(s, outer) != (head is not outer and denied(s, head))
        ceased = cue is Cue.CEASED or self._no_longer(outer, head)
        if negated:
            text = " ".join(t.low for t in s.subtree(outer))
            ceased = ceased or "anymore" in adverbs or "any more" in text or "any longer" in text
        return Clause(
            sentence=s,
            head=head,
            outer=outer,
            subject=subject,
            carried=carried,
            mood=mood(s, outer, group, subject, carried=carried, unreal=path.unreal or _wished_with(outer, path.above)),
            tense=group.tense,
            cue=group.cue,
            modal=group.modal,
            perfect=group.perfect,
            progressive=group.progressive,
            passive=group.passive,
            negated=negated or ceased,
            ceased=ceased,
            certainty=path.certainty * (_DOUBTED if adverbs & words("doubt", "clauses") else 1.0),
            link=path.link,
            apart=frozenset(self._apart(outer, head)),
        )

    def _no_longer(self, outer: Token, head: Token) -> bool:
        """Whether "no longer" stands in the clause, and near its verb."""
        first, last = sorted((outer.index, head.index))
        near = " ".join(t.low for t in self._sentence.tokens[max(first - 3, 0) : last + 3])
        return "no longer" in near and "no longer" in " ".join(t.low for t in self._sentence.subtree(outer))

    def _apart(self, outer: Token, head: Token) -> Iterator[int]:
        """Clauses that hang on this one and speak for themselves."""
        for token in (outer, head):
            for child in self._sentence.children(token):
                own = child.index in {head.index, outer.index}
                if not own and self._is_predicate(child) and self._stands_apart(token, child):
                    yield child.index
        for noun in self._sentence.subtree(outer):
            yield from (r.index for r in self._sentence.children(noun, "relcl") if self._runs_on(noun, r))

    def _stands_apart(self, token: Token, child: Token) -> bool:
        s = self._sentence
        if child.dep == "conj":
            return True
        if self._subject(child) is None:
            return False
        if child.dep == "ccomp":
            cut_off = child.index < token.index or self._comma_between(token, child)
            return cut_off and not s.child(child, "mark")
        return (child.dep == "parataxis" and not s.child(child, "mark")) or (
            child.dep == "advcl" and conjunction(s, child) in {"", "so"}
        )

    def _comma_between(self, one: Token, other: Token) -> bool:
        first, last = sorted((one.index, other.index))
        return any(t.text in _ASIDE for t in self._sentence.tokens[first:last])
