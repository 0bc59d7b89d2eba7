# SPDX-License-Identifier: Apache-2.0
"""`narrows figure`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.cli.status import DONE
from narrows.files.json_objects import to_json
from narrows.opened.figures import pictures_in, write

if TYPE_CHECKING:
    import argparse


def figure(arguments: argparse.Namespace) -> int:
    """Write a figure of a page into a file and print its caption; without a name, list the figures."""
    if arguments.name is None:
        found = pictures_in(arguments.folder)
        if arguments.json:
            print(
                to_json([{"name": each.name, "title": each.title, "caption": each.caption} for each in found.values()])
            )
            return DONE
        wide = max(map(len, found), default=0)
        for each in found.values():
            print(f"{each.name:{wide}}  {each.title}")
        return DONE
    place, shown = write(arguments.folder, arguments.name, arguments.out, arguments.width, arguments.replication)
    if arguments.json:
        print(to_json({"file": str(place), "name": shown.name, "title": shown.title, "caption": shown.caption}))
        return DONE
    print(place)
    print(f"\nCaption: {shown.title}. {shown.caption}")
    return DONE
