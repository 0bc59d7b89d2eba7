# SPDX-License-Identifier: Apache-2.0
"""The exit statuses."""

DONE, EXPECTATION_FAILED, BAD_INPUT, INTERRUPTED, INTERNAL = range(5)
