"""Routes of the panel, a module for each kind of page."""
