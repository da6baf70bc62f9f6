"""From the turns of a window to proposals: what there is to read, and what is made of what it states."""
