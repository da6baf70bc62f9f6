"""Explain: who made a memory, from which sentence, what it cost, and what stands around it."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from memory_pipeline.domain.derived.derivation import absorb, derive
from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion, Status
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import Evidence, Finding, MemoryType, Outcome, Proposal, Verdict
from memory_pipeline.domain.reading.records import MemoryHistory
from memory_pipeline.errors import NotFound
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.stages.links.link_rows import words_of
from memory_pipeline.storage.parquet.schemas import Link, Reply
from memory_pipeline_tests import factories
from memory_pipeline_tests.store import NOW, Store


def explained(reader: MemoryReader, home: Store, memory: MemoryVersion) -> MemoryHistory:
    found = reader.explain(memory.memory_id, **home.owner)
    json.dumps(found.to_dict())
    quick = reader.explain(memory.memory_id, **home.owner, entities=False)
    memory_too = replace(quick.memory, entity_ids=found.memory.entity_ids)
    same = replace(quick, memory=memory_too, links=found.links)
    assert same == found, "what the index points to is enough"
    return found


def reply(home: Store, key: str, task: str, said: Any, **given: Any) -> Reply:
    plain: dict[str, Any] = {
        "key": key,
        **home.owner,
        "day": NOW.date(),
        "task": task,
        "model": "big",
        "prompt_hash": "hash-" + task,
        "reply": json.dumps(said),
        "prompt_tokens": 600,
        "completion_tokens": 90,
        "usd": 0.3,
        "recorded_at": datetime(2026, 7, 1, tzinfo=UTC),
    }
    made = Reply(**{**plain, **given})
    home.lake.append("replies", [made])
    return made


def proposed(home: Store, content: str, turn: Message, **given: Any) -> Proposal:
    evidence = (Evidence(turn.message_id, turn.content),)
    made = factories.proposal(
        content, turn.created_at, **home.owner, evidence=evidence, session_id="s-1", reply_key="k-win", **given
    )
    home.lake.append("proposals", [made])
    return made


def judged(home: Store, proposal: Proposal, reply_key: str | None = None) -> None:
    verdict = Verdict(
        verdict_id=f"vdt-{proposal.proposal_id}",
        proposal_id=proposal.proposal_id,
        **home.owner,
        day=proposal.day,
        outcome=Outcome.ACCEPTED,
        reason="add",
        findings=(Finding("confidence", True, 0.8, 0.4, "how sure"),),
        memory_id="mem_x",
        reply_key=reply_key,
    )
    home.lake.append("verdicts", [verdict])


class TestCost:
    def test_it_is_a_memory_s_share_of_the_replies_that_made_it(self, home: Store, reader: MemoryReader) -> None:
        turn = home.message("I moved to Lisbon and I like tea.")
        made = [proposed(home, text, turn) for text in ("Lives in Lisbon.", "Likes tea.", "Moved.")]
        judged(home, made[0], "k-judge")
        judged(home, made[1])
        reply(home, "k-win", "extract", {})
        reply(home, "k-judge", "consolidate", {}, prompt_tokens=100, completion_tokens=10, usd=0.05, model="small")
        memory = home.memory("Lives in Lisbon.", evidence=[turn.message_id], proposal_id=made[0].proposal_id)
        other = home.memory("Likes tea.", evidence=[turn.message_id], proposal_id=made[1].proposal_id)
        cost = explained(reader, home, memory)["cost"]
        assert cost["usd"] == pytest.approx(0.3 / 3 + 0.05) and cost["tokens"] == 690 // 3 + 110
        extraction, judge = cost["replies"]
        assert (extraction["stage"], extraction["shared_by"], extraction["usd"]) == ("extract", 3, 0.3)
        assert (judge["stage"], judge["model"], judge["shared_by"]) == ("consolidate", "small", 1)
        assert "reply" not in extraction, "what the model said is in the proposals; it is not repeated"
        assert explained(reader, home, other)["cost"]["usd"] == pytest.approx(0.1), "rules decided, nobody was asked"

    def test_of_a_reply_that_is_kept_twice_the_first_counts(self, home: Store, reader: MemoryReader) -> None:
        turn = home.message("I like tea.")
        made = proposed(home, "Likes tea.", turn)
        first = reply(home, "k-win", "extract", {})
        home.lake.append("replies", [replace(first, usd=9.0, recorded_at=datetime(2026, 7, 2, tzinfo=UTC))])
        memory = home.memory("Likes tea.", evidence=[turn.message_id], proposal_id=made.proposal_id)
        assert explained(reader, home, memory)["cost"]["usd"] == pytest.approx(0.3)

    def test_nothing_is_made_up_where_no_reply_is_known(self, home: Store, reader: MemoryReader) -> None:
        turn = home.message("I like tea.")
        made = proposed(home, "Likes tea.", turn)
        memory = home.memory("Likes tea.", evidence=[turn.message_id], proposal_id=made.proposal_id)
        by_hand = home.memory("Likes coffee.", cause=Cause.MANUAL)
        assert explained(reader, home, memory)["cost"] is None
        assert explained(reader, home, by_hand)["cost"] is None

    def test_other_users_replies_are_not_looked_at(self, home: Store, reader: MemoryReader) -> None:
        turn = home.message("I like tea.")
        made = proposed(home, "Likes tea.", turn)
        reply(home.of("bob"), "k-win", "extract", {})
        memory = home.memory("Likes tea.", evidence=[turn.message_id], proposal_id=made.proposal_id)
        assert explained(reader, home, memory)["cost"] is None


class TestDerived:
    def derived(self, home: Store) -> tuple[MemoryVersion, list[MemoryVersion]]:
        turns = [home.message(f"The build failed on day {n}.", at=NOW, message_id=f"m-{n}") for n in range(3)]
        members = [
            home.memory(f"Build failed on day {n}.", evidence=[Evidence(t.message_id, "The build failed")])
            for n, t in enumerate(turns)
        ]
        pattern = derive(
            MemoryType.PATTERN,
            "Builds fail again and again.",
            members,
            importance=0.5,
            confidence=0.5,
            at=NOW,
            day=NOW.date(),
            policy=factories.POLICY,
            run_id="run-2",
            now=NOW,
        )
        absorbed = [absorb(m, pattern, factories.POLICY, "run-2", NOW) for m in members]
        home.lake.append("memory_versions", [pattern, *absorbed])
        return pattern, members

    def test_it_leads_to_the_memories_and_on_to_their_messages(self, home: Store, reader: MemoryReader) -> None:
        pattern, members = self.derived(home)
        said = {"patterns": [{"content": "Builds  fail again\nand again."}, {"content": "Another."}]}
        reply(home, "k-other", "pattern", {"content": "Builds are slow."})
        reply(home, "k-pat", "pattern", said)
        found = explained(reader, home, pattern)
        assert (found["proposal"], found["verdict"], found["window"]) == (None, None, None)
        assert found["derived_from"] == [s["memory_id"] for s in found["sources"]] == [m.memory_id for m in members]
        assert found["sources"][0]["evidence"] == [{"message_id": "m-0", "quote": "The build failed"}]
        assert {m["message_id"] for m in found["messages"]} == {"m-0", "m-1", "m-2"}
        assert all(m["quote"] == "The build failed" and m["quote"] in m["content"] for m in found["messages"])
        assert (found["model"], found["prompt_hash"]) == ("big", "hash-pattern")
        assert [r["key"] for r in found["cost"]["replies"]] == ["k-pat"]
        assert found["cost"]["usd"] == pytest.approx(0.15), "the reply holds two statements"

    def test_what_it_took_the_place_of_says_so(self, home: Store, reader: MemoryReader) -> None:
        pattern, members = self.derived(home)
        assert {m["memory_id"] for m in explained(reader, home, pattern)["supersedes"]} == {
            m.memory_id for m in members
        }
        member = explained(reader, home, members[0])
        assert member["superseded_by"]["memory_id"] == pattern.memory_id
        assert member["superseded_by"]["content"] == "Builds fail again and again."
        assert member["versions"][-1]["reason"].startswith("part of the pattern")


class TestRelatives:
    def test_the_chain_of_a_fact_and_its_links(self, home: Store, reader: MemoryReader) -> None:
        old = home.memory("Lives in Berlin.")
        new = home.memory("Lives in Lisbon.", lineage_id=old.lineage_id)
        near = home.memory("Works in Lisbon.")
        home.change(old, Change.SUPERSEDE, status=Status.SUPERSEDED, superseded_by=new.memory_id, reason="moved")
        plain: dict[str, Any] = {f.name: "" for f in fields(Link)} | {**home.owner, "day": NOW.date(), "weight": 0.5}
        for source in (new, old):
            edge = {"source_id": source.memory_id, "target_id": near.memory_id, "relation": "related"}
            home.lake.append("links", [Link(**{**plain, **edge, "link_id": source.memory_id, "reason": "Lisbon"})])
        found = explained(reader, home, new)
        assert [m["content"] for m in found["lineage"]] == ["Lives in Berlin.", "Lives in Lisbon."]
        assert [m["memory_id"] for m in found["supersedes"]] == [old.memory_id] and found["superseded_by"] is None
        assert [(k["relation"], k["direction"], k["reason"], k["content"]) for k in found["links"]] == [
            ("related", "out", "Lisbon", "Works in Lisbon.")
        ]
        assert [k["direction"] for k in explained(reader, home, near)["links"]] == ["in", "in"]

    def test_links_are_those_of_reads_where_no_entities_are_asked_for(self, home: Store, reader: MemoryReader) -> None:
        lisbon, work = home.memory("Lives in Lisbon."), home.memory("Works in Lisbon.")
        edge = {"source_id": lisbon.memory_id, "target_id": work.memory_id, "relation": "related", "link_id": "l"}
        words = {"source_words": words_of(lisbon.content), "target_words": words_of(work.content)}
        plain: dict[str, Any] = {f.name: "" for f in fields(Link)} | {**home.owner, "day": NOW.date(), "weight": 0.5}
        home.lake.append("links", [Link(**{**plain, **edge, **words})])
        quick = reader.explain(work.memory_id, **home.owner, entities=False)["links"]
        assert quick == reader.explain(work.memory_id, **home.owner)["links"] and len(quick) == 1

    def test_what_is_forgotten_is_not_repeated_beside_others(self, home: Store, reader: MemoryReader) -> None:
        old = home.memory("Lives in Berlin.")
        new = home.memory("Lives in Lisbon.", lineage_id=old.lineage_id)
        edge = {"source_id": new.memory_id, "target_id": old.memory_id, "relation": "related", "link_id": "l"}
        plain: dict[str, Any] = {f.name: "" for f in fields(Link)} | {**home.owner, "day": NOW.date(), "weight": 0.5}
        home.lake.append("links", [Link(**{**plain, **edge})])
        home.change(old, Change.FORGET, status=Status.ARCHIVED, cause=Cause.MANUAL)
        found = explained(reader, home, new)
        assert found["links"] == [] and [m["content"] for m in found["lineage"]] == ["(forgotten)", "Lives in Lisbon."]

    def test_a_link_made_from_other_words_is_not_shown(self, home: Store, reader: MemoryReader) -> None:
        one, other = home.memory("Lives in Berlin."), home.memory("Works in Berlin.")
        edge = {"source_id": one.memory_id, "target_id": other.memory_id, "relation": "related", "link_id": "l"}
        plain: dict[str, Any] = {f.name: "" for f in fields(Link)} | {**home.owner, "day": NOW.date(), "weight": 0.5}
        home.lake.append("links", [Link(**{**plain, **edge, "source_words": "0123456789abcdef"})])
        assert explained(reader, home, one)["links"] == []

    def test_what_was_done_by_hand_is_listed_with_its_reason(self, home: Store, reader: MemoryReader) -> None:
        memory = home.memory("Lives in Lisbon.")
        home.change(memory, Change.EDIT, cause=Cause.MANUAL, reason="misheard", content="Lives in Lagos.")
        found = explained(reader, home, memory)
        (act,) = found["manual"]
        assert (act["change"], act["reason"], act["content"]) == ("edit", "misheard", "Lives in Lagos.")


class TestNotFound:
    def test_a_wrong_id_says_how_to_list_them(self, home: Store, reader: MemoryReader) -> None:
        with pytest.raises(NotFound, match="memory-pipeline memories --user") as caught:
            reader.explain("mem_nonsense", **home.owner)
        assert (caught.value.memory_id, caught.value.user_id) == ("mem_nonsense", home.owner["user_id"])

    def test_a_withdrawn_memory_says_when_and_by_what_run(self, home: Store, reader: MemoryReader) -> None:
        memory = home.memory("Lives in Lisbon.")
        at = memory.recorded_at.replace(year=2027)
        home.lake.append("memory_versions", [replace(memory, asserted=False, run_id="run-9", recorded_at=at)])
        with pytest.raises(NotFound, match=r"withdrawn on 2027-\d\d-\d\d by run run-9") as caught:
            reader.explain(memory.memory_id, **home.owner)
        assert (caught.value.memory_id, caught.value.run_id) == (memory.memory_id, "run-9")

    def test_somebody_else_s_memory_is_nobody_s(self, home: Store, reader: MemoryReader) -> None:
        theirs = home.of("bob").memory("Lives in Rome.")
        with pytest.raises(NotFound) as caught:
            reader.explain(theirs.memory_id, **home.owner)
        assert "Rome" not in str(caught.value)
