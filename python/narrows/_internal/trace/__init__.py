# SPDX-License-Identifier: Apache-2.0
"""Flows in traces of real programs: what was sent and acknowledged, over which path, and by which controller."""
