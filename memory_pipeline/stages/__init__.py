"""One module for each arrow of the flow, in its order; plain functions over the lake and the index, no dagster."""
