"""Answers from memory alone."""
