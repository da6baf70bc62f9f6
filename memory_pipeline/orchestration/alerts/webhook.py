"""Alerts to a URL: JSON by POST, with a few tries. The URL is a secret, as those of chat services are."""

from __future__ import annotations

import json
import logging
import urllib.error
import urllib.request
from collections.abc import Sequence
from urllib.parse import urlsplit

from tenacity import RetryError, Retrying, retry_if_exception, stop_after_attempt, wait_exponential

from memory_pipeline.errors import SettingsError
from memory_pipeline.settings import Settings
from memory_pipeline.storage.logs.alert_log import Alert

_TRIES = 4
_TIMEOUT_S = 5.0
_log = logging.getLogger(__name__)


def post(settings: Settings, alerts: Sequence[Alert], first_pause_s: float = 0.5) -> bool:
    """Post each alert to ``ALERT_WEBHOOK``. Returns whether all were taken; True when no URL is set.

    A receiver that does not take them is told about in the log: an alert must not make a run fail. The text that chat
    services show is under ``text``.

    Raises:
        SettingsError: the URL is none of http or https.
    """
    if settings.alert_webhook is None:
        return True
    url = settings.alert_webhook.get_secret_value()
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        sentence = "MEMORY_PIPELINE_ALERT_WEBHOOK: must be a URL that begins with http:// or https://"
        raise SettingsError(sentence, setting="MEMORY_PIPELINE_ALERT_WEBHOOK")
    for alert in alerts:
        text = f"memory-pipeline: {alert.kind.replace('_', ' ')}: {alert.message}"
        body = json.dumps({"text": text, **alert.to_dict()}).encode()
        tries = Retrying(
            stop=stop_after_attempt(_TRIES),
            wait=wait_exponential(multiplier=first_pause_s, max=8),
            retry=retry_if_exception(_passing),
        )
        try:
            tries(_send, url, body)
        except (RetryError, OSError) as error:
            cause = error.last_attempt.exception() if isinstance(error, RetryError) else error
            said = cause.code if isinstance(cause, urllib.error.HTTPError) else type(cause).__name__
            _log.warning("alert %s was not taken by %s (%s); it is in the log", alert.alert_id, parts.hostname, said)
            return False
    return True


def _send(url: str, body: bytes) -> None:
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"}, method="POST")
    try:
        urllib.request.urlopen(request, timeout=_TIMEOUT_S).close()
    except urllib.error.HTTPError as refused:
        refused.close()  # it holds the connection
        raise


def _passing(error: BaseException) -> bool:
    """Whether it may be otherwise in a moment; a receiver that says no is not asked again."""
    if isinstance(error, urllib.error.HTTPError):
        return error.code >= 500 or error.code in (408, 429)
    return isinstance(error, OSError)
