"""The lake (Parquet, read with DuckDB) and the index (LanceDB).

Modules of this package import their engines at the top: import them only where they are about to be used.
"""
