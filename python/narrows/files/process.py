# SPDX-License-Identifier: Apache-2.0
"""Whether the process that wrote a folder is still running."""

import os


def is_alive(pid: int) -> bool:
    """Return whether a process of this host with the number `pid` exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
