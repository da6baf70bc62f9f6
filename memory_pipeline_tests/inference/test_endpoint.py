from __future__ import annotations

from pathlib import Path

import httpx2
import pytest
from openai import APIConnectionError, APIStatusError, APITimeoutError

from memory_pipeline.errors import ModelError, ReplyError, SettingsError
from memory_pipeline.inference.hosted.endpoint import Endpoint
from memory_pipeline.inference.hosted.retries import MalformedAnswer

REQUEST = httpx2.Request("POST", "http://localhost/v1/chat/completions")


def failure(error: Exception, endpoint: Endpoint | None = None) -> ModelError:
    endpoint = endpoint or Endpoint("http://gpu:8000/v1", "secret-key")
    return endpoint.failure(error, model="small", role="CHAT")


def refused(status: int, said: object) -> APIStatusError:
    return APIStatusError(f"Error code: {status}", response=httpx2.Response(status, request=REQUEST), body=said)


def test_a_key_alone_means_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    assert Endpoint.from_environment("X") == Endpoint(None, "secret-key")
    assert Endpoint.from_environment("X").url == "https://api.openai.com/v1"


def test_the_key_may_stand_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "key"
    file.write_text("key-in-a-file\n")
    monkeypatch.setenv("OPENAI_API_KEY_FILE", str(file))
    assert Endpoint.from_environment("X").api_key == "key-in-a-file"
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-its-own")
    assert Endpoint.from_environment("X").api_key == "key-of-its-own"
    monkeypatch.delenv("OPENAI_API_KEY")
    file.write_text(" \n")
    with pytest.raises(SettingsError, match=r"OPENAI_API_KEY_FILE: .*key is empty"):
        Endpoint.from_environment("X")


def test_a_base_url_alone_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:11434/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "")
    endpoint = Endpoint.from_environment("X")
    assert endpoint.keyless and endpoint.api_key
    assert endpoint.url == "http://localhost:11434/v1"


def test_with_neither_the_message_says_what_to_set() -> None:
    with pytest.raises(SettingsError, match="MEMORY_PIPELINE_CHAT=openai needs OPENAI_API_KEY, or OPENAI_BASE_URL"):
        Endpoint.from_environment("MEMORY_PIPELINE_CHAT=openai")


@pytest.mark.parametrize("text", ["localhost:8000/v1", "http://", "http://[::1/v1", "http://gpu:port/v1"])
def test_a_base_url_that_is_none_is_told_at_once(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", text)
    with pytest.raises(SettingsError, match="OPENAI_BASE_URL is no URL such as http"):
        Endpoint.from_environment("X")


def test_messages_name_the_url_without_credentials() -> None:
    endpoint = Endpoint("https://me:hush@gateway.example/v1?token=hush", "secret-key")
    message = str(failure(refused(401, {"message": "Incorrect API key provided: secret-key"}), endpoint))
    assert "https://gateway.example/v1" in message
    assert "hush" not in message and "secret-key" not in message


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (refused(401, None), "does not accept OPENAI_API_KEY; set a valid key"),
        (refused(403, {"message": "no access"}), r"denies this key the model small \(403\): no access"),
        (
            refused(404, {"message": "not found"}),
            "MEMORY_PIPELINE_CHAT_MODEL, and OPENAI_BASE_URL, which usually ends in",
        ),
        (refused(429, {"message": "slow down"}), "slow down; lower MEMORY_PIPELINE_CHAT_CONCURRENCY"),
        (refused(429, {"message": "pay", "code": "insufficient_quota"}), "pay; top it up"),
        (refused(400, {"message": "bad  thing"}), r"refused the request for small \(400\): bad thing"),
        (refused(422, {"detail": [{"loc": ["body", "n"]}]}), "'n'"),
        (
            refused(503, "<html>" + "x" * 1000),
            r"failed \(503\), also when asked again: <html>x{100,}…; run again later",
        ),
        (APITimeoutError(REQUEST), "did not answer in time.*MEMORY_PIPELINE_CHAT_TIMEOUT_S"),
        (TimeoutError(), "did not answer in time"),
        (APIConnectionError(request=REQUEST), "http://gpu:8000/v1 cannot be reached.*check OPENAI_BASE_URL"),
        (MalformedAnswer("no choices"), "does not answer like an OpenAI-compatible server.*ends in /v1"),
    ],
)
def test_every_failure_says_what_to_do(error: Exception, message: str) -> None:
    found = failure(error)
    assert not isinstance(found, ReplyError)
    with pytest.raises(ModelError, match=message):
        raise found


def test_without_a_key_the_message_says_so() -> None:
    with pytest.raises(ModelError, match="OPENAI_API_KEY is not set"):
        raise failure(refused(401, None), Endpoint("http://gpu:8000/v1", "not-needed"))


@pytest.mark.parametrize(
    "error",
    [
        refused(400, {"message": "too much", "code": "context_length_exceeded"}),
        refused(400, {"message": "the request exceeds the available context size"}),
        refused(400, {"message": "filtered", "code": "content_filter"}),
        refused(413, "Payload Too Large"),
    ],
)
def test_a_refusal_of_the_content_concerns_one_request_only(error: APIStatusError) -> None:
    assert isinstance(failure(error), ReplyError)
