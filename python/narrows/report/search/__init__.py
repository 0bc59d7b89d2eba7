"""The atlas of a search as a page."""
