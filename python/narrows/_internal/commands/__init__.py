# SPDX-License-Identifier: Apache-2.0
"""The work of the commands, for the command line and the functions of `import narrows`."""
