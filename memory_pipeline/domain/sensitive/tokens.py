"""Keys and tokens by their own format: nothing beside them has to say what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from importlib import import_module

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import table

# A token has a long run without spaces. Looking for these costs a tenth of the expressions that know the vendors.
_RUN = lazy(r"(?<!\S)\S{16,}")
_VARIED = lazy(r"[0-9A-Z_]")
_URL_LOGIN = lazy(r"\b[a-z][a-z0-9+.-]*://[^\s:/@]*:(?P<secret>[^\s/][^\s]*?)@(?=[\w.\[-]+(?:[:/?#,\s\"'`)]|$))", re.I)
_BLOCK = lazy(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:.*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|.*)"
    r"|PuTTY-User-Key-File-\d.*?(?:Private-MAC:\s*[0-9a-f]+|\Z)",
    re.S,
)
_WALLET = lazy(r"(?<![1-9A-HJ-NP-Za-km-z])[5KLc9][1-9A-HJ-NP-Za-km-z]{50,51}(?![1-9A-HJ-NP-Za-km-z])")
_HEX_KEY = lazy(r"(?<![0-9A-Za-z])(?:0x)?[0-9a-f]{64}(?![0-9A-Za-z])", re.I)
_CALLED_KEY = lazy(r"\b(?:key|wallet|eth|ethereum|metamask|private|secret|mnemonic|seed)\b", re.I)
_CALLED_HASH = lazy(
    r"\b(?:hash|tx|txid|transaction|block|sha-?\d*|digest|checksum|commit|contract|fingerprint|public key)\b", re.I
)
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_LIBRARY = (
    ("artifactory", "ArtifactoryDetector", 1),
    ("aws", "AWSKeyDetector", 1),
    ("azure_storage_key", "AzureStorageKeyDetector", 1),
    ("discord", "DiscordBotTokenDetector", 1),
    ("github_token", "GitHubTokenDetector", 1),
    ("gitlab_token", "GitLabTokenDetector", None),
    ("mailchimp", "MailchimpDetector", 1),
    ("npm", "NpmDetector", 1),
    ("openai", "OpenAIDetector", 1),
    ("pypi_token", "PypiTokenDetector", None),
    ("sendgrid", "SendGridDetector", 1),
    ("softlayer", "SoftlayerDetector", None),
    ("square_oauth", "SquareOAuthDetector", 1),
    ("stripe", "StripeDetector", 1),
    ("telegram_token", "TelegramBotTokenDetector", 1),
    ("twilio", "TwilioKeyDetector", None),
)
"""Detectors of detect-secrets whose expressions stand for themselves, and how many of each are used: the others of
these look at words beside the token, which is done here in its own way."""


def keys(text: str) -> Iterator[tuple[int, int]]:
    """Private key blocks, tokens of well-known formats, secret addresses, and passwords inside URLs."""
    if "-----BEGIN" in text or "PuTTY-User-Key" in text:
        for match in _BLOCK.finditer(text):
            yield match.span()
    if "://" in text:
        for match in _URL_LOGIN.finditer(text):
            if not match["secret"].startswith(("[withheld", "<", "${", "$(", "{", "*")):
                yield match.span("secret")
    for run in _RUN.finditer(text):
        if _VARIED.search(run.group()) is not None:
            yield from _tokens(run.group(), run.start())
        for match in _HEX_KEY.finditer(text, *run.span()) if run.end() - run.start() >= 64 else ():
            if _is_key(text, *match.span()):
                yield match.span()


def _tokens(run: str, at: int) -> Iterator[tuple[int, int]]:
    for match in _shapes().finditer(run):
        yield at + match.start(), at + match.end()
    if "/" in run and "." in run:
        for expression in _webhooks():
            for match in expression.finditer(run):
                if match.lastgroup is not None:
                    yield at + match.start(match.lastgroup), at + match.end(match.lastgroup)
    for match in _WALLET.finditer(run):
        if _base58_checks(match.group()):
            yield at + match.start(), at + match.end()
    for expression in _library():
        for match in expression.finditer(run):
            yield at + match.start(), at + match.end()


def _is_key(text: str, start: int, end: int) -> bool:
    """Whether 32 bytes are a key: what they are called just before says so, and nothing calls them a hash."""
    before = text[max(start - 60, 0) : start].rpartition("\n")[2] or text[max(start - 60, 0) : start]
    return _CALLED_KEY.search(before) is not None and _CALLED_HASH.search(before + text[end : end + 12]) is None


def _base58_checks(text: str) -> bool:
    """Whether the last four bytes are the checksum of the others, as in a wallet's exported key (Base58Check)."""
    number = 0
    for character in text:
        number = number * 58 + _BASE58.index(character)
    if number.bit_length() > 38 * 8:
        return False
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return len(raw) in (37, 38) and sha256(sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


@lru_cache(maxsize=1)
def _shapes() -> re.Pattern[str]:
    alternatives = "|".join(table("secrets")["shapes"].values())
    return lazy(rf"(?<![A-Za-z0-9])(?:{alternatives})")


@lru_cache(maxsize=1)
def _webhooks() -> tuple[re.Pattern[str], ...]:
    return tuple(lazy(line) for line in table("secrets")["webhooks"]["expressions"].split())


@lru_cache(maxsize=1)
def _library() -> tuple[re.Pattern[str], ...]:
    """Expressions of detect-secrets; it is imported when a text first has a run that could be a token."""
    found: list[re.Pattern[str]] = []
    for module, name, used in _LIBRARY:
        detector = getattr(import_module(f"detect_secrets.plugins.{module}"), name)
        found += list(detector.denylist)[:used]
    return tuple(found)
