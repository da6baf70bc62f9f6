"""What people write in a chat, written out so that a parser trained on edited text reads it."""
