"""Other simulators on the same dumbbells."""
