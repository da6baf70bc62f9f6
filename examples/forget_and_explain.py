"""Where a memory came from, and what becomes of it when the user wants it forgotten. Needs no key and no network.

python examples/forget_and_explain.py [HOME]
"""

from __future__ import annotations

import sys

from memory_pipeline import MemoryCurator, MemoryReader, Pipeline

SAID = [
    ("m-1", "2026-03-02T08:00:00+00:00", "My sister Nora lives in Lisbon."),
    ("m-2", "2026-03-02T08:01:00+00:00", "I take the bus to work."),
    ("m-3", "2026-03-05T08:00:00+00:00", "I play the cello in an orchestra."),
]


def main(home: str) -> None:
    """Explain a memory, forget it, and see that no read shows it or the message that said it.

    Args:
        home: the folder that holds everything.
    """
    pipeline = Pipeline.open(home)
    pipeline.ingest(
        {
            "user_id": "ann",
            "session_id": at[:10],
            "message_id": message_id,
            "role": "user",
            "content": text,
            "created_at": at,
        }
        for message_id, at, text in SAID
    )
    pipeline.run()

    with MemoryReader.open(home) as reader, MemoryCurator.open(home) as curator:
        hit = reader.search("orchestra", user_id="ann", k=1, layers=("semantic",))[0]
        why = reader.explain(hit.id, user_id="ann")
        print("memory:", why["memory"]["content"])
        print("verdict:", why["verdict"]["outcome"], why["verdict"]["reason"])
        for message in why["messages"]:
            print("rests on:", message["message_id"], "“" + message["quote"] + "”")

        curator.forget(hit.id, user_id="ann")
        left = reader.search("orchestra", user_id="ann", k=10)
        print("still found:", [item.id for item in left if item.id == hit.id or "cello" in item.content])
        for version in reader.explain(hit.id, user_id="ann")["versions"]:
            print("version", version["version"], version["cause"], version["status"])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "data/example")
