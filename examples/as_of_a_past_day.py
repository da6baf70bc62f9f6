"""The same question on two days of one life: what held then, and what holds now. Needs no key and no network.

python examples/as_of_a_past_day.py [HOME]
"""

from __future__ import annotations

import sys

from memory_pipeline import MemoryReader, Pipeline

SAID = [
    ("2026-01-12T08:00:00+00:00", "I live in Oslo."),
    ("2026-01-12T08:05:00+00:00", "I am a vegetarian."),
    ("2026-03-16T18:30:00+00:00", "I moved to Bergen."),
    ("2026-04-03T12:00:00+00:00", "I'm no longer vegetarian."),
]


def main(home: str) -> None:
    """Ask as of February, and as of now.

    Args:
        home: the folder that holds everything.
    """
    pipeline = Pipeline.open(home)
    pipeline.ingest(
        {"user_id": "ann", "session_id": at[:10], "role": "user", "content": text, "created_at": at}
        for at, text in SAID
    )
    pipeline.run()

    with MemoryReader.open(home) as reader:
        for day in ("2026-02-01", None):
            print("as of", day or "now")
            for memory in reader.memories(user_id="ann", status="active", as_of=day):
                print(" ", memory["content"])
            print("  where?", reader.ask("Where do I live?", user_id="ann", as_of=day).text)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "data/example")
