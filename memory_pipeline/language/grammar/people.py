"""Whom a clause speaks of: the user, a relative or friend, a pet, something of the user's, somebody named, or nobody.

Each person keeps one label through a conversation: after "my brother Max", "my brother", "Max" and "he" are all
"brother Max".
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from enum import StrEnum

from memory_pipeline.language.grammar.proper_names import PLACES, full_name, is_stranger, may_be_somebody
from memory_pipeline.language.syntax import Sentence, Token, written
from memory_pipeline.language.vocabulary import category, medicine, relations, words

_OWN = frozenset({"my", "our"})
_WRITER = frozenset({"i", "me", "we"})
_PRONOUNS = frozenset({"he", "she", "they", "him", "her", "them", "it"})
_POSSESSIVE = {"his": "he", "her": "she", "their": "they"}
_NAMING = frozenset({"call", "name"})
_HAVING = _NAMING | {"have", "get", "adopt", "own", "raise", "keep", "buy", "rescue", "foster"}
# What beside a noun is not part of it.
_BESIDE_NOUN = frozenset({"relcl", "acl", "appos"})


class Kind(StrEnum):
    """What a subject is to the user."""

    USER = "user"
    PERSON = "person"
    PET = "pet"
    POSSESSION = "possession"  # "my car", "our bakery", "my sister's wedding"
    NAMED = "named"  # a proper name that is nobody known
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom or what a clause is about.

    Attributes:
        key: subject of a slot: "user", "brother max", "car", "Acme".
        label: how a sentence names it, capitalised: "Brother Max", "Their car"; "" for the user.
        relation, name: of a person or a pet, "" where unknown.
        plural: "we", "my parents".
        together: whom the user did it with ("Ana and I"), as written, or "".
    """

    kind: Kind
    key: str
    label: str
    relation: str = ""
    name: str = ""
    plural: bool = False
    together: str = ""


USER = Subject(Kind.USER, "user", "")
NOBODY = Subject(Kind.OTHER, "", "")


@dataclass(slots=True)
class People:
    """Those who have been mentioned, in the order in which they were spoken of last.

    Attributes:
        mentioned: the name spoken of last that may be somebody's, "" where there is none.
        stranger: the name of the last subject that is nobody of the user's, "" where one of those was spoken of since.
        happened: what was told last to have come about, in a few words ("father died").
        named: whom a clause was about last by a first name alone; "he" may stand for them where nobody else fits.
    """

    known: list[Subject] = field(default_factory=list)
    things: dict[str, str] = field(default_factory=dict)
    mentioned: str = ""
    happened: str = ""
    stranger: str = ""
    named: Subject | None = None

    def read(self, sentence: Sentence) -> list[Subject]:
        """Notes whom a sentence mentions; those whose name it tells are returned."""
        named = []
        for token in sentence:
            if may_be_somebody(sentence, token):
                self.mentioned = token.text[:1].upper() + token.text[1:]
            if is_stranger(sentence, token) and not self._by_name(token.text):
                self.stranger = full_name(sentence, token)
            found = self._relative(sentence, token)
            if found is None:
                continue
            before = self._same(found)
            told = bool(found.name) and (before is None or not before.name)
            self.note(found)
            if told:
                named.append(found)
        return named

    def note_thing(self, noun: str, *, plural: bool) -> None:
        """Keeps the thing that was spoken of last, for "it" and "them"."""
        if noun and len(noun.split()) <= 6:
            self.things["them" if plural else "it"] = noun

    def thing(self, pronoun: str) -> str | None:
        """What "it" or "them" stands for, told in the third person; None where nothing was named."""
        return self.things.get({"they": "them", "its": "it", "their": "them"}.get(pronoun, pronoun))

    def subject(self, sentence: Sentence, token: Token | None) -> Subject:
        """Whom the subject of a clause stands for; :data:`NOBODY` where that is nobody known."""
        if token is None:
            return NOBODY
        low = token.low
        group = [token, *sentence.children(token, "conj")]
        if low in _WRITER or any(t.low in _WRITER - {"we"} for t in group):
            self._note_company(group)
            return _writer(sentence, low, group)
        if low in _PRONOUNS:
            return self.pronoun(low) or NOBODY
        if low in {"who", "which", "that"}:
            head = next(sentence.ancestors(token), token)
            return self.subject(sentence, sentence.head(head)) if head.dep == "relcl" else NOBODY
        person = self._relative(sentence, token)
        if person is not None:
            return self.note(person)
        owner = sentence.child(token, "poss")
        if owner is not None and token.pos in {"NOUN", "PROPN"}:
            return self._owned(sentence, token, owner)
        in_name = token.text[:1].isupper() and token.index > 0 and sentence[token.index - 1].text[:1].isupper()
        if low in words("mine") and not in_name and _unclaimed(sentence, token):
            noun = _noun(sentence, token, _BESIDE_NOUN | {"det"})
            if (
                sentence.tokens[0].text[:1].isupper()
                and noun.startswith(sentence.tokens[0].text)
                and noun[1:].islower()
            ):
                noun = noun.lower()  # a capital because it stands first
            return Subject(Kind.POSSESSION, noun.lower(), f"Their {noun}", plural=_is_plural(token))
        if token.text[:1].isupper() and (token.pos == "PROPN" or token.index > 0 or _is_first_name(sentence, token)):
            return self._named(sentence, token)
        known = self._by_name(token.text) if token.text[:1].isupper() else None
        return self.note(known) if known else NOBODY

    def _note_company(self, group: list[Token]) -> None:
        """ "Ana and I broke up. Don't bring her up": whom the writer names beside themselves."""
        for token in group:
            if token.pos == "PROPN" and token.text[:1].isupper() and not self._by_name(token.text):
                self.known.append(Subject(Kind.PERSON, token.text.lower(), token.text, name=token.text))

    def _named(self, sentence: Sentence, token: Token) -> Subject:
        """Somebody or something by its name."""
        name = full_name(sentence, token)
        if medicine(token.low) or category(token.low):
            return Subject(Kind.POSSESSION, name.lower(), name)
        known = self._by_name(name)
        if known is not None:
            return self.note(known)
        found = Subject(Kind.NAMED, name, name)
        self.named = replace(found, name=name) if name.isalpha() and not name.isupper() else self.named
        return found

    def _owned(self, sentence: Sentence, token: Token, owner: Token) -> Subject:
        """ "my car", "Anna's wedding", "his brother"."""
        noun = _noun(sentence, token, _BESIDE_NOUN | {"predet", "det"})
        bare = noun.split(" ", 1)[1] if " " in noun else noun
        if owner.low in _OWN:
            share = sentence.child(token, "predet", "det")  # "half my salary", "both my knees"
            label = f"{share.text.capitalize()} their {bare}" if share is not None else f"Their {bare}"
            return Subject(Kind.POSSESSION, bare.lower(), label, plural=_is_plural(token))
        whose = self.subject(sentence, owner)
        if whose.kind in {Kind.PERSON, Kind.PET}:
            owned = written(sentence.subtree(token, without=[owner.index])).strip(" ,")
            return Subject(Kind.POSSESSION, f"{whose.key}'s {owned}".lower(), f"{whose.label}'s {owned}")
        person = self.pronoun(_POSSESSIVE[owner.low]) if owner.low in _POSSESSIVE else None
        if person is None:
            return NOBODY
        relation = relations().get(token.low)
        if relation:
            return Subject(Kind.PERSON, f"{person.key}'s {relation}", f"{person.label}'s {relation}", relation)
        return Subject(Kind.POSSESSION, f"{person.key}'s {bare}", f"{person.label}'s {bare}")

    def _relative(self, sentence: Sentence, token: Token) -> Subject | None:
        """ "my (older) brother (Max)", "a dog called Rex", "our twins"; None for other words."""
        relation, pet = relations().get(token.low), token.low in words("pet")
        if not (relation or pet):
            return _named_of_mine(sentence, token)
        if token.pos not in {"NOUN", "PROPN"}:
            return None
        if token.dep in {"compound", "nmod"}:  # "my brother Max", "a parrot, Willem", where the name is the head
            head = sentence.head(token)
            owned = _mine(sentence, head) or token.index > 0 and sentence[token.index - 1].low in _OWN
            owned = owned or token.dep == "nmod" and _had(sentence, head)
            if head.pos != "PROPN" or not head.text[:1].isupper() or not owned:
                return None
            return _somebody(token.low, relation, full_name(sentence, head, without=[token]), head, pet=pet)
        if not _mine(sentence, token) and not _had(sentence, token):
            return None
        which = next((t.low for t in sentence.children(token, "amod") if t.low in words("of_several")), "")
        if relation == "child" and which:  # "my eldest" and "my youngest" are two
            relation = f"{which} child"
        return _somebody(token.low, relation, _name_beside(sentence, token), token, pet=pet)

    def pronoun(self, low: str) -> Subject | None:
        """Whom "he", "she", "they" or "it" stands for; None where nobody fits."""
        nominative = {"him": "he", "her": "she", "them": "they"}.get(low, low)
        if self.stranger and nominative in {"he", "she"}:
            return Subject(Kind.NAMED, self.stranger, self.stranger)
        by_name = self.named if nominative in {"he", "she"} else None
        return next((one for one in reversed(self.known) if _fits(nominative, one)), by_name)

    def _same(self, one: Subject) -> Subject | None:
        for known in reversed(self.known):
            if known.relation == one.relation and (not one.name or not known.name or one.name == known.name):
                return known
        return self._by_name(one.name) if one.name else None

    def _by_name(self, name: str) -> Subject | None:
        first = name.split(" ")[0]
        return next((k for k in reversed(self.known) if k.name and k.name.split(" ")[0] == first), None)

    def note(self, one: Subject) -> Subject:
        """Keeps somebody as the one spoken of last, joined with what is known of them."""
        self.stranger = ""
        before = self._same(one)
        if before is not None:
            self.known.remove(before)
            if len(before.name) > len(one.name):
                one = before
            elif one.relation != before.relation:
                one = replace(before, name=one.name or before.name)
        self.known.append(one)
        return one


def _writer(sentence: Sentence, low: str, group: list[Token]) -> Subject:
    """The user, alone or together with others: "Ana and I"."""
    others = [t for t in group if t.low not in _WRITER]
    together = _phrase(sentence, others[0], others) if others else ""
    return replace(USER, plural=low == "we" or bool(others), together=together)


def _somebody(word: str, relation: str | None, name: str, token: Token, *, pet: bool) -> Subject:
    label = relation or word
    kind = Kind.PET if pet and not relation else Kind.PERSON
    key = f"{label} {name}".strip()
    return Subject(kind, key.lower(), key[:1].upper() + key[1:], label, name, plural=_is_plural(token))


def _named_of_mine(sentence: Sentence, token: Token) -> Subject | None:
    """ "my agent Priscilla": a person of the user's by the name that follows."""
    if token.pos != "NOUN" or not _mine(sentence, token):
        return None
    named = next((c for c in sentence.children(token, "appos") if c.pos == "PROPN" and c.kind == "PERSON"), None)
    return _somebody(token.low, None, full_name(sentence, named), token, pet=False) if named is not None else None


def _mine(sentence: Sentence, token: Token) -> bool:
    """Whether somebody belongs to the writer: "my brother", "mum"."""
    owner = sentence.child(token, "poss")
    if owner is None and token.dep == "conj":
        owner = sentence.child(sentence.head(token), "poss")
    if owner is not None:
        return owner.low in _OWN
    # "mum says …", "hubby works nights": a relation without an article is the writer's own.
    bare = token.tag in {"NN", "NNP"} and not sentence.children(token, "det", "amod", "nummod")
    return bare and token.dep in PLACES and token.low in words("bare_relation")


def _had(sentence: Sentence, token: Token) -> bool:
    """ "I have a dog", "we adopted twins": somebody whom the writer has or gets."""
    have = sentence.head(token)
    owner = sentence.child(have, "nsubj")
    if any(t.low == "no" for t in sentence.children(token, "det")) or sentence.children(have, "neg"):
        return False
    return have.lemma in _HAVING and (owner is None or owner.low in {"i", "we"})


def _unclaimed(sentence: Sentence, token: Token) -> bool:
    """Whether no article or owner but "the" stands before a noun: "rent is due", "the landlord called"."""
    if not sentence.children(token, "det", "poss"):
        return True
    return any(d.low == "the" for d in sentence.children(token, "det"))


def _is_first_name(sentence: Sentence, token: Token) -> bool:
    """ "Pieter works …", "Jonas lives …": a name at the beginning of a sentence that the parser takes for a noun."""
    singular = token.tag == "NNS" and sentence.head(token).tag == "VBZ"
    return not sentence.children(token) and (singular or token.kind == "PERSON")


def _fits(pronoun: str, one: Subject) -> bool:
    if pronoun == "it":
        return one.kind is Kind.PET
    if (pronoun == "he" and one.relation in words("female")) or (pronoun == "she" and one.relation in words("male")):
        return False
    return one.plural == (pronoun == "they")


def _is_plural(token: Token) -> bool:
    return token.tag in {"NNS", "NNPS"}


def _noun(sentence: Sentence, token: Token, without: Collection[str]) -> str:
    """A noun with the words below it, but those of the given dependencies."""
    return written([t for t in sentence.subtree(token) if t.dep not in without]).strip(" ,")


def _name_beside(sentence: Sentence, token: Token) -> str:
    """The name told with a relation or a pet, or "": "my brother, Max", "a dog called Rex"."""
    called = [c for c in sentence.children(token, "acl") if c.lemma in _NAMING]
    said = [name for c in called if (name := sentence.child(c, "oprd", "dobj", "attr", "xcomp"))]
    naming = sentence.head(token)
    if token.dep == "nsubjpass" and naming.lemma in _NAMING and _mine(sentence, token):  # "my son is called Emre"
        said += [name for name in sentence.children(naming, "oprd", "attr", "dobj") if name.text[:1].isupper()][:1]
    beside = [c for c in sentence.children(token, "appos") if c.text[:1].isupper() and c.index > token.index]
    for names in (said, beside):
        if names:
            return full_name(sentence, names[-1])
    if token.index + 1 < len(sentence) and _mine(sentence, token):
        after = sentence[token.index + 1]
        if after.pos == "PROPN" and after.text[:1].isupper() and after.head in {token.index, token.head}:
            return full_name(sentence, after)
    return ""


def _phrase(sentence: Sentence, token: Token, group: list[Token]) -> str:
    """Those with the writer, as written: "Ana and Tom" of "Ana, Tom and I"."""
    several = len(group) > 1
    return written([t for t in sentence.subtree(token) if t.low not in {"i", "me"} and (several or t.dep != "cc")])
