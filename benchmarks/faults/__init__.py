"""A process that dies at any point of its work: where it may end, what it works on, and what must be there then."""
