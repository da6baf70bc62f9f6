"""Where the work of a stage is done: in this process, or side by side on a Ray cluster."""
