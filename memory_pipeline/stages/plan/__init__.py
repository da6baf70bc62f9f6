"""Which stages there are, what of them is stale and why, and what making it would cost."""
