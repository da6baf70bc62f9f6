"""Questions answered out of what is remembered."""
