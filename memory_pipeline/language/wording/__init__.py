"""A clause told in the third person."""
