# SPDX-License-Identifier: Apache-2.0
"""Truth: rule. What a summary says of the checks of several replications."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import narrows as nw
from command_line import SHORT, write
from narrows._internal.run.summary import combine_checks

if TYPE_CHECKING:
    from pathlib import Path


def check(*, ok: bool | None, level: str | None = None, used: float = 0.0) -> dict[str, Any]:
    return {"name": "saturated", "ok": ok, "level": level, "detail": f"used at {used} %", "shortfall": -used}


@pytest.mark.parametrize(
    ("replications", "expected"),
    [
        (
            [
                check(ok=False, level="caution", used=93.5),
                check(ok=True, used=96),
                check(ok=False, level="caution", used=81),
            ],
            (False, "caution", "used at 81 % (fails in 2 of 3 replications; the worst is shown)", 2),
        ),
        (
            [check(ok=False, level="broken", used=90), check(ok=False, level="note", used=10)],
            (False, "broken", "used at 90 % (fails in 2 of 2 replications; the worst is shown)", 2),
        ),
        (
            [check(ok=False, level="note", used=90), check(ok=True, used=96)],
            (False, "note", "used at 90 % (fails in 1 of 2 replications)", 1),
        ),
        ([check(ok=False, level="note", used=90)], (False, "note", "used at 90 %", 1)),
        ([check(ok=True, used=99), check(ok=True, used=96)], (True, None, "used at 96 %", 0)),
        ([check(ok=None), check(ok=None)], (None, None, "used at 0.0 %", 0)),
    ],
)
def test_checks_of_replications_stand_by_the_worst(
    replications: list[dict[str, Any]], expected: tuple[bool | None, str | None, str, int]
) -> None:
    (combined,) = combine_checks([[each] for each in replications])
    assert tuple(combined[key] for key in ("ok", "level", "detail", "failed")) == expected


def test_a_check_that_only_some_replications_have_counts_all_of_them() -> None:
    log = {"name": "event log complete", "ok": False, "level": "note", "detail": "limit reached", "shortfall": 0.0}
    saturated, combined = combine_checks([[check(ok=True)], [check(ok=True), log], [check(ok=True)]])
    assert saturated["ok"] is True
    assert combined["detail"] == "limit reached (fails in 1 of 3 replications)"
    assert combined["failed"] == 1


def test_a_log_of_events_may_be_full_in_some_replications_alone(tmp_path: Path) -> None:
    file = write(tmp_path, SHORT)
    logged = nw.load(file).run(replications=4).table("events").to_pydict()["replication"]
    least = min(logged.count(replication) for replication in range(4))
    assert least < max(logged.count(replication) for replication in range(4))
    run = nw.load(file, [f"record.event_limit={least}"]).run(replications=4)
    (combined,) = [each for each in run.summary["checks"] if each["name"] == "event log complete"]
    assert 1 <= combined["failed"] < 4
