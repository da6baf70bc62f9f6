"""Two or three messages in the format of each data set, written where its authors' files would lie."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write(place: Path, name: str, content: Any) -> None:
    file = place / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def locomo(place: Path) -> None:
    turns = [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "I adopted a greyhound."},
        {"speaker": "Bo", "dia_id": "D1:2", "text": "Lovely!", "blip_caption": "a photo of a violin"},
    ]
    conversation = {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_1": turns,
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "We went to the lake."}],
        "session_2_date_time": "9:00 am on 9 May, 2023",
    }
    qa = [
        {"question": "What did Ann adopt?", "evidence": ["D1:1"], "category": 4, "answer": "a greyhound"},
        {"question": "Where and what?", "evidence": ["D1:01; D2:1"], "category": 1, "answer": "…"},
        {"question": "Unanswerable?", "evidence": ["D1:1"], "category": 5},
        {"question": "Cites nothing that exists?", "evidence": ["D9:9"], "category": 4, "answer": "…"},
    ]
    write(place, "locomo/locomo10.json", [{"sample_id": "conv-26", "conversation": conversation, "qa": qa}])


def longmemeval(place: Path, variant: str = "s") -> None:
    told = [{"role": "user", "content": "I adopted a greyhound.", "has_answer": True}]
    other = [
        {"role": "user", "content": "How do I tune a violin?"},
        {"role": "assistant", "content": "Start with the A string."},
    ]
    plain = {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "What did I adopt?",
        "answer": "a greyhound",
        "question_date": "2023/05/30 (Tue) 10:00",
        "haystack_dates": ["2023/05/21 (Sun) 09:00", "2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["answer_1", "noise_1"],
        "haystack_sessions": [told, other],
        "answer_session_ids": ["answer_1"],
    }
    write(place, f"longmemeval/longmemeval_{variant}.json", [plain, {**plain, "question_id": "q2_abs"}])


def beam(place: Path) -> None:
    turns = [
        {"id": 0, "role": "user", "content": "I adopted a greyhound. ->-> 1,2", "time_anchor": "March-15-2024"},
        {"id": 1, "role": "assistant", "content": "Congratulations!"},
    ]
    write(place, "beam/chats/100K/3/chat.json", [{"batch_number": 1, "time_anchor": None, "turns": [turns]}])
    probes = {
        "information_extraction": [{"question": "What did I adopt?", "source_chat_ids": [0]}],
        "knowledge_update": [
            {"question": "And then?", "source_chat_ids": {"original": [0], "updated": 1, "bad": [77]}}
        ],
        "abstention": [{"question": "What is unknown?", "source_chat_ids": [0]}],
    }
    write(place, "beam/chats/100K/3/probing_questions/probing_questions.json", probes)


def halumem(place: Path) -> None:
    def session(day: int, text: str, questions: list[dict[str, Any]]) -> dict[str, Any]:
        when = f"Sep {day:02}, 2025, 10:00:00"
        return {
            "end_time": f"Sep {day:02}, 2025, 10:05:00",
            "dialogue": [{"role": "user", "content": text, "timestamp": when}],
            "memory_points": [{"memory_content": text}],
            "questions": questions,
        }

    asked = {"question": "What pet?", "question_type": "Basic Fact Recall", "answer": "…", "difficulty": "easy"}
    first = session(1, "I adopted a greyhound.", [])
    second = session(2, "I bought a boat.", [{**asked, "evidence": [{"memory_content": "I adopted a greyhound."}]}])
    third = session(3, "I sold the boat.", [{**asked, "evidence": []}])
    write(place, "halumem/users.jsonl", {"uuid": "u1", "sessions": [first, second, third]})


def fact_consolidation(place: Path) -> None:
    context = (
        "Facts:\n1. The capital of Elbonia is Mudville.\n2. Ann plays chess.\n3. The capital of Elbonia is Drytown.\n"
    )
    entry = {
        "metadata": {"source": "factconsolidation_sh_6k", "qa_pair_ids": ["f1", "f2"]},
        "context": context,
        "questions": ["What is the capital of Elbonia?", "Who is unknown?"],
        "answers": [["Drytown"], ["Nobody"]],
    }
    write(place, "mab/Conflict_Resolution.json", [entry])


def memdaily(place: Path) -> None:
    story = {
        "tid": 7,
        "message_list": [
            {"mid": 0, "message": "我领养了一只灰狗。", "time": "2024年03月15日 09时30分", "place": "…"},
            {"mid": 1, "message": "今天下雨。", "time": "2024年03月16日 09时30分", "place": "…"},
        ],
        "question_list": [
            {"qid": 0, "question": "我领养了什么？", "target_step_id": [0, 0], "time": "2024年03月17日 09时30分"}
        ],
    }
    write(place, "memsim/01_simple_events.json", [story])
