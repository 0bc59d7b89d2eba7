# SPDX-License-Identifier: Apache-2.0
"""Flows in traces of real programs: their packets, their path, and their controller."""
