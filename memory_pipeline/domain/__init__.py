"""Nouns and policies: pure functions and frozen dataclasses, standard library only.

Check digits are python-stdnum's, shapes of keys detect-secrets'.

No clock, no randomness, no I/O: whatever varies is passed in.
"""
