# SPDX-License-Identifier: Apache-2.0
"""Suites: the criteria of a document as rows, each measured in cells beside references and judged by a predicate."""
