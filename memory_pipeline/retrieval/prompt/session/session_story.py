"""What was said earlier in a session, in a few sentences: its rolling summary, or its turns (NM-8, LS-30)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from memory_pipeline.domain.calendar import local_day, zone
from memory_pipeline.domain.derived.summary import Summary, SummaryGrain
from memory_pipeline.domain.text import truncate
from memory_pipeline.inference.builtin.summaries.session import own_words
from memory_pipeline.retrieval.engine import Engine
from memory_pipeline.retrieval.prompt.escaping import fenced
from memory_pipeline.retrieval.prompt.session.conversation import Turn, said
from memory_pipeline.retrieval.query import Query
from memory_pipeline.retrieval.store.guards import allowed, told
from memory_pipeline.retrieval.store.user_rows import MEMORIES, MESSAGES

_TOLD = ("user", "assistant")


class SessionStory:
    """Tells of turns that a prompt does not show. No model is asked: reads never call one.

    Args:
        query: the read that it is told to: what this one may not see is not told (KN-27, KN-31).
        session_id: None = there is no stored summary.
    """

    def __init__(self, engine: Engine, query: Query, session_id: str | None, now: datetime) -> None:
        self._engine = engine
        self._query = query
        self._scope = query.scope
        self._session_id = session_id
        self._now = now

    def of(self, turns: Sequence[Turn], tokens: int) -> str:
        """A text of at most so many estimated tokens: the session's stored summary, which may be a few turns old
        (RX-23), or, where there is none, the user's own statements; empty when they state nothing."""
        if tokens <= 0:
            return ""
        text = self._stored() or self._extracted(turns, tokens)
        return truncate(fenced(text), tokens) if text else ""

    def _stored(self) -> str | None:
        if self._session_id is None:
            return None
        engine = self._engine
        today = local_day(self._now, engine.settings.timezone) + timedelta(days=1)
        first = today - timedelta(days=engine.policy.summary.session_days)
        found = engine.lake.read(
            "summaries",
            Summary,
            days=[day for day in engine.lake.days("summaries") if first <= day <= today],
            where="tenant_id = $tenant AND user_id = $user AND session_id = $session AND grain = $grain",
            params={
                "tenant": self._scope.tenant_id,
                "user": self._scope.user_id,
                "session": self._session_id,
                "grain": str(SummaryGrain.SESSION),
            },
            order="start",
        )
        last = found[-1] if found else None
        return last.text if last and self._permitted(last) and self._clean(last) else None

    def _permitted(self, summary: Summary) -> bool:
        """Whether the read may see it, and every turn that it may tell of: they may have got another class since."""
        turns = self._engine.searcher.sources.rows(MESSAGES, self._scope)
        then = turns.seconds("created_at") <= summary.observed_at.timestamp()
        covered = turns.matching("session_id", (self._session_id or "",)) & then
        seen = allowed(turns, replace(self._query, types=None, session_id=None, apart_from=None))
        return told(summary, self._query) and not (covered & ~seen).any()

    def _clean(self, summary: Summary) -> bool:
        """Whether it tells nothing that the user has taken back since."""
        sources = self._engine.searcher.sources
        if sources.topics(self._scope).silent(summary.text, summary.observed_at.timestamp()):
            return False
        now = sources.now(self._scope)
        messages = {message_id for message_id, _ in now.taken_back}
        return now.forgotten.isdisjoint(summary.memory_ids) and messages.isdisjoint(summary.message_ids)

    def _extracted(self, turns: Sequence[Turn], tokens: int) -> str:
        topics = self._engine.searcher.sources.topics(self._scope)
        at = self._now.astimezone(zone(self._engine.settings.timezone)).isoformat(timespec="seconds")
        messages = [
            {"id": f"t{n}", "role": turn["role"], "speaker": None, "content": said(turn), "created_at": at}
            for n, turn in enumerate(turns)
            if turn["role"] in _TOLD and said(turn).strip() and not topics.silent(said(turn), self._now.timestamp())
        ]
        return own_words({"messages": messages, "max_tokens": tokens, "unspoken": self._unspoken()}).text

    def _unspoken(self) -> list[str]:
        """What must not be brought up (DL-23)."""
        rows = self._engine.searcher.sources.now(self._scope)
        assert rows.name == MEMORIES
        hidden = zip(rows.values("content"), rows.values("surface"), rows.values("status"), strict=True)
        return [content for content, surface, status in hidden if surface == "avoid" and status == "active"]
