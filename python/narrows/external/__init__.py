"""External algorithms: classes in Python files and crates of their own; found, checked, described, scaffolded."""
