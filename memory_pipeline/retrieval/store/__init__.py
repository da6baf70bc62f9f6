"""A user's rows as reads see them: loaded, kept in memory, guarded, as of a moment."""
