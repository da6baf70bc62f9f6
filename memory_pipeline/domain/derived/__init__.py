"""What is derived from memories: patterns, reflections, summaries, and whether they follow."""
