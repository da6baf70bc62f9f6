"""What a proposal does to the memories that exist."""
