"""A fold that is done again from the first open question comes to what a fold from the start comes to."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

from benchmarks.homes import open_home, take
from benchmarks.lives import people
from benchmarks.nights import START
from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.chat import ChatReply, Usage
from memory_pipeline.inference.replies import Judgement, JudgeReply
from memory_pipeline.stages.consolidation.judge import Case
from memory_pipeline.stages.consolidation.replay import Replay
from memory_pipeline.stages.consolidation.replay_inputs import replays
from memory_pipeline.stages.extraction.extract import extract

_DAYS = 40


class _FromTheStart(Replay):
    def _begin(self, first: date, last: date) -> date:
        self._mark = None
        return super()._begin(first, last)


def _answer(case: Case) -> ChatReply[JudgeReply]:
    """Of a judge that is of another mind than the rules: what it says changes what is asked about the days after."""
    action = "none" if int(case.key[-1], 16) % 2 else "add"
    reply = JudgeReply([Judgement("c1", "as it is", None, action, closes=sorted(case.ids))])
    return ChatReply(reply, "", "judge", Usage(), key=case.key)


def _settled(replay: Replay, first: date, last: date) -> list[int]:
    """Fold until nothing is open. Returns the number of questions of each round."""
    asked = []
    while cases := replay.fold(first, last):
        asked.append(len(cases))
        for case in cases:
            replay.learn(case, _answer(case))
    return asked


def test_both_come_to_the_same(tmp_path: Path) -> None:
    (person,) = people(1, activity=0.9)
    ctx = open_home(str(tmp_path))
    take(ctx, [line for n in range(_DAYS) for line in person.day(START + timedelta(days=n))])
    extract(ctx, ctx.lake.days("messages"))
    last = START + timedelta(days=_DAYS)
    (embedded,) = replays(ctx, [Scope("default", person.name)], ctx.lake.days("proposals"), ())
    found = []
    for kind in (Replay, _FromTheStart):
        replay = kind(ctx, embedded.history, embedded._vectors)
        asked = _settled(replay, START, last)
        found.append((asked, [v.version_id for v in replay.asserted], dict(replay.verdicts), replay.covered))
    assert found[0] == found[1]
    assert len(found[0][0]) > 1, "answers gave rise to questions"
    assert embedded.fold(START, last) == [] and embedded.asserted, "a judge in the process is asked on the way"
