"""Benchmarks: plain scripts that print JSON. ``python -m benchmarks`` runs the quick ones."""
