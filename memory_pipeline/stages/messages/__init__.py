"""Transcripts into the message log and the index of turns: importers, validation, classes, redaction."""
