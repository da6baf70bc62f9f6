"""Memory versions, and what acts, time and roll-backs make of them."""
