"""Hosted encoding in the cost ledger: an encoder that asks the budget before it works and enters what it took."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.inference.encoder import Encoder
from memory_pipeline.inference.prices import encoder_usd

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memory_pipeline.inference.budget import Budget
    from memory_pipeline.inference.hosted.openai_encoder import OpenAIEncoder
    from memory_pipeline.settings import Settings

STAGE = "encode"


def metered(encoder: Encoder, settings: Settings, budget: Budget, run_id: str) -> Encoder:
    """The encoder with a meter where it costs something; any other as it is."""
    if settings.encoder == "builtin":
        return encoder
    from memory_pipeline.inference.hosted.openai_encoder import OpenAIEncoder

    return MeteredEncoder(encoder, settings, budget, run_id) if isinstance(encoder, OpenAIEncoder) else encoder


class MeteredEncoder:
    """A hosted encoder whose use is in the ledger: an entry for each call of :meth:`encode`."""

    def __init__(self, encoder: OpenAIEncoder, settings: Settings, budget: Budget, run_id: str) -> None:
        self._encoder = encoder
        self._settings = settings
        self._budget = budget
        self._run_id = run_id
        self._entered = encoder.usage
        self._lock = Lock()

    @property
    def model(self) -> str:
        return self._encoder.model

    @property
    def dimensions(self) -> int:
        return self._encoder.dimensions

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """See :meth:`Encoder.encode`.

        Raises:
            BudgetExceeded: it might take the day's spending over the limit.
        """
        if any(text.strip() for text in texts):
            self._budget.check(encoder_usd(self._settings, sum(map(estimate_tokens, texts))))
        try:
            return self._encoder.encode(texts)
        finally:
            self._enter()

    def _enter(self) -> None:
        """Enter what was used since the last entry; also by calls before one that failed."""
        from memory_pipeline.storage.queries.costs import entry

        with self._lock:
            before, now = self._entered, self._encoder.usage
            self._entered = now
        if now.calls == before.calls:
            return
        made = entry(
            None,
            None,
            STAGE,
            self.model,
            self._run_id,
            self._budget.clock(),
            calls=now.calls - before.calls,
            prompt_tokens=now.prompt_tokens - before.prompt_tokens,
            usd=now.usd - before.usd,
        )
        self._budget.lake.append("costs", [made])
        self._budget.note([made])
