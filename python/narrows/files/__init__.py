"""Files of results folders: atomic creation, the manifest, TOML."""
