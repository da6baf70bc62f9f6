"""The processes of runs: which of them live, how they are stopped, and how they wait."""
