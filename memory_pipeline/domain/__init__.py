"""Nouns and policies: pure functions and frozen dataclasses, standard library only (and python-stdnum's check digits, detect-secrets' shapes).

No clock, no randomness, no I/O: whatever varies is passed in.
"""
