# SPDX-License-Identifier: Apache-2.0
"""Run folders in the formats of other tools: captures, spreadsheets, qlog."""
