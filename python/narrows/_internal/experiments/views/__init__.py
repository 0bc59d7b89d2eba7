# SPDX-License-Identifier: Apache-2.0
"""Studies that a command defines and evaluates: the matrix of pairs, the stages of a deployment.

A view is a file beside the plan that declares the kind of the study; otherwise such a study is like any other, with its
cells, its lease and its table.
"""
