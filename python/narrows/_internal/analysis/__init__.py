# SPDX-License-Identifier: Apache-2.0
"""What the public modules of `narrows.analysis` share, and analyses that pages alone use."""
