"""The backends that run scenarios, by name: the simulator, or a kernel."""

from __future__ import annotations

from narrows.errors import InputError
from narrows.linux import cache, library

SIMULATOR = "simulator"
LINUX = "linux"


def files(on: str) -> tuple[str, str] | None:
    """Return the kernel and the library of its network for a backend.

    Args:
        on: `simulator`, `linux`, or `linux:NAME` for the kernel of that name.

    Returns:
        The two paths; None for the simulator.

    Raises:
        InputError: There is no such backend, or its kernel or network is not built.
    """
    if on == SIMULATOR:
        return None
    kind, _, name = on.partition(":")
    if kind != LINUX:
        raise InputError(on, "no such backend; allowed: simulator, linux, linux:NAME")
    return str(cache.find(name or cache.DEFAULT).program), str(library.find())


def describe(on: str) -> dict[str, object]:
    """Return what a manifest says of a backend: its name and, of a kernel, version, key and timer frequency."""
    if on == SIMULATOR:
        return {"on": on}
    kernel = cache.find(on.partition(":")[2] or cache.DEFAULT)
    return {"on": on, "kernel": kernel.version, "kernel_key": kernel.key, "timer_hz": kernel.timer_hz}
