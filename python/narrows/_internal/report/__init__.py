# SPDX-License-Identifier: Apache-2.0
"""Reports of a run, comparison, study or reproduction: one HTML file each, which opens without a network."""
