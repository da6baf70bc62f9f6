"""What a clause states, by its theme: states, plans, possessions, events, appointments."""
