"""Memories into entities and typed links."""
