"""The user's own hand: remember, edit, forget, pin, classify, undo."""
