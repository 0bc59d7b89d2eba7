# SPDX-License-Identifier: Apache-2.0
"""Trials of a change: two algorithms on the same scenarios and seeds, until intervals that are always valid decide."""
