# SPDX-License-Identifier: Apache-2.0
"""Files of results folders: atomic creation, the manifest, TOML."""
