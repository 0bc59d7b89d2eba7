# SPDX-License-Identifier: Apache-2.0
"""The executors, which run the cells of a study. None of them writes files."""
