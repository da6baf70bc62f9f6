"""Whether users read their own rows only, probed with their neighbours' words."""
