"""Plain reads: lists, calendar, provenance, what became of proposals and turns."""
