# SPDX-License-Identifier: Apache-2.0
"""The process that answers one query: `python -P -m narrows._internal.experiments.answering`.

It reads a folder and a query. It answers with the names of the columns, the rows in parts and an empty part, or with
the error. It ends with the command that started it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

from narrows._internal.errors import InputError
from narrows._internal.experiments.stored import stored
from narrows._internal.extras import load
from narrows._internal.run.processes import receive, send
from narrows._internal.run.worker import close_standard_streams, end_with, end_with_stream


def main() -> None:
    """Answer the query on standard input on standard output."""
    end_with(os.getppid())
    questions, answers = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb")
    close_standard_streams()
    folder, sql = receive(questions)
    Thread(target=end_with_stream, args=(questions,), daemon=True).start()
    try:
        for part in answer(folder, sql):
            send(answers, part)
    except Exception as error:  # noqa: BLE001  # the command raises it
        send(answers, error)
    sys.stderr.flush()
    # No cleanup is needed, and deleting a table takes time.
    os._exit(0)


def answer(folder: Path, sql: str) -> Iterator[Any]:
    """Yield the names of the columns, the rows in parts, and an empty part."""
    duckdb = load("duckdb")

    with duckdb.connect(":memory:") as connection:
        connection.register("cells", stored(folder).table())
        try:
            connection.execute("set enable_external_access = false")
            statements = connection.extract_statements(sql)
            # Other statements change settings or call functions of the database, which serves no purpose here.
            if not statements or any(each.type.name not in ASKING for each in statements):
                raise InputError("the question", f"expected a SELECT, got {sql.strip()!r}")
            connection.execute(sql)
            yield [str(column[0]) for column in connection.description]
            while part := connection.fetchmany(PART):
                yield part
        except duckdb.Error as error:
            raise InputError("the question", str(error)) from None
    yield []


# Rows that are sent together.
PART = 10_000
ASKING = {"SELECT", "EXPLAIN", "MULTI"}

if __name__ == "__main__":
    main()
