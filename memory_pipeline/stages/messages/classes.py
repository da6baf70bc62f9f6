"""The classes of messages, as the policy and the user's hand have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_pipeline.domain.classification import ClassByHand, Classifier
from memory_pipeline.domain.policy import ClassificationPolicy
from memory_pipeline.stages.context import StageContext

if TYPE_CHECKING:
    from memory_pipeline.storage.parquet.lake import Lake

DATASET = "message_classes"


def classifier(ctx: StageContext) -> Classifier:
    """What says which class messages have now."""
    return classifier_of(ctx.lake, ctx.settings.policies.classification)


def classifier_of(lake: Lake, policy: ClassificationPolicy) -> Classifier:
    """The same for a lake and a policy that are no run's."""
    rows = lake.read(DATASET, ClassByHand) if lake.days(DATASET) else []
    return Classifier.made(policy, rows)
