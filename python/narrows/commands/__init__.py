# SPDX-License-Identifier: Apache-2.0
"""What the commands do, for the command line and for the functions of `import narrows`."""
