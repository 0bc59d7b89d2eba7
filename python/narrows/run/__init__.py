"""Scenarios, their runs and comparisons: execution, results in memory, and results folders."""
