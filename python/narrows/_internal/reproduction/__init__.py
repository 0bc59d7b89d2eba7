# SPDX-License-Identifier: Apache-2.0
"""Published studies, run again: experiments, claims, and a verdict for each."""
