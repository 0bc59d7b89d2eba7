# SPDX-License-Identifier: Apache-2.0
"""The executors: where the cells of a study can run. None of them writes files."""
