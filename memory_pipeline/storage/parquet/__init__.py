"""The lake (Parquet, read with DuckDB): datasets, their files, schemas and migrations."""
