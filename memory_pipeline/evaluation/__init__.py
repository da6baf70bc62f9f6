"""Measuring how well it remembers: scripted fixtures, data sets, baselines."""
