# SPDX-License-Identifier: Apache-2.0
"""Other simulators on the same dumbbells."""
