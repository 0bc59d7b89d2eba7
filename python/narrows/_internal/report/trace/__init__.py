# SPDX-License-Identifier: Apache-2.0
"""The page of a trace: its path, and the quantities that it leaves open."""
