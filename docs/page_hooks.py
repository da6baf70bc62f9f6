"""What the site builder does to finished pages: tags of requirements become links, and Sphinx roles plain names."""

from __future__ import annotations

import re
from typing import Any

_ROLE = re.compile(r":(?:meth|class|func|attr|mod):(?=<code>)")
_TAG = re.compile(r"\b(?:DL|NM|KN|LS|RX)-\d+\b")
_MARKUP = re.compile(r"(<(?:a|code|pre)\b.*?</(?:a|code|pre)>|<[^>]+>)", re.DOTALL)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """The page's HTML as it is shown.

    Args:
        html: what Markdown has made of the page.
        page: the page itself, with its address.
    """
    html = _ROLE.sub("", html)
    if page.file.src_uri == "requirements.md":
        return html
    up = "../" * page.url.count("/")
    return "".join(
        part if part.startswith("<") else _TAG.sub(lambda tag: _link(tag[0], up), part) for part in _MARKUP.split(html)
    )


def _link(tag: str, up: str) -> str:
    return f'<a href="{up}requirements/#{tag.lower()}">{tag}</a>'
