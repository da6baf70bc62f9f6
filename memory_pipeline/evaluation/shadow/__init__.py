"""A candidate beside what is in force: real reads made again by both, compared, and promoted."""
