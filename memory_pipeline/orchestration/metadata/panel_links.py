"""Links from the assets to the panel, where its address is known."""

from __future__ import annotations

from collections.abc import Mapping

import dagster as dg

from memory_pipeline.settings import Settings

PANEL = "panel"
_PAGES: Mapping[str, str] = {
    "proposals": "/gate",
    "memories": "/gate",
    "isolation": "/runs",
    "evaluation": "/runs",
    "maintenance": "/runs",
}
"""Pages that show what an asset holds; of the others, the list of users leads there."""


def with_panel_link(spec: dg.AssetSpec) -> dg.AssetSpec:
    """An asset with a link to the panel's page of what it holds; as it is where PANEL_URL is not set."""
    root = Settings.load().panel_url
    if root is None:
        return spec
    page = dg.MetadataValue.url(f"{root}/panel{_PAGES.get(spec.key.to_user_string(), '')}")
    return spec.merge_attributes(metadata={PANEL: page})
