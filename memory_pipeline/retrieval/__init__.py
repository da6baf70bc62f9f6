"""Reading: candidates, ranking, the prompt block, answers. Imports neither dagster nor the write path.

Modules of this package import numpy and pyarrow at the top: import them only where a read is about to happen.
"""
