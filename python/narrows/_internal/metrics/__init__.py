# SPDX-License-Identifier: Apache-2.0
"""Metrics of groups and links: their cards, and the functions that compute them."""
