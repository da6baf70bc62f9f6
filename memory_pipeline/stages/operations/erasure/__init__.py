"""Erasing: what is reached, its removal from every store, what is made anew without it, and the proof."""
