"""Memories put together: summaries of periods and sessions, patterns, reflections."""
