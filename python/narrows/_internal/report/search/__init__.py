# SPDX-License-Identifier: Apache-2.0
"""The atlas of a search as a page."""
