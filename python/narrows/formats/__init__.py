"""Run folders in the formats of other tools: captures, spreadsheets, qlog."""
