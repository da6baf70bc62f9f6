"""From a query to ranked hits: candidates, signals, scores."""
