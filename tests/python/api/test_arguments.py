# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. A wrong type in a call of the package is a TypeError that names the allowed types."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

import narrows as nw
from narrows._internal import api
from narrows._internal.arguments import LIMITS, kind_of
from narrows._internal.cli import main
from narrows._internal.opened.folder import Answer, OpenedReproduction, OpenedRun, OpenedStudy
from narrows._internal.run.plots import Plots
from narrows._internal.run.results import Comparison, Run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SCENARIO = {"duration": "1s", "path": {"rate": "1Mbps", "rtt": "20ms"}, "flows": [{"algorithm": "newreno"}]}
ODD: list[Any] = [3.0, -1, True, b"x", [1.5], [None], [["a"]], {"a": 1}, {1}, object(), len, None, float("nan"), ...]
# Arguments whose types are those of Python, and those that are looked up in what there is.
FREE = {"self", "replication"}


COMMANDS = [
    name for name in nw.__all__ if getattr(getattr(nw, name), "__module__", "").startswith("narrows._internal.api.")
]


def functions() -> dict[str, Callable[..., Any]]:
    """Return every public function and method that takes arguments."""
    homes: list[tuple[str, Any]] = [
        ("load", nw.load), ("open", nw.open), ("figure", nw.figure), ("resolve", nw.metrics.resolve),
        *((name, getattr(api, name)) for name in COMMANDS),
        *((f"Scenario.{name}", getattr(nw.Scenario, name)) for name in ("__init__", "run", "run_on_both", "compare")),
        *((f"{home.__name__}.{name}", getattr(home, name)) for home, names in (
            (Run, ("save", "frame")), (Comparison, ("save", "frame")), (OpenedRun, ("frame",)),
            (OpenedStudy, ("query", "frame", "plot")), (OpenedReproduction, ("plot",)), (Answer, ("frame",)),
            (Plots, ("cwnd", "rate", "rtt", "queue", "metric")),
        ) for name in names),
    ]  # fmt: skip
    return dict(homes)


CASES = [
    (name, argument)
    for name, function in functions().items()
    for argument in inspect.signature(function).parameters
    if argument not in {*FREE, *LIMITS, "owner", "stoppable"}
]


def test_every_argument_of_every_public_function_has_a_type() -> None:
    assert [case for case in CASES if kind_of(*case) is None] == []


@pytest.mark.parametrize(("name", "argument"), CASES)
@given(value=some.sampled_from(ODD))
@settings(max_examples=len(ODD), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_wrong_type_is_refused_with_what_is_allowed(name: str, argument: str, value: Any) -> None:
    function, kind = functions()[name], kind_of(name, argument)
    assert kind is not None
    parameters = inspect.signature(function).parameters
    several = value if kind.several and isinstance(value, list | set) else [value]
    if argument == "overrides" and isinstance(value, dict):
        return
    if all(map(kind.fits, several)) or (value is None and parameters[argument].default is None):
        return
    needed = {
        each: None
        for each, about in parameters.items()
        if about.default is inspect.Parameter.empty and each != argument
    }
    # Whatever else is given, the first wrong argument is named.
    order = list(parameters)
    first = next((each for each in order if each == argument or (each in needed and kind_of(name, each))), argument)
    with pytest.raises(TypeError, match=rf"^{first} is .*; allowed: "):
        function(**needed, **{argument: value})


@pytest.mark.parametrize("argument", ["replications", "seed", "jobs"])
@given(value=some.sampled_from([1.5, "a", [1], -1, 2**70, object(), b"1", float("nan")]))
@settings(max_examples=8, deadline=None)
def test_a_number_that_is_none_is_refused_with_its_range(argument: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{argument} is .*; allowed: a whole number from"):
        nw.Scenario(SCENARIO).run(**{argument: value})


def test_lists_may_be_anything_that_is_iterated_once(tmp_path: Path) -> None:
    overrides: Any = (each for each in ["duration=2s"])
    measures: Any = iter(["cov(bin=500ms)"])
    run = nw.Scenario(SCENARIO, overrides=overrides).run(metrics=measures)
    assert "cov(bin=500ms)" in run.summary["groups"]["newreno"]
    run.save(tmp_path / "out")
    opened = nw.open(str(tmp_path / "out"))
    assert isinstance(opened, OpenedRun)
    assert opened.flows.num_rows == 1


def test_changes_of_keys_may_be_a_dict_of_their_values() -> None:
    changes = {"duration": "2s", "path.queue": "codel", "transport.ecn": True, "flows.0.count": np.int64(3)}
    texts = ["duration=2s", "path.queue=codel", "transport.ecn=true", "flows.0.count=3"]
    resolved = [nw.Scenario(SCENARIO, overrides=each).resolve().resolved for each in (changes, texts)]
    assert resolved[0] == resolved[1]
    with pytest.raises(
        TypeError, match=r"overrides\['duration'\] is None, a NoneType; allowed: a text, number, flag or list"
    ):
        nw.Scenario(SCENARIO, overrides={"duration": None})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("run", "two-flows", "--duration", "3s"), "it is a key of the scenario: --set duration=VALUE"),
        (("run", "two-flows", "--vary", "path.queue=droptail"), "only `narrows compare` has it"),
        (("compare", "cubic", "--vary", "path.queue=droptail,limit=1s"), "path.queue=droptail(limit=1s),codel"),
        (("run", "two-flows", "--set", "path.queue=droptail,limit=1s"), "as in droptail(limit=1s)"),
        (("compare", "cubic", "foo"), "as in ./foo.py:CLASS"),
    ],
)
def test_an_error_names_the_form_that_was_meant(
    capsys: pytest.CaptureFixture[str], given: tuple[str, ...], said: str
) -> None:
    assert main(given) == 2
    assert said in capsys.readouterr().err
