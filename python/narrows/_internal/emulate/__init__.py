# SPDX-License-Identifier: Apache-2.0
"""The path of a scenario between real programs, in real time."""
