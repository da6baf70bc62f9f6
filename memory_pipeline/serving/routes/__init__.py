"""The routes, a module for each noun."""
