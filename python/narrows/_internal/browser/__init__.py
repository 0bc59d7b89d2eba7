# SPDX-License-Identifier: Apache-2.0
"""A page that runs scenarios in a browser."""
