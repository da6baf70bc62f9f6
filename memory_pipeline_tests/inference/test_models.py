from __future__ import annotations

import subprocess
import sys

import pytest

from memory_pipeline.errors import SettingsError
from memory_pipeline.inference.builtin_encoder import BuiltinEncoder
from memory_pipeline.inference.hosted.openai_chat import OpenAIChat
from memory_pipeline.inference.hosted.openai_encoder import OpenAIEncoder
from memory_pipeline.inference.models import open_chat, open_encoder
from memory_pipeline.settings import Settings
from memory_pipeline_tests.protocol_server import ProtocolServer

IMPORTED = (
    "import sys, memory_pipeline.inference.models as m, memory_pipeline.inference.hosted.openai_chat, "
    "memory_pipeline.inference.hosted.openai_encoder, memory_pipeline.inference.builtin_encoder; "
    "print(*sorted({'openai', 'onnxruntime', 'tokenizers', 'numpy', 'jinja2', 'dagster'} & sys.modules.keys()))"
)


def test_the_embedded_models_are_the_default() -> None:
    from memory_pipeline.inference.builtin_chat import BuiltinChat

    assert isinstance(open_chat(Settings.load()), BuiltinChat)
    assert isinstance(open_encoder(Settings.load()), BuiltinEncoder)


def test_a_process_loads_the_embedded_encoder_once() -> None:
    assert open_encoder(Settings.load()) is open_encoder(Settings.load())


def test_hosted_models_are_opened_by_name(protocol_server: ProtocolServer) -> None:
    settings = Settings.load(chat="openai", chat_model="big", encoder="openai", encoder_model="wide")
    chat, encoder = open_chat(settings), open_encoder(settings)
    assert isinstance(chat, OpenAIChat) and chat.model == "big"
    assert isinstance(encoder, OpenAIEncoder) and encoder.model == "wide-1536"
    assert not protocol_server.calls, "opening makes no call"


def test_a_hosted_model_without_a_place_is_told_at_once() -> None:
    with pytest.raises(SettingsError, match="MEMORY_PIPELINE_CHAT=openai"):
        open_chat(Settings.load(chat="openai"))


def test_heavy_libraries_wait_until_they_are_needed() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
