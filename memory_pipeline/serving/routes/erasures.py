"""Physical deletion, and its certificates."""

from __future__ import annotations

from fastapi import APIRouter

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import NotFound
from memory_pipeline.serving.access import Asking
from memory_pipeline.serving.answers import Certificate, Json
from memory_pipeline.serving.requests import Erase
from memory_pipeline.serving.routes.arguments import PROBLEMS, MemoryId, Tenant, User
from memory_pipeline.serving.routes.reads import scope_arguments, whom
from memory_pipeline.serving.service import Memories
from memory_pipeline.storage.erasing.erasures import Erasures

router = APIRouter(tags=["erasures"], responses=PROBLEMS)


@router.post("/v1/erasures", status_code=201, response_model=Certificate)
def erase(body: Erase, memories: Memories, caller: Asking) -> Json:
    """Remove a user, a session or a message for good from everywhere, with all that rests on it alone. Answers when it
    is done, which takes seconds."""
    about = whom(caller, body)
    caller.unnamed(Erasures(memories.settings).pseudonym)
    done = memories.curator.erase(**about, session_id=body.session_id, message_id=body.message_id, foreign_files="keep")
    return Json(done, 201)


@router.get("/v1/erasures/{erasure_id}", response_model=Certificate)
def certificate(
    erasure_id: MemoryId, memories: Memories, caller: Asking, user_id: User = None, tenant_id: Tenant = None
) -> Json:
    """The certificate of an erasure. It names nobody: that it is this user's, whoever asks must know."""
    kept = Erasures(memories.settings)
    about = Scope(**scope_arguments(caller, user_id, tenant_id))
    caller.unnamed(kept.pseudonym)
    for found in kept.certificates(about):
        if found.get("erasure_id") == erasure_id:
            return Json(found)
    sentence = "there is no erasure of that id of this user"
    raise NotFound(sentence, erasure_id=erasure_id, tenant_id=about.tenant_id, user_id=about.user_id)
