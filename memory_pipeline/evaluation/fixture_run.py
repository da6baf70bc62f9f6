"""The fixtures, played in three phases: what is stored and found, what a second run adds, and what others see (DL-31).

All fixtures of a day share one home, each with users of its own, so that every stage runs a few times in all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from memory_pipeline.errors import EvaluationError
from memory_pipeline.evaluation.fixture import Act, Fixture
from memory_pipeline.evaluation.fixture_checks import reads, stored
from memory_pipeline.evaluation.fixture_home import FixtureHome, lines, open_home, session_name
from memory_pipeline.evaluation.fixture_isolation import Owners, copies, isolated
from memory_pipeline.evaluation.fixture_loading import FOLDER, load_fixtures
from memory_pipeline.evaluation.fixture_match import faults, match, shown
from memory_pipeline.evaluation.fixture_report import FixtureReport, Outcome
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import Progress, silent

_AGAIN = "again:"


def run_fixtures(
    names: Collection[str] | None = None,
    settings: Settings | None = None,
    progress: Progress = silent,
    folder: Path = FOLDER,
) -> FixtureReport:
    """Play all fixtures, or some by name, in temporary homes.

    Args:
        settings: the models and policies to play them with; the home is not touched. The builtin models by default.
        progress: called with the phase, the fixtures done and their number.

    Raises:
        EvaluationError: a fixture is not of the format, or there is none of a name.
        ModelError: a model that the settings name cannot be reached.
    """
    fixtures = load_fixtures(folder, names)
    report = FixtureReport([f.name for f in fixtures])
    by_day: dict[datetime, list[Fixture]] = defaultdict(list)
    for fixture in fixtures:
        by_day[fixture.today].append(fixture)
    for today, group in sorted(by_day.items()):
        with open_home(settings, today) as home:
            _played(home, group, report, progress)
            _remembered(home, group, report, progress)
            _apart(home, group, report, progress)
            _twice(home, group, report, progress)
    return report


# -- phase 1


def _played(home: FixtureHome, fixtures: Sequence[Fixture], report: FixtureReport, progress: Progress) -> None:
    """Everything that happens; the copies for phase 3 are there from the start, as other people would be."""
    progress("fixtures: conversations", 0, None)
    home.take(chain(chain.from_iterable(lines(f, f.chats) for f in fixtures), copies(fixtures)))
    acts = [(fixture, act) for fixture in fixtures for act in fixture.acts]
    for fixture, act in sorted(acts, key=lambda pair: pair[1].at):
        report.outcomes += _done(home, fixture, act)
    late = list(chain.from_iterable(lines(f, f.late) for f in fixtures))
    if late:
        home.take(late)
    home.let_time_pass()
    home.now = home.today


def _remembered(home: FixtureHome, fixtures: Sequence[Fixture], report: FixtureReport, progress: Progress) -> None:
    everyone = [scope for f in fixtures for scope in f.everyone()]
    memories, verdicts = home.memories(everyone), home.verdicts()
    report.stored += sum(map(len, memories.values()))
    for n, fixture in enumerate(fixtures):
        progress("fixtures: memories and reads", n, len(fixtures))
        matching = match(fixture, memories)
        report.outcomes += stored(fixture, matching, memories, verdicts)
        report.outcomes += reads(home, fixture, matching.labelled(fixture))
    progress("fixtures: memories and reads", len(fixtures), len(fixtures))


def _done(home: FixtureHome, fixture: Fixture, act: Act) -> list[Outcome]:
    """An act of the user's own hand, at its time. An outcome only where the memory it is meant for is not there."""
    scope = act.scope(fixture.name)
    owner: dict[str, Any] = {"user_id": scope.user_id, "tenant_id": scope.tenant_id}
    home.now = act.at.replace(tzinfo=ZoneInfo(fixture.timezone))
    if act.act == "read":
        session = None if act.chat is None else session_name(fixture, act.chat)
        home.reader.context(act.message or "", session_id=session, **owner)
        return []
    if act.act == "remember":
        home.curator.remember(act.to or "", **owner, **act.fields)
        return []
    if act.target is None:
        raise EvaluationError(f"fixture {fixture.name!r}: {act.act} has no target")
    held = home.memories([scope])[scope]
    meant = [m for m in held if not faults(fixture, act.target, m, act.target.status)]
    if len(meant) != 1:
        found = "; ".join(map(shown, meant or held)) or "nothing is remembered"
        return [Outcome(fixture.name, "act", False, f"one memory to {act.act}: {act.target.told()}", found)]
    words = (act.to or "",) if act.act == "edit" else ()
    getattr(home.curator, act.act)(meant[0].memory_id, *words, **owner)
    return [Outcome(fixture.name, "act", True, act.act)]


# -- phase 3


def _apart(home: FixtureHome, fixtures: Sequence[Fixture], report: FixtureReport, progress: Progress) -> None:
    """No read of anybody has a row of those who have said the same."""
    owners = Owners.of(home)
    for n, fixture in enumerate(fixtures):
        progress("fixtures: isolation", n, len(fixtures))
        outcomes = list(isolated(home, fixture, owners))
        report.reads += len(outcomes)
        report.leaks += sum(len(o.found.split(", ")) for o in outcomes if not o.met)
        report.outcomes += outcomes
    progress("fixtures: isolation", len(fixtures), len(fixtures))


# -- phase 2


def _twice(home: FixtureHome, fixtures: Sequence[Fixture], report: FixtureReport, progress: Progress) -> None:
    """Everything told again in other chats, over the first run's memories (DL-33).

    The days are worked through once more for everybody: of those who told nothing again, nothing may change.
    """
    progress("fixtures: duplicates", 0, None)
    everyone = [scope for f in fixtures for scope in f.everyone()]
    before, rows = home.memories(everyone), home.ledger_rows()
    home.take(chain.from_iterable(lines(f, [*f.chats, *f.late], mark=_AGAIN) for f in fixtures))
    silent_ones = {scope: n for scope, n in home.ledger_rows().items() if scope not in set(everyone)}
    added = sum(n - rows.get(scope, 0) for scope, n in silent_ones.items())
    report.rerun_changes += added
    report.outcomes.append(Outcome("*", "rerun", not added, "no rows by an identical run", f"{added} rows"))
    after = home.memories(everyone)
    for fixture in fixtures:
        for scope in fixture.everyone():
            known = {m.memory_id for m in before[scope]}
            for memory in after[scope]:
                if memory.memory_id not in known:
                    report.duplicates += 1
                    report.outcomes.append(
                        Outcome(fixture.name, "duplicate", False, "nothing new when told again", shown(memory))
                    )
