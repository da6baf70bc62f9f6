"""Memories into patterns and reflections."""
