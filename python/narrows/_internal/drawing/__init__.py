# SPDX-License-Identifier: Apache-2.0
"""Drawing: figures as SVG, from scales and styles to panels on a paper."""
