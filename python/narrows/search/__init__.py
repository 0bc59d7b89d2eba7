"""The search for environments in which an algorithm does worst against a reference."""
