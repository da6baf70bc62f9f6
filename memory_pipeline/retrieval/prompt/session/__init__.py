"""What a prompt takes from the session that is under way."""
