# SPDX-License-Identifier: Apache-2.0
"""The Linux kernel as a backend: kernels are built into the user's cache, and found there."""
