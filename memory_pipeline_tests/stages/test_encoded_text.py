from __future__ import annotations

import pytest

from memory_pipeline.settings import Settings
from memory_pipeline.stages.messages.index_messages import encoded_text
from memory_pipeline_tests.factories import NOON, message

LONG = "word " * 400


@pytest.mark.parametrize(
    ("role", "speaker", "characters"),
    [("user", None, 1200), ("assistant", None, 320), ("assistant", "assistant", 320), ("assistant", "Melanie", 1200)],
)
def test_of_a_reply_the_beginning_is_encoded(role: str, speaker: str | None, characters: int) -> None:
    policy = Settings.load().policies.retrieval
    whole = f"{speaker}: {LONG}" if speaker == "Melanie" else LONG
    assert encoded_text(message(LONG, NOON, role=role, speaker=speaker), policy) == whole[:characters]
