# SPDX-License-Identifier: Apache-2.0
"""Scenarios, their runs and comparisons: execution, results in memory, and results folders."""
