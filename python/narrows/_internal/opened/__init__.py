# SPDX-License-Identifier: Apache-2.0
"""Folders of results as objects."""
