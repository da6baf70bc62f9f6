"""Clauses out of the tree of a sentence: whom each is about, what it states, and how it is meant."""
