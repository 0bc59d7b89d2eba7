"""Run folders in the formats of other tools: captures, spreadsheets, qlog."""

from narrows.callable import make_callable

make_callable(__name__)
