"""Commands of the user's own hand, and of one user's data: erase, export, import."""
