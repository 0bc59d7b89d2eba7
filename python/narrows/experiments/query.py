# SPDX-License-Identifier: Apache-2.0
"""Queries of the results of a study in SQL, by DuckDB."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from narrows.errors import InputError
from narrows.experiments.stored import stored
from narrows.extras import load

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb


def query(folder: Path, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Run an SQL query on the table `cells` of a study.

    Args:
        folder: Folder of the study, which may be running.
        sql: A query in the SQL of DuckDB; it has access to the table and to no file.

    Returns:
        The names of the columns, and the rows.

    Raises:
        InputError: The path is not a folder of a study, or the query has an error.
        KeyboardInterrupt: The query was interrupted.
    """
    duckdb = load("duckdb")

    with duckdb.connect(":memory:") as connection:
        connection.register("cells", stored(folder).table())
        try:
            connection.execute("set enable_external_access = false")
            statements = connection.extract_statements(sql)
            # Others change settings or call functions of the database, which has no use here.
            if not statements or any(each.type.name not in ASKING for each in statements):
                raise InputError("the question", f"expected a SELECT, got {sql.strip()!r}")
            return _answered(connection, sql)
        except duckdb.InterruptException:
            raise KeyboardInterrupt from None
        except duckdb.Error as error:
            raise InputError("the question", str(error)) from None


def _answered(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the columns and rows of a query, which runs in a thread so that this one has signals at once."""

    def ask() -> tuple[list[str], list[tuple[Any, ...]]]:
        answer = connection.execute(sql)
        return [str(column[0]) for column in answer.description], answer.fetchall()

    with ThreadPoolExecutor(max_workers=1) as pool:
        found = pool.submit(ask)
        try:
            while not wait([found], timeout=STEP_S).done:
                pass
        except BaseException:
            # What has not begun yet is not interrupted.
            while not wait([found], timeout=STEP_S).done:
                connection.interrupt()
            raise
        return found.result()


STEP_S = 0.1
ASKING = {"SELECT", "EXPLAIN", "MULTI"}
