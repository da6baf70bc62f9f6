"""Who and what a user's memories are about. Flow: statements → mentions → senses → aliases → entities → roster."""

from memory_pipeline.domain.entities.build import Alias, Entity, entities
from memory_pipeline.domain.entities.roster import Roster
from memory_pipeline.domain.entities.statements import Kind, Statement, statements

__all__ = ["Alias", "Entity", "Kind", "Roster", "Statement", "entities", "statements"]
