# SPDX-License-Identifier: Apache-2.0
"""The page that every report is written on: its document, how metrics are labelled, how values are written."""
