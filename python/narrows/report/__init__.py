# SPDX-License-Identifier: Apache-2.0
"""Reports: one HTML file each that opens without a network. Of a run or comparison, a study, a reproduction."""
