"""Messages into proposals: windows, requests, joint calls, and the drafts of a model's reply."""
