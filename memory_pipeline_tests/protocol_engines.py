"""How the servers that people run refuse, cut and dress what they are asked, in their own words, for the test server.

Each of these takes what a model would say to a call and returns what a server of that kind makes of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline_tests.protocol_steps import Call, Step

Says = Callable[[Call], Any]


def asked_tokens(call: Call) -> int:
    """The bound on the reply that a call asks for."""
    return int(call.body.get("max_tokens") or call.body.get("max_completion_tokens") or 0)


def vllm(says: Says, context: int) -> Says:
    """vLLM started with ``--max-model-len``: it refuses what could be longer, and names both parts."""

    def answer(call: Call) -> Any:
        wanted = asked_tokens(call)
        if call.prompt_tokens + wanted <= context:
            return cut(says)(call)
        return _fails(
            f"This model's maximum context length is {context} tokens. However, you requested "
            f"{call.prompt_tokens + wanted} tokens ({call.prompt_tokens} in the messages, {wanted} in the completion). "
            "Please reduce the length of the messages or completion."
        )

    return answer


def ollama(says: Says, context: int = 4096) -> Says:
    """Ollama: a prompt beyond its context is cut without a word; only the count tells."""

    def answer(call: Call) -> Any:
        if call.prompt_tokens <= context:
            return cut(says)(call)
        usage = {"prompt_tokens": context, "completion_tokens": 9, "total_tokens": context + 9}
        return Step(text=json.dumps({"windows": [{"window": "w1", "proposals": []}]}), usage=usage)

    return answer


def llama_cpp(says: Says, context: int) -> Says:
    """llama.cpp's server: it refuses a prompt beyond its context, with both figures beside the message."""

    def answer(call: Call) -> Any:
        if call.prompt_tokens < context:
            return cut(says)(call)
        error = {
            "code": 400,
            "message": f"the request exceeds the available context size ({context} tokens), try increasing it",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": call.prompt_tokens,
            "n_ctx": context,
        }
        return Step(status=400, error=error)

    return answer


def at_most(says: Says, output: int) -> Says:
    """OpenAI's older models: a bound on the reply that is beyond theirs is refused."""

    def answer(call: Call) -> Any:
        wanted = asked_tokens(call)
        if wanted <= output:
            return cut(says)(call)
        return _fails(
            f"max_tokens is too large: {wanted}. This model supports at most {output} completion tokens, whereas you "
            f"provided {wanted}."
        )

    return answer


def without_system(says: Says) -> Says:
    """Templates without a place for a system message (Gemma's, early Mistral's)."""

    def answer(call: Call) -> Any:
        roles = [message["role"] for message in call.body["messages"]]
        return _fails("System role not supported") if "system" in roles else says(call)

    return answer


def cut(says: Says) -> Says:
    """Any server: the reply ends at the bound that was asked for, in the middle of a word."""

    def answer(call: Call) -> Any:
        said = says(call)
        if isinstance(said, Step):
            return said
        text = said if isinstance(said, str) else json.dumps(said)
        if estimate_tokens(text) <= asked_tokens(call):
            return text
        return Step(text=text[: 4 * asked_tokens(call)], finish_reason="length")

    return answer


def thinking(says: Says, draft: Mapping[str, Any], tokens: int = 0) -> Says:
    """A model that drafts its reply in its thoughts; they count to the bound on the reply."""

    def answer(call: Call) -> Any:
        thoughts = f"Let me see. {json.dumps(draft)} " + "hmm " * tokens
        said = says(call)
        text = f"{thoughts}</think>\n\n{said if isinstance(said, str) else json.dumps(said)}"
        return cut(lambda _: text)(call)

    return answer


def _fails(message: str) -> Step:
    return Step(status=400, error={"message": message, "type": "BadRequestError", "param": None, "code": 400})
