"""What goes wrong is told to somebody."""
