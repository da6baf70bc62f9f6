"""A chat with memory, against any OpenAI-compatible server: each line of the input is a turn, an empty line ends it.

    OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_API_KEY=none CHAT_MODEL=llama3.1 \\
        python examples/chat_with_memory.py ann [HOME]

The server answers the turns; memories are made by the embedded default, or by what MEMORY_PIPELINE_CHAT says.
"""

from __future__ import annotations

import os
import sys
import uuid
from datetime import UTC, datetime

from openai import OpenAI

from memory_pipeline import MemoryReader, Pipeline


def main(user_id: str, home: str) -> None:
    """Talk until the input ends, then remember.

    Args:
        user_id: whose memory it is.
        home: the folder that holds everything.
    """
    client, model, session_id = OpenAI(), os.environ.get("CHAT_MODEL", "gpt-4o-mini"), uuid.uuid4().hex
    history: list[dict[str, str]] = []
    said: list[dict[str, str]] = []

    def keep(role: str, content: str) -> None:
        history.append({"role": role, "content": content})
        at = datetime.now(UTC).isoformat()
        said.append({"user_id": user_id, "session_id": session_id, "role": role, "content": content, "created_at": at})

    with MemoryReader.open(home) as reader:
        for line in sys.stdin:
            if not (text := line.strip()):
                break
            prompt = reader.payload(text, user_id=user_id, session_id=session_id, history=history)
            reply = client.chat.completions.create(model=model, messages=[dict(m) for m in prompt.messages])
            answer = reply.choices[0].message.content or ""
            print(answer)
            keep("user", text)
            keep("assistant", answer)

    if said:
        pipeline = Pipeline.open(home)
        pipeline.ingest(said)
        pipeline.run()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "data/example")
