"""Putting the panel into the application."""

from __future__ import annotations

from fastapi import FastAPI

from memory_pipeline.domain.policy import ServingPolicy
from memory_pipeline.serving.keys import Keys
from memory_pipeline.serving.panel.routes import (
    conversations,
    files,
    gate,
    memories,
    people,
    prompts,
    runs,
    sign_in,
    timeline,
)
from memory_pipeline.serving.sessions import Sessions

PARTS = (sign_in, files, people, memories, timeline, conversations, prompts, gate, runs)
_HOUR_S = 3600


def install(app: FastAPI, keys: Keys, limits: ServingPolicy) -> Sessions:
    """Add the panel's routes. Returns the sessions of browsers, for access control."""
    app.state.keys = keys
    app.state.sessions = Sessions(limits.panel_session_hours * _HOUR_S)
    for part in PARTS:
        app.include_router(part.router, include_in_schema=False)
    sessions: Sessions = app.state.sessions
    return sessions
