"""The classes of messages, as the policy and the user's hand have them."""

from __future__ import annotations

from memory_pipeline.domain.classification import Classifier
from memory_pipeline.stages.context import StageContext


def classifier(ctx: StageContext) -> Classifier:
    """What says which class messages have now."""
    return Classifier(ctx.settings.policies.classification)
