"""The report of a run or a comparison."""
