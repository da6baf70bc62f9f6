"""Commands that look after a home: its server, its stores, its figures."""
