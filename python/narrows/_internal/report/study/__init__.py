# SPDX-License-Identifier: Apache-2.0
"""The figures of a study: drawn from the plain data of `narrows.analysis`, in the report's own SVG."""
