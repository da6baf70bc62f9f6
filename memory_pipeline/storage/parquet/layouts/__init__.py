"""Rows of a dataset laid out once more, for those who read a few users or few days of many."""
