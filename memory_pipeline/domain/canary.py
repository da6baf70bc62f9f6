"""Canary memories: one a tenant, alike in words and so near in meaning, each with a name that no other tenant may see.

A read that leaks across tenants brings up another tenant's canary before anything else.
"""

from __future__ import annotations

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.scope import Scope

CANARY_USER = "memory-pipeline.canary"
_NAME = 16  # hexadecimal digits


def canary_of(tenant_id: str) -> Scope:
    """The user to whom a tenant's canary belongs."""
    return Scope(tenant_id, CANARY_USER)


def canary_name(tenant_id: str) -> str:
    """What the tenant's canary is called: found in nothing that any other tenant reads."""
    return f"canary-{digest('canary', tenant_id)[:_NAME]}"


def canary_text(tenant_id: str) -> str:
    """What the canary's memory says."""
    return f"The canary of this store is called {canary_name(tenant_id)}."
