# SPDX-License-Identifier: Apache-2.0
"""The search for environments in which an algorithm does worst against a reference."""
