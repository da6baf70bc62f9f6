"""One user as one file: what is known of a user leaves a home as a bundle, and comes into another one through checks.

A bundle is a copy of everything the user said and of what was made of it: whoever erases a user must delete the
bundles that were exported, which lie wherever they were written to, never inside the home.
"""
