# SPDX-License-Identifier: Apache-2.0
"""What the tests have compared algorithms and queues with, for their cards.

.venv/bin/python validation/comparisons.py            # print the rows that are not current
.venv/bin/python validation/comparisons.py --write    # run the tests and write all rows anew
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).parents[1]
TABLE = HOUSE / "crates/card/src/comparisons.tsv"
# Set where the tests print their rows instead of comparing them.
PRINT = "NARROWS_COMPARISONS"
NUMBER = re.compile(r"(\d+(?:\.\d+)?)")


def main() -> int:
    """Run the tests of the crates and compare or write their rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the table")
    arguments = parser.parse_args()
    table = "".join(f"{row}\n" for row in rows())
    if arguments.write:
        TABLE.write_text(table, encoding="utf-8")
        return 0
    before, now = set(TABLE.read_text(encoding="utf-8").splitlines()), set(table.splitlines())
    sys.stdout.writelines(
        f"{sign} {row}\n" for sign, left in (("-", before - now), ("+", now - before)) for row in left
    )
    return int(before != now)


def rows() -> list[str]:
    """Return a row for each comparison: catalogue, name, what is compared, result and test, separated by tabs."""
    command = ["cargo", "test", "--quiet", "--workspace", "--exclude", "narrows-python", "--no-fail-fast"]
    done = subprocess.run(  # noqa: S603
        [*command, "--", "--nocapture"],
        cwd=HOUSE,
        env={**os.environ, PRINT: "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    printed = {line.removeprefix(f"{PRINT}\t") for line in done.stdout.splitlines() if line.startswith(f"{PRINT}\t")}
    whats = [tuple(row.split("\t")[:3]) for row in printed]
    twice = {what for what in whats if whats.count(what) > 1}
    if twice:
        raise SystemExit(f"compared more than once, with different results: {sorted(twice)}")
    return sorted(printed, key=_natural)


def _natural(row: str) -> list[tuple[float, str]]:
    """Order numbers in a text by their value."""
    return [(float(part), "") if index % 2 else (-1.0, part) for index, part in enumerate(NUMBER.split(row))]


if __name__ == "__main__":
    sys.exit(main())
