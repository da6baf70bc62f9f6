"""The index (LanceDB): current memories, turns and summaries with their vectors."""
