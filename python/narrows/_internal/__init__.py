# SPDX-License-Identifier: Apache-2.0
"""The implementation: everything below here may change with any release."""
