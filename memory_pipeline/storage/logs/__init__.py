"""Append-only files beside the lake: reads, alerts, the blocks that sessions began with."""
