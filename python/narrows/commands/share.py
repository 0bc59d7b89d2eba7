"""Results as one file, and their repetition."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from narrows.files.disk import new_file
from narrows.share import pack as packing
from narrows.share.verify import verify as verified

if TYPE_CHECKING:
    from narrows.run.options import Options
    from narrows.share.verify import Verdict


def pack(folder: Path, out: Path | None = None) -> Path:
    """Write a folder of results into one file; arguments and errors are those of `narrows.pack`."""
    place = out or Path(f"{folder.resolve().name}.zip")
    with new_file(place) as partial:
        packing.pack(folder, partial)
    return place


def verify(file: Path, options: Options) -> Verdict:
    """Repeat packed results; errors are those of `narrows.verify`.

    Args:
        file: A file that `pack` wrote.
        options: How they are run, and what is trusted.
    """
    return verified(file, options.threads, trust=options.trust, watch=options.watch)
