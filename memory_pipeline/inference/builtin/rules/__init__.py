"""The rule tables, by what they speak of. ``VERBS`` start from a clause's verb, ``NOUNS`` from "my <noun> is"."""

from __future__ import annotations

from memory_pipeline.inference.builtin.patterns import Table
from memory_pipeline.inference.builtin.rules import health, home, people, person, pursuits, taste

VERBS = Table([*health.VERBS, *people.VERBS, *person.VERBS, *taste.CHANGES, *home.VERBS, *pursuits.VERBS, *taste.VERBS])
NOUNS = Table(
    [*people.NOUNS, *person.NOUNS, *home.NOUNS, *health.NOUNS, *taste.NOUNS, *pursuits.NOUNS, *person.OTHER_NOUNS]
)
