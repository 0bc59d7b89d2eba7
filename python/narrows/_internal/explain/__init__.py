# SPDX-License-Identifier: Apache-2.0
"""Explanations of what happened to a flow around a given time."""
