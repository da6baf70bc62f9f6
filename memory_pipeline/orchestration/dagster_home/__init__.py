"""Dagster's own records: where they are stored, kept small and mended; none of what is remembered."""
