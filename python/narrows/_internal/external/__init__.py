# SPDX-License-Identifier: Apache-2.0
"""External algorithms: classes in Python files and crates of their own; found, checked, described, scaffolded."""
