"""A page that runs scenarios in a browser."""
