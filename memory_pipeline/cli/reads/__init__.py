"""Commands that read what is remembered, and how they print it."""
