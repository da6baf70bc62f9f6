"""Write, audit, publish: staged rows, what must hold of them, and the move of ledger and index."""
