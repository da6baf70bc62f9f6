"""Queries over the lake: the ledger, costs, runs, rates, ageing."""
