"""The Batch API path over real HTTP: one batch for what is asked together, restarts, everything that can go wrong."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.errors import BatchError, ModelError, ReplyError, SettingsError
from memory_pipeline.inference.batches import batch_jobs
from memory_pipeline.inference.batches.batch import BatchChat
from memory_pipeline.inference.batches.batch_files import split
from memory_pipeline.inference.batches.batch_records import BatchRecords
from memory_pipeline.inference.chat import ChatReply, ChatRequest
from memory_pipeline.inference.hosted.openai_chat import OpenAIChat
from memory_pipeline.inference.hosted.structured_output import UnfitReply
from memory_pipeline.inference.prompts import Prompts
from memory_pipeline.inference.replies import SummaryReply, dump
from memory_pipeline.settings import Settings
from memory_pipeline_tests.inference.sample_requests import inputs, request
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import (
    RESET,
    UNENDING,
    Call,
    Course,
    Step,
    ends,
    fails,
    invalid,
    refuses,
    says,
    spoilt,
)

CREATE, UPLOAD = "POST /v1/batches", "POST /v1/files"
PROMPTS = Prompts()
Told = list[tuple[str, int, int | None]]


def make(home: Path, told: Told | None = None, *, submit: bool = True, **given: Any) -> BatchChat:
    """A new object, as a new process would make it."""
    quick: dict[str, Any] = {"chat_batch_poll_s": 0.01, "chat_retries": 1, "chat_input_usd": 1.0, **given}
    settings = Settings.load(home=str(home), chat="openai", chat_model="small", **quick)
    tell = (lambda *event: told.append(event)) if told is not None else (lambda *_: None)
    return BatchChat(OpenAIChat(settings, PROMPTS), settings, tell, submit=submit)


def numbered(number: int) -> ChatRequest[SummaryReply]:
    """A request whose reply says its number."""
    asked = request("rolling_summary")
    return replace(asked, inputs=inputs(f"This is number {number}.")["rolling_summary"])


def ask(chat: BatchChat, numbers: Sequence[int] = range(4)) -> list[ChatReply[Any] | BaseException]:
    async def together() -> list[Any]:
        return await asyncio.gather(*(chat.complete(numbered(n)) for n in numbers), return_exceptions=True)

    return asyncio.run(together())


def texts(replies: Sequence[ChatReply[Any] | BaseException]) -> list[str]:
    """What the replies say; fails for errors."""
    for reply in replies:
        if isinstance(reply, BaseException):
            raise reply
    return [reply.value.text for reply in replies if isinstance(reply, ChatReply)]


def kill(chat: BatchChat, server: ProtocolServer, once: str) -> None:
    """Ask, and stop everything as soon as the server has had some request."""

    async def impatient() -> None:
        tasks = [asyncio.create_task(chat.complete(numbered(n))) for n in range(4)]
        while not server.batches.count(once):
            await asyncio.sleep(0.005)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(impatient())


def expected(count: int = 4) -> list[str]:
    return [f"This is number {n}." for n in range(count)]


def test_what_is_asked_together_is_one_batch(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    told: Told = []
    assert texts(ask(make(tmp_path, told))) == expected()
    batches = protocol_server.batches
    assert not protocol_server.calls, "no live call"
    assert len(batches.lines) == 4 and len(batches.shown) == batches.count(UPLOAD) == batches.count(CREATE) == 1
    assert ("batch batch_1", 4, 4) in told and all(total == 4 for _, _, total in told)
    (shown,) = batches.shown
    assert (shown["endpoint"], shown["completion_window"]) == ("/v1/chat/completions", "24h")


def test_a_line_is_what_a_live_call_would_be(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    chat = make(tmp_path)
    ask(chat, [1])
    (line,) = protocol_server.batches.inputs("batch_1")
    live = OpenAIChat(Settings.load(chat="openai", chat_model="small"), PROMPTS)
    asyncio.run(live.complete(numbered(1)))
    (call,) = protocol_server.calls
    assert line["body"] == call.body
    assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
    assert (chat.model, chat.parameters) == (live.model, live.parameters), "the same keys in the reply cache"


def test_a_batch_costs_half(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    (reply,) = ask(make(tmp_path, chat_output_usd=0.0), [1])
    assert isinstance(reply, ChatReply)
    tokens = protocol_server.batches.lines[0].prompt_tokens
    assert (reply.usage.prompt_tokens, reply.usage.calls) == (tokens, 1)
    assert reply.usage.usd == pytest.approx(tokens * 0.5 / 1e6)


def test_one_request_asked_twice_is_one_line_and_paid_once(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    first, second = ask(make(tmp_path), [1, 1])
    assert isinstance(first, ChatReply) and isinstance(second, ChatReply)
    assert first.value == second.value
    assert first.usage.usd > 0 == second.usage.usd == second.usage.calls
    assert len(protocol_server.batches.lines) == 1


def test_equal_words_of_two_users_are_two_requests(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    chat = make(tmp_path)
    other = replace(numbered(1), scope=replace(numbered(1).scope, user_id="bob"))

    async def both() -> None:
        await asyncio.gather(chat.complete(numbered(1)), chat.complete(other))

    asyncio.run(both())
    assert len(protocol_server.batches.lines) == 2


@pytest.mark.parametrize("task", ["consolidate", "answer"])
def test_what_cannot_wait_is_asked_live(tmp_path: Path, protocol_server: ProtocolServer, task: str) -> None:
    asyncio.run(make(tmp_path).complete(request(task)))
    assert protocol_server.counts[task] == 1 and not protocol_server.batches.requests


# -- going on after a kill


def test_a_restart_goes_on_waiting_and_sends_nothing(
    tmp_path: Path, protocol_server: ProtocolServer, caplog: pytest.LogCaptureFixture
) -> None:
    protocol_server.batches.script(UNENDING)
    with caplog.at_level(logging.WARNING):
        kill(make(tmp_path), protocol_server, "GET /v1/batches/batch_1")
    assert "batch_1 goes on at" in caplog.text and "memory-pipeline run --batch" in caplog.text
    protocol_server.batches.proceed("batch_1", "finalizing", "completed")
    before = len(protocol_server.batches.requests)
    assert texts(ask(make(tmp_path))) == expected()
    asked = set(protocol_server.batches.requests[before:])
    assert asked == {"GET /v1/batches/batch_1", "GET /v1/files/file-0002/content"}, "it knew where to look"
    assert not protocol_server.calls


def test_replies_can_be_collected_again(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    for _ in range(2):  # as after a kill between the collection and the reply cache
        assert texts(ask(make(tmp_path))) == expected()
    assert len(protocol_server.batches.lines) == 4 and protocol_server.batches.count(CREATE) == 1


def test_new_requests_go_into_a_batch_of_their_own(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    ask(make(tmp_path), [0, 1])
    assert texts(ask(make(tmp_path))) == expected()
    assert [len(protocol_server.batches.inputs(b["id"])) for b in protocol_server.batches.shown] == [2, 2]


def test_a_kill_after_the_upload_sends_the_batch(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.disturb(CREATE, fails(401))
    (error, *_) = ask(make(tmp_path))
    assert isinstance(error, ModelError), "stopped between the upload and the batch"
    (record,) = BatchRecords(Settings.load(home=str(tmp_path))).all()
    assert record.batch_id is None and len(record.custom_ids) == 4
    assert texts(ask(make(tmp_path))) == expected()
    assert len(protocol_server.batches.shown) == 1
    (record,) = BatchRecords(Settings.load(home=str(tmp_path))).all()
    assert record.batch_id == "batch_1"


def test_a_batch_whose_id_was_never_written_down_is_found(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.disturb(CREATE, RESET, late=True)
    (error, *_) = ask(make(tmp_path, chat_retries=0))
    assert isinstance(error, ModelError)
    (record,) = BatchRecords(Settings.load(home=str(tmp_path))).all()
    assert record.batch_id is None and len(protocol_server.batches.shown) == 1, "the batch is there, its id is not"
    assert texts(ask(make(tmp_path))) == expected()
    assert len(protocol_server.batches.shown) == 1 and not protocol_server.calls


def test_it_is_found_among_the_batches_of_others(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.disturb(CREATE, RESET, late=True)
    ask(make(tmp_path, chat_retries=0))
    from openai import OpenAI

    with OpenAI() as client:
        for _ in range(120):  # more than a page of the list
            client.batches.create(
                completion_window="24h", endpoint="/v1/chat/completions", input_file_id="file-0001", metadata={"a": "b"}
            )
    assert texts(ask(make(tmp_path))) == expected()
    assert len(protocol_server.batches.shown) == 121


def test_a_lost_answer_starts_no_second_batch(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.disturb(CREATE, RESET, late=True)
    assert texts(ask(make(tmp_path, chat_retries=2))) == expected()
    assert len(protocol_server.batches.shown) == 1


def test_an_outage_while_waiting_is_waited_out(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    for step in (fails(503), RESET, fails(500), fails(429, "slow down")):
        protocol_server.batches.disturb("GET /v1/batches/batch_1", step)
    assert texts(ask(make(tmp_path, chat_retries=0))) == expected()


def test_an_outage_that_stays_is_told_and_the_batch_is_found_again(
    tmp_path: Path, protocol_server: ProtocolServer
) -> None:
    for _ in range(13):
        protocol_server.batches.disturb("GET /v1/batches/batch_1", fails(503, "out to lunch"))
    (error, *_) = ask(make(tmp_path, chat_batch_poll_s=0.001))
    with pytest.raises(ModelError, match="out to lunch.*batch_1 goes on at .*run --batch"):
        raise error  # type: ignore[misc]
    assert texts(ask(make(tmp_path))) == expected()
    assert protocol_server.batches.count(CREATE) == 1


# -- what goes wrong with single lines


def test_lines_in_error_are_asked_live(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.script(spoilt(line_1=fails(500, "overloaded"), line_2=RESET))
    assert texts(ask(make(tmp_path))) == expected()
    assert protocol_server.counts["rolling_summary"] == 2 and len(protocol_server.batches.shown) == 1


def test_a_line_that_does_not_fit_is_repaired_live(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.script(spoilt(line_1=says("I would rather talk about the weather.")))
    replies = ask(make(tmp_path, chat_output_usd=0.0))
    assert texts(replies) == expected()
    (call,) = protocol_server.calls
    assert "does not fit" in call.prompt and "the weather" in call.prompt, "the batch's reply was the first one"
    batched = protocol_server.batches.lines[1].prompt_tokens
    assert isinstance(replies[1], ChatReply)
    assert replies[1].usage.usd == pytest.approx((batched * 0.5 + call.prompt_tokens) / 1e6), "half, then the whole"
    assert replies[1].usage.calls == 2


def test_a_line_that_was_cut_off_gets_more_room_live(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.script(spoilt(line_0=says('{"text": "Th', finish_reason="length")))
    assert texts(ask(make(tmp_path))) == expected()
    (call,) = protocol_server.calls
    assert call.body["max_tokens"] == 2 * numbered(0).max_tokens


def test_an_unfit_reply_is_an_error_of_its_request_and_is_not_found_again(
    tmp_path: Path, protocol_server: ProtocolServer
) -> None:
    protocol_server.batches.script(spoilt(line_1=says("nonsense"), line_2=refuses("I cannot help with that.")))
    protocol_server.script("more nonsense")
    replies = ask(make(tmp_path))
    assert isinstance(replies[1], UnfitReply) and replies[1].reply == "more nonsense"
    assert isinstance(replies[2], ReplyError) and "the model refused" in str(replies[2])
    assert texts([replies[0], replies[3]]) == [expected()[0], expected()[3]]
    assert texts(ask(make(tmp_path))) == expected()
    assert [len(protocol_server.batches.inputs(b["id"])) for b in protocol_server.batches.shown] == [4, 2]


def test_a_prompt_that_is_too_long_concerns_its_request_only(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    too_long = fails(400, "The prompt is too long for this model.")
    protocol_server.batches.script(spoilt(line_3=too_long))
    protocol_server.script(too_long)
    replies = ask(make(tmp_path))
    assert isinstance(replies[3], ReplyError) and "too long" in str(replies[3])
    assert texts(replies[:3]) == expected(3)


def test_a_model_that_refuses_a_parameter_gets_a_batch_without_it(
    tmp_path: Path, protocol_server: ProtocolServer
) -> None:
    protocol_server.reject("temperature", "seed", "json_schema")
    assert texts(ask(make(tmp_path))) == expected()
    first, second = protocol_server.batches.shown
    assert (first["request_counts"]["failed"], second["request_counts"]["completed"]) == (4, 3)
    lines = protocol_server.batches.inputs(second["id"])
    assert not {"temperature", "seed"} & lines[0]["body"].keys()
    assert protocol_server.counts["rolling_summary"] == 4, "one request was asked live, as often as it took to find out"
    assert texts(ask(make(tmp_path))) == expected()
    assert len(protocol_server.batches.shown) == 3, "what was asked live came in no batch"


@pytest.mark.parametrize("broken", [b"{\n", b'{"custom_id": 7}\n', b'[]\n""\n', b"\xff\n"])
def test_result_lines_that_cannot_be_read_are_asked_again(
    tmp_path: Path, protocol_server: ProtocolServer, broken: bytes
) -> None:
    protocol_server.batches.disturb("GET /v1/files/file-0002/content", Step(body=broken))
    assert texts(ask(make(tmp_path))) == expected()
    assert len(protocol_server.batches.shown) == 2 and not protocol_server.calls


def test_a_line_that_is_no_completion_is_asked_live(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    bodies = (b"{}", b'{"choices": []}', b'{"choices": [{"message": "hello"}]}')
    odd = [Step(body=body) for body in bodies]
    protocol_server.batches.script(Course(faults=dict(enumerate(odd))))
    assert texts(ask(make(tmp_path))) == expected()
    assert protocol_server.counts["rolling_summary"] == 3


# -- what goes wrong with whole batches


@pytest.mark.parametrize("state", ["expired", "cancelled"])
def test_what_a_batch_did_not_finish_goes_into_another(
    tmp_path: Path, protocol_server: ProtocolServer, state: str
) -> None:
    protocol_server.batches.script(ends(state, carried_out=1))
    assert texts(ask(make(tmp_path))) == expected()
    assert [len(protocol_server.batches.inputs(b["id"])) for b in protocol_server.batches.shown] == [4, 3]
    assert len(protocol_server.batches.lines) == 4 and not protocol_server.calls


def test_what_expires_twice_is_asked_live(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.script(ends("expired", carried_out=1), ends("expired", carried_out=1))
    assert texts(ask(make(tmp_path))) == expected()
    assert protocol_server.counts["rolling_summary"] == 2 and len(protocol_server.batches.shown) == 2


def test_a_restart_knows_that_it_was_sent_twice(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.script(ends("expired", carried_out=1), replace(UNENDING, carried_out=1))
    kill(make(tmp_path), protocol_server, "GET /v1/batches/batch_2")
    protocol_server.batches.proceed("batch_2", "expired")
    assert texts(ask(make(tmp_path))) == expected()
    assert len(protocol_server.batches.shown) == 2 and protocol_server.counts["rolling_summary"] == 2


def test_what_somebody_cancels_twice_is_not_asked_live(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.script(ends("cancelled", carried_out=1), ends("cancelled", carried_out=1))
    replies = ask(make(tmp_path))
    assert texts(replies[:2]) == expected(2), "what was paid for is kept"
    for error in replies[2:]:
        with pytest.raises(BatchError, match="batch_2 cancelled at .*: 2 requests are not answered; .*without --batch"):
            raise error  # type: ignore[misc]
        assert isinstance(error, BatchError)
        assert (error.batch_id, error.status, error.unanswered) == ("batch_2", "cancelled", 2)
    assert not protocol_server.calls


def test_a_batch_that_is_refused_twice_is_told(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    refusal = invalid("model_not_found", "The model small cannot be used in batches.")
    protocol_server.batches.script(refusal, refusal)
    (error, *_) = ask(make(tmp_path))
    with pytest.raises(ModelError, match=r"batch_2 failed at .* \(model_not_found: The model small cannot be used"):
        raise error  # type: ignore[misc]
    assert not protocol_server.calls and not protocol_server.batches.lines
    assert len(BatchRecords(Settings.load(home=str(tmp_path)))) == 0, "nothing is left to collect"


def test_a_full_queue_is_told_at_once(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.script(invalid("token_limit_exceeded", "Enqueued token limit reached for small."))
    (error, *_) = ask(make(tmp_path))
    with pytest.raises(ModelError, match="Enqueued token limit.*MEMORY_PIPELINE_CHAT_BATCH_TOKENS"):
        raise error  # type: ignore[misc]
    assert len(protocol_server.batches.shown) == 1


def test_batches_that_fit_into_the_queue_go_one_after_another(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    tokens = sum(len(m["content"]) for m in PROMPTS.render("rolling_summary", numbered(0).inputs)) // 4
    assert texts(ask(make(tmp_path, chat_batch_tokens=2 * tokens + 20))) == expected()
    first, second = protocol_server.batches.shown
    assert [len(protocol_server.batches.inputs(b["id"])) for b in (first, second)] == [2, 2]
    requests = protocol_server.batches.requests
    assert requests.index("GET /v1/files/file-0002/content") < len(requests) - requests[::-1].index(CREATE) - 1


def test_more_than_a_file_takes_is_several_batches_at_once(
    tmp_path: Path, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_jobs, "split", partial(split, most_lines=2))
    protocol_server.batches.script(Course(), ends("expired", carried_out=0))
    assert texts(ask(make(tmp_path), range(5))) == expected(5)
    batches = protocol_server.batches
    assert [len(batches.inputs(b["id"])) for b in batches.shown] == [2, 2, 1, 2], "the second was sent again"
    first_look = batches.requests.index("GET /v1/batches/batch_1")
    assert batches.requests[:first_look].count(CREATE) == 3 and not protocol_server.calls


def test_one_batch_that_fails_does_not_lose_the_others(
    tmp_path: Path, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_jobs, "split", partial(split, most_lines=2))
    protocol_server.batches.disturb("GET /v1/batches/batch_1", fails(401))
    replies = ask(make(tmp_path))
    assert isinstance(replies[0], ModelError) and isinstance(replies[1], ModelError)
    assert texts(replies[2:]) == expected()[2:]


def test_a_batch_that_the_server_has_forgotten_is_sent_again(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.disturb("GET /v1/batches/batch_1", fails(404, "No batch found with id 'batch_1'."))
    assert texts(ask(make(tmp_path))) == expected()
    assert len(protocol_server.batches.shown) == 2


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_server_without_batches_is_told_before_anything_is_sent(
    tmp_path: Path, protocol_server: ProtocolServer, status: int
) -> None:
    protocol_server.batches.status = status
    (error, *_) = ask(make(tmp_path))
    with pytest.raises(SettingsError, match=rf"has no Batch API \({status}\): unset MEMORY_PIPELINE_CHAT_BATCH"):
        raise error  # type: ignore[misc]
    assert not protocol_server.calls and not protocol_server.batches.count("POST")


@pytest.mark.parametrize("body", [b"<html>Welcome to nginx!</html>", b'{"ok": true}', b"[]"])
def test_a_web_server_is_not_taken_for_a_batch_api(
    tmp_path: Path, protocol_server: ProtocolServer, body: bytes
) -> None:
    protocol_server.batches.disturb("GET /v1/batches", Step(body=body))
    (error, *_) = ask(make(tmp_path))
    assert isinstance(error, SettingsError) and "has no Batch API" in str(error)
    assert not protocol_server.batches.count("POST")


def test_a_refused_key_is_told(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.disturb("GET /v1/batches", fails(401))
    (error, *_) = ask(make(tmp_path))
    assert isinstance(error, ModelError) and "does not accept OPENAI_API_KEY" in str(error)


# -- a run that was not asked to use batches


def test_a_live_run_takes_what_a_batch_has_brought(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.script(UNENDING)
    kill(make(tmp_path), protocol_server, "GET /v1/batches/batch_1")
    protocol_server.batches.proceed("batch_1", "completed")
    asyncio.run(asyncio.sleep(0))
    live = make(tmp_path, submit=False)
    protocol_server.batches._advance(protocol_server.batches._batches["batch_1"])
    assert texts(ask(live, range(6))) == expected(6)
    assert protocol_server.counts["rolling_summary"] == 2, "those that no batch holds"
    assert len(protocol_server.batches.shown) == 1


def test_a_live_run_waits_for_no_batch(
    tmp_path: Path, protocol_server: ProtocolServer, caplog: pytest.LogCaptureFixture
) -> None:
    protocol_server.batches.script(UNENDING)
    kill(make(tmp_path), protocol_server, "GET /v1/batches/batch_1")
    with caplog.at_level(logging.WARNING):
        assert texts(ask(make(tmp_path, submit=False))) == expected()
    assert protocol_server.counts["rolling_summary"] == 4
    assert "batch_1 is under way: 4 of its requests are asked live" in caplog.text


def test_batches_of_another_server_are_left_alone(
    tmp_path: Path, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(make(tmp_path))
    with ProtocolServer() as other:
        monkeypatch.setenv("OPENAI_BASE_URL", other.url)
        ask(make(tmp_path / "other"), [9])
        assert texts(ask(make(tmp_path))) == expected()
        assert len(other.batches.lines) == 5
    monkeypatch.setenv("OPENAI_BASE_URL", protocol_server.url)
    assert texts(ask(make(tmp_path))) == expected()
    assert len(protocol_server.batches.shown) == 1, "they can still be collected"
    assert not protocol_server.calls


def test_several_loops_one_after_another(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    chat = make(tmp_path)
    assert texts(ask(chat, [0, 1])) + texts(ask(chat, [2, 3])) == expected()
    assert len(protocol_server.batches.shown) == 2


def test_two_runs_at_the_same_moment_send_one_batch(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    one, other = make(tmp_path), make(tmp_path)

    async def both() -> list[Any]:
        return await asyncio.gather(*(chat.complete(numbered(n)) for n in range(4) for chat in (one, other)))

    assert texts(asyncio.run(both())) == [text for text in expected() for _ in range(2)]
    assert len(protocol_server.batches.shown) == 1


def test_nothing_is_sent_for_a_prompt_that_cannot_be_rendered(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    broken = replace(numbered(1), inputs={"label": "2026-03-10"})
    with pytest.raises(SettingsError, match="undefined"):
        asyncio.run(make(tmp_path).complete(broken))
    assert not protocol_server.batches.requests


def test_no_word_of_the_user_s_stays_on_disk(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    def secret(call: Call) -> str:
        return dump(SummaryReply("A secret.", ["m1"], []))

    protocol_server.answer("rolling_summary", secret)
    ask(make(tmp_path))
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert kept
    for path in kept:
        content = path.read_bytes()
        assert b"number" not in content and b"secret" not in content and b"alice" not in content
