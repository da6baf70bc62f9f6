"""Words for who somebody is to the user, and which of them can be meant of one being."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from memory_pipeline.domain.entities.names import tokens, wordset

_KIN = {
    "mother": "mom mum mommy mummy mama ma",
    "father": "dad daddy papa pa",
    "parent": "parents",
    "grandmother": "grandma granny nana nan gran",
    "grandfather": "grandpa granddad gramps",
    "grandparent": "grandparents",
    "sister": "sisters sis",
    "brother": "brothers bro",
    "sibling": "siblings twin twins",
    "son": "sons",
    "daughter": "daughters",
    "child": "children kid kids baby toddler",
    "aunt": "aunts auntie aunty",
    "uncle": "uncles",
    "cousin": "cousins",
    "niece": "nieces",
    "nephew": "nephews",
    "grandson": "grandsons",
    "granddaughter": "granddaughters",
    "grandchild": "grandchildren grandkid grandkids",
    "stepmother": "stepmom",
    "stepfather": "stepdad",
    "stepson": "",
    "stepdaughter": "",
    "stepsister": "",
    "stepbrother": "",
    "mother in law": "",
    "father in law": "",
    "sister in law": "",
    "brother in law": "",
    "godmother": "",
    "godfather": "",
}
_OTHERS = {
    "wife": "",
    "husband": "hubby",
    "spouse": "",
    "partner": "partners",
    "fiance": "fiancee",
    "girlfriend": "gf",
    "boyfriend": "bf",
    "ex": "",
    "ex wife": "",
    "ex husband": "",
    "ex girlfriend": "",
    "ex boyfriend": "",
    "ex partner": "",
    "friend": "friends bestie buddy",
    "colleague": "colleagues coworker coworkers workmate",
    "boss": "manager supervisor",
    "roommate": "roommates flatmate flatmates housemate housemates",
    "neighbour": "neighbours neighbor neighbors",
    "landlord": "landlady",
    "therapist": "",
    "doctor": "gp physician",
    "dentist": "",
    "mentor": "",
    "coach": "trainer",
    "teacher": "teachers tutor",
    "professor": "",
    "advisor": "adviser",
    "assistant": "",
    "nanny": "babysitter",
    "client": "clients",
    "teammate": "teammates",
}
_PETS = {
    "dog": "dogs puppy puppies pup pups doggy hound retriever labrador labradoodle poodle beagle bulldog shepherd "
    "collie corgi dachshund pug husky chihuahua rottweiler terrier spaniel greyhound mutt schnauzer",
    "cat": "cats kitten kittens kitty tabby siamese ragdoll",
    "rabbit": "rabbits bunny bunnies",
    "hamster": "hamsters",
    "guinea pig": "guinea pigs",
    "parrot": "parrots",
    "bird": "birds budgie budgies cockatiel canary",
    "fish": "goldfish",
    "turtle": "turtles tortoise tortoises",
    "snake": "snakes",
    "lizard": "lizards gecko iguana",
    "ferret": "ferrets",
    "horse": "horses pony ponies mare",
    "chicken": "chickens hen hens",
    "goat": "goats",
    "rat": "rats",
    "mouse": "mice",
    "pet": "pets",
}
# What a word covers: "my kid Ellie" may be the daughter.
_WIDER = {
    **dict.fromkeys(("mother", "father"), "parent"),
    **dict.fromkeys(("grandmother", "grandfather"), "grandparent"),
    **dict.fromkeys(("brother", "sister"), "sibling"),
    **dict.fromkeys(("son", "daughter"), "child"),
    **dict.fromkeys(("grandson", "granddaughter"), "grandchild"),
    **{animal: "pet" for animal in _PETS if animal != "pet"},
}
_SINGULAR = wordset("boss ex gf bf sis bus fish guinea")
_QUALIFIERS = wordset(
    "older younger elder little big baby twin late only oldest eldest youngest middle best close good old new current "
    "former future first second half step dear beloved"
)
_BASES = {
    word: base for table in (_KIN, _OTHERS, _PETS) for base, words in table.items() for word in (base, *words.split())
}
_BASES.update(
    {"guinea pig": "guinea pig", "guinea pigs": "guinea pig", "co worker": "colleague", "best mate": "friend"}
)
_PLURALS = frozenset(w for w in _BASES if w.endswith("s") and w not in _SINGULAR and w[:-1] in _BASES) | wordset(
    "children kids mice puppies bunnies ponies grandchildren parents siblings twins"
)
_TITLE_LIKE = wordset(
    "aunt auntie aunty uncle grandma grandpa granny nana gran grandmother grandfather granddad cousin"
)
_LONGEST = 3
WORDS = frozenset(word for phrase in _BASES for word in phrase.split())
"""Every word of a relation or an animal; no description of somebody is without one."""
_FIRST = WORDS | _QUALIFIERS | {"year", "old"}


@dataclass(frozen=True, slots=True, order=True)
class Relation:
    """Who somebody is to the user.

    Attributes:
        base: the plain word ("mother" for "mum"), or the animal.
        qualifiers: what tells two of them apart ("older", "late"), in order.
        plural: several are meant.
    """

    base: str
    qualifiers: tuple[str, ...] = ()
    plural: bool = False

    @property
    def pet(self) -> bool:
        """Whether it is an animal."""
        return self.base in _PETS

    @property
    def kin(self) -> bool:
        """Whether it is a relative by descent or law, of whom one being is exactly one."""
        return self.base in _KIN

    @property
    def general(self) -> bool:
        """Whether it leaves open which of several relations is meant: "child", "sibling", "pet"."""
        return self.base in _WIDER.values()

    @property
    def phrase(self) -> str:
        """ "older brother"."""
        return " ".join((*self.qualifiers, self.base))

    def covers(self, other: Relation) -> bool:
        """Whether the word may be used of somebody known as ``other``: as wide or wider, and no detail differs."""
        same = self.base == other.base or _WIDER.get(other.base) == self.base
        return same and (not self.qualifiers or not other.qualifiers or set(self.qualifiers) <= set(other.qualifiers))

    def excludes(self, other: Relation) -> bool:
        """Whether nobody is both: a brother is no cousin and no friend of the same name, a dog no cat."""
        if self.base == other.base or self.base in (_WIDER.get(other.base), other.base) or self._wider == other.base:
            return False
        return self.pet or other.pet or self.kin or other.kin

    @property
    def _wider(self) -> str | None:
        return _WIDER.get(self.base)


@lru_cache(maxsize=16384)
def relation(phrase: str) -> Relation | None:
    """The relation that a whole phrase names ("mum", "older brother", "dogs"); None where it is anything else."""
    return relation_of(tuple(tokens(phrase)))


def relation_of(parts: tuple[str, ...]) -> Relation | None:
    """:func:`relation` of words that are folded already."""
    for size in range(min(_LONGEST, len(parts)), 0, -1):
        word = " ".join(parts[-size:])
        base, before = _BASES.get(word), parts[:-size]
        if base is not None and all(q in _QUALIFIERS or _aged(q) for q in before):
            kept = tuple(sorted(q for q in before if q not in ("dear", "beloved", "good", "close", "current")))
            return Relation(base, kept, word in _PLURALS)
    return None


def leading(parts: tuple[str, ...]) -> tuple[Relation, int] | None:
    """The longest relation at the start of some folded words, and how many of them it takes."""
    if not parts or not (parts[0] in _FIRST or parts[0].isdigit()):
        return None
    for size in range(min(len(parts), _LONGEST + 2), 0, -1):
        found = relation_of(parts[:size])
        if found is not None:
            return found, size
    return None


def title_like(word: str) -> bool:
    """Whether a relation stands before a name like a title: "Aunt Mary"."""
    return word in _TITLE_LIKE


def spellings(base: str) -> frozenset[str]:
    """Every word for a relation or an animal, with the wider ones."""
    wanted = {base, _WIDER.get(base, base)}
    return frozenset(word for word, found in _BASES.items() if found in wanted)


def _aged(word: str) -> bool:
    return word.isdigit() or word in ("year", "old")
