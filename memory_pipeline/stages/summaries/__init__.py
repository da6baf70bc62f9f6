"""Messages and memories into summaries of sessions, days, weeks and months."""
