"""Results as one file, and their repetition elsewhere."""
