"""CPU time of the builtin extractor per message, over the sample transcripts. Prints JSON."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import UTC, datetime

from benchmarks.samples import sample_messages
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.window import windows
from memory_pipeline.inference.builtin_chat import BuiltinChat
from memory_pipeline.settings import Settings
from memory_pipeline.stages.extraction.extract import request_for


def measure(rounds: int = 3) -> dict[str, float | int]:
    """Best of some rounds, after one to warm up."""
    messages: list[Message] = sample_messages(datetime.now(UTC))
    requests = [request_for(w, inside, ()) for w, inside in windows(messages, Settings.load().policies.window)]
    chat = BuiltinChat()

    async def all_windows() -> int:
        replies = [await chat.complete(request) for request in requests]
        return sum(len(w.proposals) for r in replies for w in r.value.windows)

    proposals = asyncio.run(all_windows())
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        asyncio.run(all_windows())
        best = min(best, time.process_time() - start)
    return {
        "messages": len(messages),
        "windows": len(requests),
        "proposals": proposals,
        "cpu_ms_per_message": round(1000 * best / len(messages), 3),
    }


if __name__ == "__main__":
    print(json.dumps(measure()))
