from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memory_pipeline.domain.erasure import Reason
from memory_pipeline.errors import NotFound
from memory_pipeline.stages.messages.ingest import take_inbox
from memory_pipeline.stages.operations.erasure import erase as erasing
from memory_pipeline.stages.operations.erasure import partitions
from memory_pipeline.stages.operations.erasure.erase import complete, erase_named
from memory_pipeline.stages.operations.erasure.retention import aged_messages, due, retain
from memory_pipeline.storage.erasing.erasures import Erasures
from memory_pipeline_tests.stages.erasure.home import ALICE, NOW, SISTERS, Home

LATER = NOW + timedelta(hours=1)


class Killed(BaseException):
    """As a signal would have it."""


def test_the_next_run_completes_what_a_killed_process_began(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    others, calls = home.rows("bob"), 0
    rewrite = partitions.rewrite

    def few(*given: object) -> object:
        nonlocal calls
        calls += 1
        if calls > 7:
            raise Killed
        return rewrite(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(partitions, "rewrite", few)
    with pytest.raises(Killed):
        erase_named(home.ctx(LATER), ALICE)
    monkeypatch.undo()
    assert any(home.rows("alice").values()), "the lake is half done"
    assert home.reader().search("glass blower", user_id="alice") == [], "and no read finds anything"
    monkeypatch.setattr(erasing, "prove", _dying)
    with pytest.raises(Killed):
        complete(home.ctx(LATER))
    monkeypatch.undo()

    take_inbox(home.ctx(LATER))

    (certificate,) = Erasures(home.settings).certificates(ALICE)
    assert certificate["removed"]["messages"] == 7, "as there were at the beginning"
    assert certificate["proof"]["hits"] == certificate["proof"]["rows_left"] == 0
    assert certificate["proof"]["traces"] > 50
    assert home.rows("bob") == others
    raw = b"".join(p.read_bytes() for p in home.path.rglob("*") if p.is_file())
    assert SISTERS["alice"].encode() not in raw
    assert complete(home.ctx(LATER)) == []


def test_who_repeats_an_erasure_that_was_killed_gets_its_certificate(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasing, "prove", _dying)
    with pytest.raises(Killed):
        erase_named(home.ctx(LATER), ALICE)
    monkeypatch.undo()
    certificate = erase_named(home.ctx(LATER), ALICE)
    assert Erasures(home.settings).certificates(ALICE) == [certificate.to_dict()]
    assert certificate["removed"]["messages"] > 0
    with pytest.raises(NotFound):
        erase_named(home.ctx(LATER), ALICE)


def _dying(*given: object) -> None:
    raise Killed


def test_what_the_policy_keeps_no_longer_goes_with_a_certificate(home: Home) -> None:
    ctx = home.ctx(NOW + timedelta(days=3))
    assert retain(ctx) == {}, "off by default"
    aged = (ctx.now.date() - NOW.date().replace(month=3, day=4)).days
    policy, before = ctx.settings.policies, home.stale(ctx.now)
    kept = replace(policy.retention, messages_days=aged, quarantine_days=2)
    object.__setattr__(policy, "retention", kept)
    try:
        (alice, bob) = aged_messages(ctx)
        assert (alice.scope, len(alice.messages or ())) == (ALICE, 4)
        counts = due(ctx)
        assert counts["aged messages"] == 8
        assert counts["aged partitions of quarantined"] == 1
        assert retain(ctx)["aged messages"] == 8
        assert due(ctx) == {}
    finally:
        object.__setattr__(policy, "retention", replace(kept, messages_days=0, quarantine_days=0))
    told = [content for content, _, _ in home.told("alice")]
    assert "Is allergic to peanuts." in told
    assert not any("Porto" in content or "Lisbon" in content for content in told)
    certificates = Erasures(home.settings).certificates()
    assert {c["reason"] for c in certificates} == {str(Reason.RETENTION)}
    assert certificates[0]["proof"]["hits"] == 0
    assert home.stale(ctx.now) == before
