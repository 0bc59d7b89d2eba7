"""Folders of results as objects."""
