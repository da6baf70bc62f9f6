"""A run from the command line: what is missing or stale is planned, forecast, materialised and reported."""
