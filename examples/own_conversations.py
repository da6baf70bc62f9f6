"""Messages of your own become memories, and a question finds them. Needs no key and no network.

python examples/own_conversations.py [HOME]
"""

from __future__ import annotations

import sys

from memory_pipeline import MemoryReader, Pipeline

SAID = [
    ("2026-03-02T08:00:00+00:00", "I live in Oslo and I work as a nurse."),
    ("2026-03-02T08:01:00+00:00", "I am allergic to hazelnuts."),
    ("2026-03-09T19:00:00+00:00", "I have to renew my passport by 30 March."),
    ("2026-03-16T18:30:00+00:00", "I moved to Bergen yesterday."),
]


def main(home: str) -> None:
    """Take the messages, make memories of them, read them.

    Args:
        home: the folder that holds everything.
    """
    messages = [
        {"user_id": "ann", "session_id": at[:10], "role": "user", "content": text, "created_at": at}
        for at, text in SAID
    ]
    pipeline = Pipeline.open(home)
    print(pipeline.ingest(messages).taken, "messages taken")
    pipeline.run()

    with MemoryReader.open(home) as reader:
        for memory in reader.memories(user_id="ann"):
            print(memory["status"], memory["type"], memory["content"], sep=" | ")
        best = reader.search("what must she not eat?", user_id="ann", k=1, layers=("semantic",))[0]
        print("found:", best.content)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "data/example")
