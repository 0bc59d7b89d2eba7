"""Explanations of what happened to a flow around a given time."""
