"""What becomes of a proposal that holds something sensitive: rejected, masked, restricted or left as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.gate import GateInput, examine, first_failure
from memory_pipeline.domain.policy import GatePolicy, Handling, SensitiveClass
from memory_pipeline.domain.proposal import Evidence, Proposal
from memory_pipeline.domain.scope import Classification
from memory_pipeline.domain.sensitive import find, marked, marker, masked, screen
from memory_pipeline_tests.factories import POLICY, message, proposal

CARD = "4242 4242 4242 4242"


def _policy(**handling: Handling) -> GatePolicy:
    changed: Mapping[SensitiveClass, Handling] = {SensitiveClass(k): v for k, v in handling.items()}
    return replace(POLICY.gate, sensitive={**POLICY.gate.sensitive, **changed})


def _stated(content: str, said: str, **more: Any) -> Proposal:
    return proposal(content, evidence=(Evidence("m", said),), **{"proposal_id": "p", **more})


def _failure(stated: Proposal, said: str, policy: GatePolicy = POLICY.gate) -> str | None:
    cited = message(said, message_id="m")
    failed = first_failure(examine(GateInput(screen(stated, policy), {"m": cited}, policy)))
    return failed.code if failed else None


def test_the_defaults_reject_secrets_and_restrict_contact_data() -> None:
    rejected = {kind for kind, handling in POLICY.gate.sensitive.items() if handling is Handling.REJECT}
    assert {"key", "password", "card", "bank_account", "national_id", "identity_document"} == {str(k) for k in rejected}
    restricted = {kind for kind, handling in POLICY.gate.sensitive.items() if handling is Handling.RESTRICT}
    assert {"email", "phone", "address", "coordinates"} == {str(k) for k in restricted}


def test_a_rejected_class_is_masked_everywhere_and_rejected() -> None:
    said = f"my card is {CARD}"
    stated = _stated(f"Card number is {CARD}.", said, value=CARD, entities=(f"card {CARD}",), subject="user")
    screened = screen(stated, POLICY.gate)
    assert CARD not in repr(screened)
    assert screened.value == marker(SensitiveClass.CARD)
    assert screened.evidence[0].quote == "my card is [withheld card]"
    assert _failure(stated, said) == "secret"


def test_a_secret_beside_a_fact_is_masked_in_the_quote_and_the_fact_stays() -> None:
    said = f"I live in Lisbon and my card is {CARD}"
    stated = _stated("Lives in Lisbon.", said)
    assert _failure(stated, said) is None
    assert CARD not in repr(screen(stated, POLICY.gate))


def test_what_has_no_format_of_its_own_is_masked_where_it_is_repeated() -> None:
    said = "my password is hunter2, everywhere"
    screened = screen(_stated("Uses hunter2 everywhere.", said, value="hunter2"), POLICY.gate)
    assert screened.content == "Uses [withheld password] everywhere."
    assert screened.value == "[withheld password]"
    assert _failure(_stated("Uses hunter2 everywhere.", said), said) == "secret"


def test_a_masked_class_goes_on_with_a_marker_and_the_verdict_says_so() -> None:
    policy = _policy(phone=Handling.MASK)
    said = "call my sister Nora at +49 176 1234 5678"
    stated = _stated("Nora's number is +49 176 1234 5678.", said, subject="Nora", entities=("Nora",))
    screened = screen(stated, policy)
    assert screened.content == "Nora's number is [withheld phone]."
    assert screened.classification is Classification.INTERNAL
    findings = examine(GateInput(screened, {"m": message(said, message_id="m")}, policy))
    assert first_failure(findings) is None
    assert "phone masked" in {f.code: f.detail for f in findings}["secret"]


def test_a_restricted_class_is_kept_and_classified() -> None:
    said = "my email is ada@example.org"
    stated = _stated("Has the email address ada@example.org.", said, value="ada@example.org")
    screened = screen(stated, POLICY.gate)
    assert screened == replace(stated, classification=Classification.RESTRICTED)
    findings = examine(GateInput(screened, {"m": message(said, message_id="m")}, POLICY.gate))
    assert first_failure(findings) is None
    assert "restricted" in {f.code: f.detail for f in findings}["secret"]


def test_only_what_is_stated_is_classified_not_what_stands_in_the_quote() -> None:
    screened = screen(_stated("Lives in Lisbon.", "I live in Lisbon, write to ada@example.org"), POLICY.gate)
    assert screened.classification is Classification.INTERNAL


def test_a_higher_classification_is_never_lowered() -> None:
    stated = _stated("Mail is ada@example.org.", "x", classification=Classification.CONFIDENTIAL)
    assert screen(stated, POLICY.gate).classification is Classification.CONFIDENTIAL


def test_an_allowed_class_is_left_as_it_is() -> None:
    stated = _stated("Has the email address ada@example.org.", "my email is ada@example.org")
    assert screen(stated, _policy(email=Handling.ALLOW)) is stated


def test_what_holds_nothing_is_the_very_same() -> None:
    stated = proposal()
    assert screen(stated, POLICY.gate) is stated


def test_unscreened_secrets_are_rejected_all_the_same() -> None:
    said = f"my card is {CARD}"
    given = GateInput(_stated(f"Card number is {CARD}.", said), {"m": message(said, message_id="m")}, POLICY.gate)
    failed = first_failure(examine(given))
    assert failed is not None
    assert failed.code == "secret"


@pytest.mark.parametrize("kind", list(SensitiveClass))
def test_markers_name_their_class_and_hold_nothing_sensitive(kind: SensitiveClass) -> None:
    text = f"It is {marker(kind)}."
    assert marked(text) == {kind}
    assert find(text) == ()


def test_a_clean_text_is_returned_as_it_is() -> None:
    text = "Lives in Lisbon, ½ hour from the sea."
    assert masked(text, set(SensitiveClass)) is text


@given(st.lists(st.sampled_from([CARD, "hello", "ada@example.org", "my password is hunter2", "\n", ", "]), max_size=8))
def test_masking_leaves_nothing_to_find(parts: list[str]) -> None:
    once = masked(" ".join(parts), set(SensitiveClass))
    assert find(once) == ()
    assert masked(once, set(SensitiveClass)) == once
