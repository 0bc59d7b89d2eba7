# SPDX-License-Identifier: Apache-2.0
"""Judge kept cells of published studies by their present claims: `python docs/judge_kept.py NAME…`. Nothing runs."""

from __future__ import annotations

import sys

from narrows._internal.reproduction.kept import judge_kept
from narrows._internal.reproduction.registry import find

if __name__ == "__main__":
    for name in sys.argv[1:]:
        judge_kept(find(name), "medium")
