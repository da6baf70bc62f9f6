"""Where a hosted model is reached, and what a failed call to it means for whoever runs the pipeline."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from memory_pipeline.errors import ModelError, ReplyError, SettingsError
from memory_pipeline.inference.hosted.connection import RefusedAnswer, TooLate
from memory_pipeline.settings import secret_in

if TYPE_CHECKING:
    from openai import APIStatusError

_OFFICIAL = "https://api.openai.com/v1"
_PLACEHOLDER = "not-needed"  # local servers ask for no key, but the SDK does
_TOO_LONG = (
    "context length",
    "context size",
    "context window",
    "context_length",
    "context_size",
    "maximum context",
    "too long",
    "too many tokens",
)
_FILTERED = ("content_filter", "content filter", "content policy", "content_policy", "content management policy")
_QUOTA = ("insufficient_quota", "exceeded your current quota", "billing_hard_limit")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible server, as the openai package reads it from the environment.

    Attributes:
        base_url: from ``OPENAI_BASE_URL``; None for OpenAI's own.
        api_key: from ``OPENAI_API_KEY``, or the file that ``OPENAI_API_KEY_FILE`` names; a placeholder for a server
            that needs none.
    """

    base_url: str | None
    api_key: str

    @classmethod
    def from_environment(cls, setting: str) -> Endpoint:
        """The endpoint of this process.

        Args:
            setting: what asks for it, e.g. ``MEMORY_PIPELINE_CHAT=openai`` or an option of a command.

        Raises:
            SettingsError: neither a key nor a base URL is set, that is no URL, or the file of the key cannot be read.
        """
        base_url = os.environ.get("OPENAI_BASE_URL", "").strip() or None
        key = os.environ.get("OPENAI_API_KEY", "").strip() or _key_in_file()
        if not key and base_url is None:
            raise SettingsError(
                f"{setting} needs OPENAI_API_KEY, or OPENAI_BASE_URL for a server that asks for no key "
                "(Ollama: http://localhost:11434/v1)",
                setting="OPENAI_API_KEY",
            )
        if base_url is not None and not _is_url(base_url):
            sentence = f"OPENAI_BASE_URL is no URL such as http://localhost:8000/v1: {base_url}"
            raise SettingsError(sentence, setting="OPENAI_BASE_URL")
        return cls(base_url, key or _PLACEHOLDER)

    @property
    def url(self) -> str:
        """The base URL for messages, without credentials that may stand in it."""
        parts = urlsplit(self.base_url or _OFFICIAL)
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))

    @property
    def keyless(self) -> bool:
        return self.api_key == _PLACEHOLDER

    def failure(self, error: Exception, *, model: str, role: str) -> ModelError:
        """What a failed call means, and what to do about it.

        A request that the server refuses for its own content (too long, filtered) becomes a ReplyError: it concerns
        this request alone, and the others may go on.

        Args:
            error: what was raised at last, after the retries.
            model: name that was asked for.
            role: ``CHAT`` or ``ENCODER``, as in the names of the settings.
        """
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        if isinstance(error, RefusedAnswer):
            return ModelError(f"{self.url}: {error}")
        if isinstance(error, (APITimeoutError, TimeoutError, TooLate)):
            return ModelError(
                f"{self.url} did not answer in time, also when asked again: raise MEMORY_PIPELINE_CHAT_TIMEOUT_S "
                "(seconds for 1,000 tokens of reply), or look at the server"
            )
        if isinstance(error, APIStatusError):
            return self._refusal(error, model, role)
        if isinstance(error, APIConnectionError):
            return ModelError(
                f"{self.url} cannot be reached ({error.__cause__ or error}): check OPENAI_BASE_URL and the network"
            )
        return ModelError(
            f"{self.url} does not answer like an OpenAI-compatible server ({error}): check OPENAI_BASE_URL, "
            "which usually ends in /v1"
        )

    def _refusal(self, error: APIStatusError, model: str, role: str) -> ModelError:
        said = said_by(error)
        match error.status_code:
            case 401:
                which = "OPENAI_API_KEY is not set" if self.keyless else "it does not accept OPENAI_API_KEY"
                return ModelError(f"{self.url} refused access (401): {which}; set a valid key")
            case 403:
                return ModelError(f"{self.url} denies this key the model {model} (403): {said}; change one of them")
            case 404:
                return ModelError(
                    f"{self.url} has no model {model}, or no such path (404): {said}; check "
                    f"MEMORY_PIPELINE_{role}_MODEL, and OPENAI_BASE_URL, which usually ends in /v1"
                )
            case 429 if out_of_quota(error):
                return ModelError(f"the quota at {self.url} is spent (429): {said}; top it up, then run again")
            case 429:
                return ModelError(
                    f"{self.url} limits the rate of calls (429): {said}; "
                    "lower MEMORY_PIPELINE_CHAT_CONCURRENCY, or run again later"
                )
            case status if status >= 500 or status in (408, 409, 425):
                return ModelError(f"{self.url} failed ({status}), also when asked again: {said}; run again later")
            case status:
                kind = ReplyError if concerns_content(error) else ModelError
                return kind(f"{self.url} refused the request for {model} ({status}): {said}")


def _key_in_file() -> str:
    """The key that the file of ``OPENAI_API_KEY_FILE`` holds; "" where none is named.

    Raises:
        SettingsError: it cannot be read.
    """
    named = os.environ.get("OPENAI_API_KEY_FILE", "").strip()
    try:
        return secret_in(Path(named)) if named else ""
    except ValueError as error:
        raise SettingsError(f"OPENAI_API_KEY_FILE: {error}", setting="OPENAI_API_KEY_FILE", path=named) from error


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def everything_said(error: APIStatusError) -> str:
    """All text of a refusal in lower case, for finding out what it is about."""
    return f"{error.code} {error.param} {error.type} {error.message} {error.body}".lower()


def said_by(error: APIStatusError) -> str:
    """The server's own words on one line of bounded length."""
    message = error.body.get("message") if isinstance(error.body, dict) else None
    text = " ".join(str(message or error.body or error.message).split())
    return text if len(text) <= 300 else text[:299] + "…"


def out_of_quota(error: APIStatusError) -> bool:
    """Whether a 429 means an empty account, which no waiting mends."""
    text = everything_said(error)
    return any(phrase in text for phrase in _QUOTA)


def concerns_content(error: APIStatusError) -> bool:
    """Whether the server refused this request's own content: too long for the model, or filtered."""
    text = everything_said(error)
    return error.status_code == 413 or any(phrase in text for phrase in _TOO_LONG + _FILTERED)
