"""The files that formats are read from: which format one is of, its lines and elements, what is wrong with it."""
