# SPDX-License-Identifier: Apache-2.0
"""Studies: designed experiments whose finished cells outlive every interruption.

A study file names a base scenario, what is varied, and how often each combination runs; `definition` reads it, `plan`
resolves every point before anything runs, `campaign` runs the cells by an executor and keeps them in the folder.
"""
