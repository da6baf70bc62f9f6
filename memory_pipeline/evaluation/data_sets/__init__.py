"""Data sets of research: conversations with questions whose evidence is known."""
