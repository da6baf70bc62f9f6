"""Which remembered fact is over by what is told later."""
