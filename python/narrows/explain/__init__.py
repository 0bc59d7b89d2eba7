"""What happened to a flow around a moment, in words."""
