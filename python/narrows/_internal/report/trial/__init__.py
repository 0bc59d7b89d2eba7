# SPDX-License-Identifier: Apache-2.0
"""The results of a trial: a page, a comment for a pull request, and JUnit's XML."""
