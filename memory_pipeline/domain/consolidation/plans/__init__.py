"""Plans and deeds: what was set out to be done, what fulfils it, how it turned out."""
