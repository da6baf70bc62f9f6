"""Proposals into memories: each user's days are replayed through the gate, the rules and the judge."""
