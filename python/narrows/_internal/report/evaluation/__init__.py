# SPDX-License-Identifier: Apache-2.0
"""The report of a suite: an annex for a document, as a page and in Markdown."""
