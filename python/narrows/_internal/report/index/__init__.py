# SPDX-License-Identifier: Apache-2.0
"""The page over a folder of results: a row for each, with its metrics and a link to its report."""
