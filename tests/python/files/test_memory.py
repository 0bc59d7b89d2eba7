# SPDX-License-Identifier: Apache-2.0
"""Records that would not fit into memory are refused before they fill it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import narrows as nw
from narrows._internal.errors import InputError
from narrows._internal.run import execution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows._internal.run.jobs import Job, Watch

SCENARIO = {"duration": "1s", "path": {"rate": "1Mbps", "rtt": "20ms"}, "flows": [{"algorithm": "newreno"}]}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Give a machine of 1 GB on which the records of 16 runs take a tenth of it; return the sizes of what runs."""
    sizes: list[int] = []
    before = execution._execute  # noqa: SLF001  # what it executes is counted

    def counted(jobs: Sequence[Job], threads: int | None, watch: Watch, *, keep_going: bool) -> object:
        sizes.append(len(jobs))
        return before(jobs, threads, watch, keep_going=keep_going)

    monkeypatch.setattr(execution, "_execute", counted)
    monkeypatch.setattr(execution, "available", lambda: 10**9)
    monkeypatch.setattr(execution, "used", lambda: 10**8 * sum(sizes) // 16)
    return sizes


def test_replications_without_room_are_refused_after_the_first(small: list[int]) -> None:
    with pytest.raises(InputError, match=r"200 replications: .* need about 2.4 GB .* 1.0 GB are available; .*study"):
        nw.Scenario(SCENARIO).run(replications=200, jobs=2)
    assert small == [16]


def test_replications_with_room_run_in_two_parts_to_the_same_records(small: list[int]) -> None:
    many = nw.Scenario(SCENARIO).run(replications=40, jobs=2)
    assert small == [16, 24]
    few = nw.Scenario(SCENARIO).run(replications=20, jobs=2)
    assert small == [16, 24, 20]
    first, second = (run.flows.slice(0, 20).to_pydict() for run in (many, few))
    assert first == second


def test_the_memory_of_this_process_and_of_the_machine_are_known_on_linux() -> None:
    assert execution.used() > 10**7
    assert (execution.available() or 0) > 10**7
