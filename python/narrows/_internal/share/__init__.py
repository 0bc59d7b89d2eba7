# SPDX-License-Identifier: Apache-2.0
"""Results as one file, and their repetition elsewhere."""
