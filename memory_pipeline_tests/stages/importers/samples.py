"""One small file of each foreign format, written by hand."""

from __future__ import annotations

from typing import Any

OPENAI: dict[str, Any] = {
    "id": "chat-1",
    "user": "alice",
    "created": 1772442900,
    "model": "gpt-4o-mini",
    "messages": [
        {"role": "developer", "content": "Be brief."},
        {
            "role": "user",
            "name": "Alice",
            "content": [
                {"type": "text", "text": "What is on this picture?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            ],
            "created_at": "2026-03-02T09:16:00Z",
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at":"picture"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "a cat", "created_at": 1772443020},
        {"role": "assistant", "content": "A cat.", "id": "msg-5", "created_at": 1772443030500},
    ],
}


def _node(name: str, parent: str | None, children: list[str], message: dict[str, Any] | None) -> dict[str, Any]:
    return {"id": name, "parent": parent, "children": children, "message": message}


def _said(name: str, role: str, parts: list[Any], at: float | None, **more: Any) -> dict[str, Any]:
    kind = more.pop("content_type", "text")
    return {
        "id": name,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "content": {"content_type": kind, "parts": parts},
        "metadata": {},
        **more,
    }


CHATGPT: list[dict[str, Any]] = [
    {
        "title": "Moving to Lisbon",
        "create_time": 1772442900.5,
        "update_time": 1772443900.5,
        "conversation_id": "conv-1",
        "current_node": "n6",
        "mapping": {
            "root": _node("root", None, ["n1"], None),
            "n1": _node("n1", "root", ["n2"], _said("n1", "system", [""], None)),
            "n2": _node("n2", "n1", ["n3", "n3b"], _said("n2", "user", ["I moved to Lisbon."], 1772442901.25)),
            "n3": _node("n3", "n2", [], _said("n3", "assistant", ["The discarded answer."], 1772442905.0)),
            "n3b": _node(
                "n3b",
                "n2",
                ["n4"],
                _said("n3b", "assistant", ["How nice!"], 1772442906.0, metadata={"model_slug": "gpt-5"}),
            ),
            "n4": _node(
                "n4",
                "n3b",
                ["n5"],
                _said("n4", "user", ["Hidden."], 1772442910.0, metadata={"is_visually_hidden_from_conversation": True}),
            ),
            "n5": _node(
                "n5",
                "n4",
                ["n6"],
                _said(
                    "n5",
                    "user",
                    [{"content_type": "image_asset_pointer", "asset_pointer": "file://x"}, "This is my flat."],
                    None,
                    content_type="multimodal_text",
                ),
            ),
            "n6": _node("n6", "n5", [], _said("n6", "assistant", ["Lovely."], 1772442930.0)),
        },
    }
]

CLAUDE: list[dict[str, Any]] = [
    {
        "uuid": "conv-1",
        "name": "Dinner plans",
        "created_at": "2026-03-02T09:15:00.000000Z",
        "updated_at": "2026-03-02T09:20:00.000000Z",
        "account": {"uuid": "account-1"},
        "chat_messages": [
            {
                "uuid": "m-1",
                "text": "I am allergic to peanuts.",
                "content": [{"type": "text", "text": "I am allergic to peanuts."}],
                "sender": "human",
                "created_at": "2026-03-02T09:15:01.000000Z",
                "attachments": [{"file_name": "menu.txt", "extracted_content": "…"}],
                "files": [],
            },
            {
                "uuid": "m-2",
                "text": "",
                "content": [
                    {"type": "thinking", "thinking": "Peanuts, hm."},
                    {"type": "text", "text": "Noted."},
                    {"type": "tool_use", "name": "search", "input": {}},
                    {"type": "text", "text": "How about pasta?"},
                ],
                "sender": "assistant",
                "created_at": "2026-03-02T09:15:09.000000Z",
            },
            {"uuid": "m-3", "text": "Yes.", "sender": "human", "created_at": "2026-03-02T09:16:00.000000Z"},
            {"uuid": "m-4", "text": "", "content": [], "sender": "assistant", "created_at": "2026-03-02T09:16:01Z"},
        ],
    }
]

LOCOMO: list[dict[str, Any]] = [
    {
        "qa": [{"question": "Who paints?", "answer": "Mia", "evidence": ["D1:1"], "category": 1}],
        "conversation": {
            "speaker_a": "Mia",
            "speaker_b": "Jon",
            "session_10_date_time": "12:05 am on 1 January, 2024",
            "session_10": [{"speaker": "Jon", "dia_id": "D10:1", "text": "Happy new year!"}],
            "session_2_date_time": "1:56  pm on 8 May, 2023",
            "session_2": [
                {"speaker": "Mia", "dia_id": "D2:1", "text": "I painted a lake."},
                {
                    "speaker": "Jon",
                    "dia_id": "D2:2",
                    "text": "Look at this!",
                    "img_url": ["https://example.org/x.jpg"],
                    "blip_caption": "a photo of a boat",
                },
                {"speaker": "Mia", "dia_id": "D2:3", "text": "Great."},
            ],
            "session_3_date_time": "2:00 pm on 9 May, 2023",
        },
        "sample_id": "conv-1",
    }
]

LONGMEMEVAL: list[dict[str, Any]] = [
    {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Which tea do I like?",
        "question_date": "2023/05/30 (Tue) 08:00",
        "answer": "Oolong",
        "answer_session_ids": ["a"],
        "haystack_dates": ["2023/05/23 (Tue) 18:02", "2023/05/20 (Sat) 02:21", "2023/05/24 (Wed) 00:00"],
        "haystack_session_ids": ["a", "b", "a"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I like oolong best.", "has_answer": True},
                {"role": "assistant", "content": "A fine choice."},
            ],
            [{"role": "user", "content": "Good night."}],
            [{"role": "user", "content": "Again the same session."}],
        ],
    },
    {
        "question_id": "q2",
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["b"],
        "haystack_sessions": [[{"role": "user", "content": "Good night."}]],
    },
]

DOCUMENTS: dict[str, Any] = {
    "openai": OPENAI,
    "chatgpt": CHATGPT,
    "claude": CLAUDE,
    "locomo": LOCOMO,
    "longmemeval": LONGMEMEVAL,
}
