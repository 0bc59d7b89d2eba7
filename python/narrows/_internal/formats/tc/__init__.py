# SPDX-License-Identifier: Apache-2.0
"""Queueing disciplines of Linux as lines of `tc` state them, and the scenario with the same links."""
