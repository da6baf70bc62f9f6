from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.stages.messages.importers import Record, Skipped
from memory_pipeline_tests.stages.importers.reading import items_of

DAY = 86_400.0
MARCH_2 = 1772442900.0


def conversation(name: str, at: float | None, *, about: str, answers: str = "", plain: bool = True) -> dict[str, Any]:
    """A conversation that carries custom instructions, with the user's words beside ChatGPT's, or only within them."""
    wrapped = {
        "content_type": "user_editable_context",
        "user_profile": f"The user provided the following information about themselves.\nUser profile:\n```{about}```",
        "user_instructions": f"How they would like you to respond:\n```{answers}```",
    }
    given = {"about_user_message": about, "about_model_message": answers}
    message = {
        "id": f"{name}-context",
        "author": {"role": "user"},
        "create_time": None,
        "content": wrapped,
        "metadata": {
            "is_visually_hidden_from_conversation": True,
            **({"user_context_message_data": given} if plain else {}),
        },
    }
    said = {
        "id": f"{name}-1",
        "author": {"role": "user"},
        "create_time": at,
        "content": {"content_type": "text", "parts": ["Good morning."]},
    }
    return {
        "conversation_id": name,
        "create_time": at,
        "current_node": "b",
        "mapping": {
            "a": {"parent": None, "children": ["b"], "message": message},
            "b": {"parent": "a", "children": [], "message": said},
        },
    }


def notes(document: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    found = [i.fields for i in items_of(document, "chatgpt", folder) if isinstance(i, Record)]
    return [dict(fields) for fields in found if fields["content"] != "Good morning."]


@pytest.mark.parametrize("plain", [True, False])
def test_what_the_user_wrote_are_notes_of_the_day_that_first_shows_them(tmp_path: Path, plain: bool) -> None:
    # An export lists the latest conversation first.
    document = [
        conversation(f"c{n}", MARCH_2 + n * DAY, about="I am a nurse.", answers="Be brief.", plain=plain)
        for n in (2, 1, 0)
    ]
    found = notes(document, tmp_path)
    assert [(n["role"], n["content"], n["created_at"].date().isoformat(), n["message_id"]) for n in found] == [
        ("user", "I am a nurse.", "2026-03-02", "c0-context/user_profile"),
        ("user", "Be brief.", "2026-03-02", "c0-context/user_instructions"),
    ]
    assert {n["session_id"] for n in found} == {"custom-instructions"}
    assert items_of(document, "chatgpt", tmp_path).count(Skipped("a copy of the custom instructions")) == 4


def test_a_changed_text_is_a_new_note_and_so_is_one_that_returns(tmp_path: Path) -> None:
    texts = ("I am a nurse.", "I am a teacher.", "I am a teacher.", "", "I am a teacher.", "I am a nurse.")
    document = [conversation(f"c{n}", MARCH_2 + n * DAY, about=text) for n, text in enumerate(texts)]
    assert [(n["content"], n["created_at"].day) for n in notes(document, tmp_path)] == [
        ("I am a nurse.", 2),
        ("I am a teacher.", 3),
        ("I am a teacher.", 6),
        ("I am a nurse.", 7),
    ]


def test_without_any_time_they_are_left_out(tmp_path: Path) -> None:
    found = items_of([conversation("c", None, about="I am a nurse.")], "chatgpt", tmp_path)
    assert Skipped("custom instructions without a time") in found
