"""Run folders in the forms of other tools: captures, spreadsheets, qlog."""
