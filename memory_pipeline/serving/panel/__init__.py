"""The memory panel: pages for a person, rendered by the server, behind the same access control as the API."""

from memory_pipeline.serving.panel.install import install
from memory_pipeline.serving.panel.problems import refusal

__all__ = ["install", "refusal"]
