"""How long a run is going to take, by what earlier ones took."""

from datetime import date

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.orchestration.runs.durations import per_partition
from memory_pipeline.orchestration.runs.look_ahead import time_of
from memory_pipeline.settings import Settings, unknown_variables
from memory_pipeline.stages.plan.forecast import Span

DAYS = [date(2026, 3, 1), date(2026, 3, 2)]


def test_seconds_for_a_partition_are_those_of_all_runs_together() -> None:
    taken = {"one": {"memories": 6.0, "transcripts": 3.0}, "other": {"memories": 2.0}}
    found = per_partition(taken, [("one", "memories", 3), ("other", "memories", 1), ("gone", "memories", 9)])
    assert (found.seconds, found.runs) == ({"memories": 2.0}, 2)


def test_stages_that_were_never_measured_go_by_the_policy_and_wait_for_their_calls() -> None:
    settings = Settings.load()
    policy = settings.policies.forecast
    spans = [Span(Grain.DAY, ("memories",), DAYS)]
    assert time_of(spans, {"memories": 2.0}, 8, settings, policy) == 4.0
    waits = 8 * policy.seconds_of_call / settings.chat_concurrency
    assert time_of(spans, {}, 8, settings, policy) == 2 * policy.seconds["memories"] + waits


def test_variables_of_a_service_in_kubernetes_are_no_misspelt_settings() -> None:
    given = ["MEMORY_PIPELINE_SERVICE_HOST", "MEMORY_PIPELINE_PORT_8300_TCP_ADDR", "MEMORY_PIPELINE_HOME", "PATH"]
    assert unknown_variables(given) == []
    assert unknown_variables(["MEMORY_PIPELINE_CHATMODEL", "MEMORY_PIPELINE_X"]) == [
        ("MEMORY_PIPELINE_CHATMODEL", "MEMORY_PIPELINE_CHAT_MODEL"),
        ("MEMORY_PIPELINE_X", None),
    ]
