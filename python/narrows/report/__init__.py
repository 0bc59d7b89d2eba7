"""The HTML report of a run or a comparison: one file that opens without a network."""

from narrows.report.build import build

__all__ = ["build"]
