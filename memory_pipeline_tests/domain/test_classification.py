from __future__ import annotations

import pytest

from memory_pipeline.domain.classification import Classifier, given_class, strictest
from memory_pipeline.domain.policy import ClassificationPolicy
from memory_pipeline.domain.scope import Classification, Scope
from memory_pipeline_tests import factories

PUBLIC, INTERNAL, RESTRICTED, CONFIDENTIAL = Classification
SCOPE = Scope("t", "u")
POLICY = ClassificationPolicy(INTERNAL, {"legal": CONFIDENTIAL, "blog": PUBLIC}, {"bot": PUBLIC, "doctor": RESTRICTED})


def of(by_hand: Classifier | None = None, metadata: str = "{}", **given: str | None) -> Classification:
    return (by_hand or Classifier(POLICY)).of(factories.message(metadata=metadata, **given))


def test_a_message_names_its_class_else_its_domain_or_agent_does_else_it_is_the_default() -> None:
    assert of() is INTERNAL
    assert of(domain="legal") is CONFIDENTIAL
    assert of(agent_id="bot") is PUBLIC
    assert of(domain="blog", agent_id="doctor") is RESTRICTED  # the stricter of the two
    assert of(domain="other", agent_id="other") is INTERNAL
    assert of(domain="legal", metadata='{"classification": "public"}') is PUBLIC


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ("{}", None),
        ('{"classification": null}', None),
        ('{"note": "classification"}', None),
        ('{"classification": " Restricted "}', RESTRICTED),
        ('{"classification": "secret"}', CONFIDENTIAL),
        ('{"classification": 3}', CONFIDENTIAL),
        ('["classification"]', None),
        ('{"classification": "public"', CONFIDENTIAL),
    ],
)
def test_a_class_that_is_not_understood_is_the_strictest(metadata: str, found: Classification | None) -> None:
    assert given_class(metadata) is found


def test_the_users_hand_counts_most_of_a_message_and_never_loosens_one_by_its_domain() -> None:
    hand = Classifier(POLICY, {(SCOPE, "s", "m-1"): PUBLIC}, {(SCOPE, "legal"): RESTRICTED, (SCOPE, "home"): PUBLIC})
    confidential = '{"classification": "confidential"}'
    assert of(hand, confidential, message_id="m-1") is PUBLIC
    assert of(hand, confidential, message_id="m-1", session_id="s-2") is CONFIDENTIAL
    assert of(hand, message_id="m-1", user_id="v") is INTERNAL
    assert of(hand, domain="legal") is RESTRICTED  # in place of the table's
    assert of(hand, confidential, domain="home") is CONFIDENTIAL
    assert of(hand, domain="home") is PUBLIC
    assert of(hand, domain="home", user_id="v") is INTERNAL


def test_the_strictest_of_some_classes() -> None:
    assert strictest([PUBLIC, RESTRICTED, INTERNAL]) is RESTRICTED
    assert strictest([]) is INTERNAL
    assert strictest([], PUBLIC) is PUBLIC
