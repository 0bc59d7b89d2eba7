"""Truth: rule. What a summary says of the checks of several replications."""

from __future__ import annotations

from typing import Any

import pytest

from narrows.run.summary import combine_checks


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
