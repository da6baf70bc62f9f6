"""Classes by the user's hand: of memories, messages and domains; effective at once, and kept by every later run."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.domain.classification import ClassByHand
from memory_pipeline.domain.derived.summary import Summary, SummaryGrain
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion, fold
from memory_pipeline.domain.message import Role
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.domain.scope import Classification
from memory_pipeline.errors import CurationError, NotFound
from memory_pipeline.stages.plan.freshness import inputs, record, stale
from memory_pipeline.stages.plan.registry import BY_NAME
from memory_pipeline.stages.summaries.summary_store import index_summaries
from memory_pipeline_tests.factories import message, proposal
from memory_pipeline_tests.stages.curated import NOW, Home, at
from memory_pipeline_tests.stages.timeline import source

CELLO, LEASE = "Plays the cello.", "Has quarrelled about the lease."
STAGES = ("message_vectors", "memories", "daily_summaries", "weekly_summaries", "monthly_summaries")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Two things said on two days, one of them in a domain, each with the summary of its day."""
    home = Home(tmp_path / "home")
    ctx = home.context()
    for said, domain in ((proposal(CELLO, at(1)), None), (proposal(LEASE, at(2)), "legal")):
        ctx.lake.append("messages", [replace(source(said), domain=domain)])
        ctx.lake.replace("proposals", said.day, [replace(said, domain=domain)])
        told = _summary(said, f"The day of {said.content}", domain)
        ctx.lake.replace("summaries", told.start, [told], part="day")
        index_summaries(ctx, [told])
    home.run()
    return home


def _summary(said: Proposal, text: str, domain: str | None) -> Summary:
    return Summary(
        summary_id=identifier("sum", "t", "u", "day", said.day.isoformat()),
        tenant_id="t",
        user_id="u",
        grain=SummaryGrain(Grain.DAY),
        start=said.day,
        text=text,
        message_ids=(said.evidence[0].message_id,),
        memory_ids=(),
        input_hash="",
        observed_at=said.observed_at,
        prompt_hash="",
        model="test",
        run_id="run",
        recorded_at=NOW,
        classification=Classification.INTERNAL,
        domains=(domain,) if domain else (),
        agent_ids=(),
    )


def _seen(home: Home, ceiling: str = "internal", **given: Any) -> set[tuple[str, str]]:
    """Layer and content of all that a read is given."""
    found = home.reader.search("cello lease quarrelled", **home.owner, k=50, max_classification=ceiling, **given)
    layers = ["semantic", "episodic", "narrative"]
    for layer in layers:
        found += home.reader.search(
            "cello lease quarrelled day", **home.owner, k=50, max_classification=ceiling, layers=[layer], **given
        )
    return {(item.layer, item.content) for item in found}


def _about(text: str) -> set[tuple[str, str]]:
    return {("semantic", text), ("episodic", text), ("narrative", f"The day of {text}")}


def _class(home: Home, content: str) -> Classification:
    (found,) = (m for m in fold(home.rows()).values() if m.content == content)
    return found.classification


def test_a_message_takes_its_memory_and_its_summary_along_and_a_run_keeps_to_it(home: Home) -> None:
    assert _seen(home) == _about(CELLO) | _about(LEASE)
    message_id = source(proposal(LEASE, at(2))).message_id
    assert home.curator.classify_message(message_id, "confidential", **home.owner) == 1
    for _ in range(2):
        assert _seen(home) == _about(CELLO)
        assert _seen(home, "confidential") == _about(CELLO) | _about(LEASE)
        assert _class(home, LEASE) is Classification.CONFIDENTIAL
        home.run()


def test_a_message_may_be_opened_again(home: Home) -> None:
    message_id = source(proposal(LEASE, at(2))).message_id
    home.curator.classify_message(message_id, "confidential", **home.owner)
    home.now += at(1) - at(0)
    home.curator.classify_message(message_id, "internal", **home.owner)
    assert _class(home, LEASE) is Classification.INTERNAL
    # The summary waits for the next run, which tells anew what may be told.
    assert _seen(home) == _about(CELLO) | _about(LEASE) - {("narrative", f"The day of {LEASE}")}


def test_a_domain_holds_for_what_is_said_in_it_later(home: Home) -> None:
    assert home.curator.classify_domain("legal", "restricted", **home.owner) == 1
    assert _seen(home) == _about(CELLO)
    later = proposal("Has won the case about the lease.", at(3))
    ctx = home.context()
    ctx.lake.append("messages", [replace(source(later), domain="legal")])
    ctx.lake.replace("proposals", later.day, [replace(later, domain="legal")])
    home.run()
    assert _class(home, later.content) is Classification.RESTRICTED
    assert _seen(home) == _about(CELLO)


def test_of_another_user_nothing_changes(home: Home) -> None:
    home.context().lake.append("messages", [message("The lease is mine.", at(2), user_id="v", domain="legal")])
    home.run()
    home.curator.classify_domain("legal", "restricted", **home.owner)
    other = {**home.owner, "user_id": "v"}
    assert [i.content for i in home.reader.search("lease", **other)] == ["The lease is mine."]


def test_what_goes_by_classes_is_stale_until_the_next_run(home: Home) -> None:
    ctx = home.context()
    for name in STAGES:
        made_from = inputs(ctx, BY_NAME[name])
        record(ctx, BY_NAME[name], made_from, sorted(made_from), dict.fromkeys(made_from, 0))
    before = {name: set(stale(home.context(), BY_NAME[name])) for name in STAGES}
    home.curator.classify_domain("legal", "restricted", **home.owner)
    for name in ("message_vectors", "memories", "daily_summaries"):
        assert at(2).date() in set(stale(home.context(), BY_NAME[name])) - before[name], name
        assert at(1).date() not in set(stale(home.context(), BY_NAME[name])) - before[name], name


def test_a_turn_does_not_lend_its_words_to_one_that_more_may_see(home: Home) -> None:
    asked = message("Who owns the lease?", at(5), message_id="a-1", session_id="s9", role=Role.ASSISTANT)
    told = message("My aunt.", at(5) + timedelta(minutes=1), message_id="a-2", session_id="s9")
    elsewhere = message("Fine.", at(5) + timedelta(minutes=2), message_id="a-3", session_id="s9", domain="home")
    home.context().lake.append("messages", [replace(asked, domain="legal"), told, elsewhere])
    home.run()

    def lent() -> dict[str, str]:
        rows = home.context().index.all("messages", ["message_id", "previous"]).to_pylist()
        return {row["message_id"]: row["previous"].strip() for row in rows}

    assert (lent()["a-2"], lent()["a-3"]) == ("", "My aunt.")  # the first would be told to reads of every domain
    home.curator.classify_message("a-2", "restricted", **home.owner)
    assert lent()["a-3"] == ""


def test_a_memory_by_hand_is_an_act_that_a_run_does_again(home: Home) -> None:
    made = home.curator.classify(home.id(CELLO), "restricted", **home.owner)
    assert (made.change, made.cause, made.classification) == (Change.CLASSIFY, Cause.MANUAL, Classification.RESTRICTED)
    for _ in range(2):
        assert ("semantic", CELLO) not in _seen(home)
        assert ("semantic", CELLO) in _seen(home, "restricted")
        home.run()
    home.curator.classify(home.id(CELLO), "public", **home.owner)
    assert ("semantic", CELLO) in _seen(home, "public")


def test_what_was_made_of_a_memory_is_withheld_with_it(home: Home) -> None:
    ctx = home.context()
    (cello,) = (m for m in fold(home.rows()).values() if m.content == CELLO)
    reflection = replace(
        cello, version_id="ver_r", memory_id="mem_r", content="Music matters.", derived_from=(cello.memory_id,)
    )
    from memory_pipeline.stages.publication.publish import index_memories, publish

    publish(ctx, [reflection], [])
    index_memories(ctx, [reflection.memory_id])
    assert (
        home.found("Music matters")
        and home.found("Music matters", max_classification="internal")[0] == "Music matters."
    )
    home.curator.classify(cello.memory_id, "restricted", **home.owner)
    assert "Music matters." not in home.found("Music matters")
    assert "Music matters." in home.found("Music matters", max_classification="restricted")


def test_what_the_policy_restricts_is_not_opened_by_hand(home: Home) -> None:
    made = home.curator.remember("Has the email address ada@example.org.", **home.owner)
    assert made.classification is Classification.RESTRICTED
    with pytest.raises(CurationError, match="states what the policy keeps restricted"):
        home.curator.classify(made.memory_id, "internal", **home.owner)
    assert home.curator.classify(made.memory_id, "confidential", **home.owner).classification == "confidential"


@pytest.mark.parametrize(
    ("act", "error", "said"),
    [
        (lambda c, w: c.classify("mem_x", "public", **w), NotFound, "mem_x"),
        (lambda c, w: c.classify("mem_x", "secret", **w), CurationError, "confidential, internal, public, restricted"),
        (lambda c, w: c.classify_message("m-x", "public", **w), NotFound, "no message 'm-x'"),
        (lambda c, w: c.classify_domain("nowhere", "public", **w), NotFound, "no messages in a domain 'nowhere'"),
        (lambda c, w: c.classify_domain("legal", "public", user_id="v", tenant_id="t"), NotFound, "legal"),
    ],
)
def test_errors_say_what_is_wrong(home: Home, act: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        act(home.curator, home.owner)


def test_errors_name_what_was_asked_for(home: Home) -> None:
    with pytest.raises(NotFound) as missing:
        home.curator.classify_domain("nowhere", "public", **home.owner)
    assert missing.value.to_dict().items() >= {"domain": "nowhere", **home.owner}.items()
    with pytest.raises(NotFound) as missing:
        home.curator.classify_message("m-x", "public", **home.owner, session_id="s9")
    assert missing.value.to_dict().items() >= {"message_id": "m-x", "session_id": "s9", **home.owner}.items()


def test_a_message_id_of_several_sessions_needs_the_session(home: Home) -> None:
    home.context().lake.append(
        "messages", [message("A.", at(4), message_id="1"), message("B.", at(4), message_id="1", session_id="s2")]
    )
    with pytest.raises(CurationError, match=r"several sessions \(s, s2\)"):
        home.curator.classify_message("1", "restricted", **home.owner)
    assert home.curator.classify_message("1", "restricted", **home.owner, session_id="s2") == 1
    assert {m.content for m in home.context().lake.read("memory_versions", MemoryVersion)} == {CELLO, LEASE}


def test_a_copy_keeps_the_classes_and_an_erasure_takes_them(home: Home, tmp_path: Path) -> None:
    home.curator.classify_domain("legal", "restricted", **home.owner)
    message_id = source(proposal(CELLO, at(1))).message_id
    home.curator.classify_message(message_id, "confidential", **home.owner)
    home.curator.export(tmp_path / "copy.zip", **home.owner)
    other = Home(tmp_path / "other")
    other.curator.import_(tmp_path / "copy.zip", user_id="v", tenant_id="t")
    other.owner = {"user_id": "v", "tenant_id": "t"}
    other.run()
    assert _seen(other) == set()
    assert {layer for layer, _ in _seen(other, "confidential")} >= {"semantic", "episodic"}
    home.curator.erase(**home.owner, message_id=message_id)
    (left,) = home.context().lake.read("message_classes", ClassByHand)
    assert (left.domain, left.message_id) == ("legal", None)
    home.curator.erase(**home.owner)
    assert home.context().lake.read("message_classes", ClassByHand) == []
