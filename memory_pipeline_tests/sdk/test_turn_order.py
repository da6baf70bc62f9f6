"""In which order a turn is made of its parts, and what stands when one of them fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from memory_pipeline import Memory, SettingsError, StorageError
from memory_pipeline.domain.reading.recall import Payload
from memory_pipeline.sdk.model import Model
from memory_pipeline.sdk.results import Receipt

PARROT = "Try padel tonight."


def test_a_model_without_a_key_says_so() -> None:
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        Model("any").reply([{"role": "user", "content": "Hi."}], {})


class Recorded:
    """A way that only notes what is called."""

    def __init__(self, noted: list[str]) -> None:
        self.noted = noted
        self.full = False

    def do(self, call: str, given: Mapping[str, Any]) -> Any:
        self.noted.append(call)
        if call == "add" and self.full:
            raise StorageError("the disk is full")
        return Receipt(2, 0, 0) if call == "add" else Payload((), {}, (), 0, (), {}, "rec_1")

    async def ado(self, call: str, given: Mapping[str, Any]) -> Any:
        return self.do(call, given)

    def close(self) -> None:
        """Nothing is open."""

    async def aclose(self) -> None:
        """Nothing is open."""


class Parrot(Model):
    """A model that notes when it is asked."""

    def __init__(self, noted: list[str]) -> None:
        super().__init__("parrot")
        self.noted = noted

    def reply(self, prompt: Any, options: Any) -> tuple[str, str]:
        self.noted.append("model")
        return PARROT, "parrot"


def test_a_reply_waits_for_its_prompt_and_is_kept_after(caplog: pytest.LogCaptureFixture) -> None:
    noted: list[str] = []
    way = Recorded(noted)
    memory = Memory(way, Parrot(noted))
    assert memory.chat("Hi.", user_id="ann", session_id="s").kept == Receipt(2, 0, 0)
    assert noted == ["payload", "model", "add"], "no memory work before the reply"
    way.full = True
    reply = memory.chat("Hi.", user_id="ann", session_id="s")
    assert reply.text == PARROT and reply.kept is None, "whoever waits gets the reply"
    assert "the disk is full" in caplog.text
