"""The table of frames: which rows fit a clause, the values that they take, and how they word them."""
