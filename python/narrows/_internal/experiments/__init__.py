# SPDX-License-Identifier: Apache-2.0
"""Studies: designed experiments whose finished cells outlive every interruption.

A study file names a base scenario, the factors, and the number of replications; `definition` reads it, `plan` resolves
every point before anything runs, `campaign` runs the cells by an executor and keeps them in the folder.
"""
