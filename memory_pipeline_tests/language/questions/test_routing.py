"""Which messages are questions to memory alone."""

from __future__ import annotations

import pytest

from memory_pipeline.language.questions.routing import asks_memory


@pytest.mark.parametrize(
    "message",
    [
        "Where do I live?",
        "Do you remember my sister's name?",
        "Thanks! And when is my flight?",
        "Remind me what I said about the boiler.",
        "Summarize what you know about me.",
        "What did you recommend for the headache?",
        "Tell me about my family.",
        "Does Tom like padel?",
        "Have I ever been to Rome?",
        "Wo wohne ich?",
    ],
)
def test_questions_of_the_users_own_past(message: str) -> None:
    assert asks_memory(message)


@pytest.mark.parametrize(
    "message",
    [
        "I moved to Lisbon last week.",
        "What should I cook tonight?",
        "What is the capital of France?",
        "How do I reverse a list in Python?",
        "Remind me to call the dentist on Friday.",
        "Summarize this article: the sea is blue.",
        "Why do I feel tired?",
        "Can I eat this cake?",
        "What do you think about my plan to move?",
        "Could you help me with my homework?",
        "Write a poem about my dog.",
        "How are you?",
        "Ich bin allergisch gegen Nüsse.",
        "",
    ],
)
def test_turns_for_a_chat_model(message: str) -> None:
    assert not asks_memory(message)
