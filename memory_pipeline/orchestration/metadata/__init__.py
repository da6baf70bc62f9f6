"""What Dagster's pages show of an asset: tables, charts, figures, links."""
