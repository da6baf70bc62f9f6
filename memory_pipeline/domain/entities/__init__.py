"""Who and what a user's memories are about. Flow: statements → mentions → senses → aliases → entities → roster."""

from memory_pipeline.domain.entities.build import Alias, Entity, entities
from memory_pipeline.domain.entities.hints import NameHints
from memory_pipeline.domain.entities.mentions import slots_name
from memory_pipeline.domain.entities.roster import Roster
from memory_pipeline.domain.entities.statements import USER, Kind, Statement, statements
from memory_pipeline.domain.entities.wordings import TELLING

__all__ = [
    "TELLING",
    "USER",
    "Alias",
    "Entity",
    "Kind",
    "NameHints",
    "Roster",
    "Statement",
    "entities",
    "slots_name",
    "statements",
]
