"""Memory in a prompt: the block, the profile, the payload, topics and boundaries."""
