# SPDX-License-Identifier: Apache-2.0
"""The Python interface: what it gives back, what it raises, and that its examples are true."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import tomllib
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import narrows as nw
from command_line import SHORT
from narrows._internal.library import library
from repository import HOUSE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MODULES = [
    module.name
    for module in pkgutil.walk_packages(nw.__path__, "narrows.")
    if not module.name.endswith(("__main__", "_core"))
]


@pytest.mark.parametrize("name", ["narrows", *MODULES])
def test_the_examples_of_a_module_are_true(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_a_file_a_text_and_a_dict_are_the_same_scenario(scenario: Path) -> None:
    digests = {
        each.run().summary["digest"]
        for each in (nw.load(scenario), nw.Scenario(SHORT), nw.Scenario(tomllib.loads(SHORT)))
    }
    assert len(digests) == 1


def test_a_run_gives_arrow_tables(scenario: Path) -> None:
    run = nw.load(scenario).run(replications=2, seed=3, jobs=1)
    assert run.summary["seed"] == 3
    for table in (run.flows, run.links, run.series, run.distributions):
        assert isinstance(table, pa.Table)
        assert set(table.column("replication").to_pylist()) == {0, 1}


def test_numbers_reach_arrow_without_a_copy(scenario: Path) -> None:
    run = nw.load(scenario).run()
    values, _ = run.records[0].tables["flows"]["throughput_bps"]
    column = run.flows.column("throughput_bps").chunk(0)
    assert column.buffers()[1].address == values.ctypes.data


def test_a_comparison_names_the_algorithm_under_test(scenario: Path) -> None:
    comparison = nw.load(scenario).compare(["newreno", "cubic"], replications=2)
    assert list(comparison.summary["algorithms"]) == ["newreno", "cubic"]
    for table in (comparison.flows, comparison.links, comparison.series, comparison.distributions):
        assert set(table.column("subject").to_pylist()) == {"newreno", "cubic"}


def test_faults_of_a_scenario_are_data() -> None:
    with pytest.raises(nw.ScenarioError) as caught:
        nw.Scenario(SHORT.replace("warmup", "warmpu")).run()
    fault: dict[str, Any] = caught.value.diagnostics[0]
    assert (fault["line"], fault["column"]) == (3, 1)
    assert fault["message"] in str(caught.value)


def test_a_file_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(nw.InputError):
        nw.load(tmp_path / "nowhere.toml")


def test_the_same_algorithm_twice_is_refused(scenario: Path) -> None:
    with pytest.raises(ValueError, match="twice"):
        nw.load(scenario).compare(["cubic", "cubic"])


class Stopper:
    """Stops the work at once."""

    def update(self, fraction: float) -> None:
        """Ignore it."""

    def stopped(self) -> bool:
        """Always."""
        return True


def test_stopping_before_anything_has_finished_says_so(long_scenario: Path) -> None:
    with pytest.raises(nw.Interrupted):
        nw.load(long_scenario, ["duration=100000s", "record.interval=100s"]).run(watch=Stopper())


def test_a_scenario_of_the_library_is_loaded_by_its_name() -> None:
    assert nw.load("two-flows").text == nw.load(library()["two-flows"].file).text
    with pytest.raises(nw.InputError, match="did you mean 'two-flows'"):
        nw.load("two-flow")


def test_the_folder_of_a_run_is_no_scenario_and_the_hint_says_where_that_is(tmp_path: Path) -> None:
    nw.Scenario(SHORT).run().save(tmp_path / "out")
    with pytest.raises(nw.InputError, match=r"its scenario is .*out/scenario\.toml"):
        nw.load(tmp_path / "out")


@pytest.mark.parametrize("argument", [{"seed": -1}, {"replications": 0}, {"replications": -2}, {"seed": 2**70}])
def test_a_number_out_of_range_is_a_value_error(argument: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="allowed: a whole number from"):
        nw.Scenario(SHORT).run(**argument)  # type: ignore[arg-type]


def test_what_is_no_algorithm_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"a list; allowed: a list of names of algorithms"):
        nw.Scenario(SHORT).compare(["cubic", 3])  # type: ignore[list-item]


@pytest.mark.parametrize("argument", [nw.Ack, nw.Loss, nw.Moment, nw.Sent, nw.Setup])
def test_every_attribute_of_an_argument_is_documented_in_python_and_in_the_table(argument: type) -> None:
    page = (HOUSE / "docs/your-algorithm.md").read_text()
    for name, attribute in vars(argument).items():
        if inspect.isgetsetdescriptor(attribute):
            assert attribute.__doc__, f"{argument.__name__}.{name} has no docstring"
            assert f"`{name}`" in page


BRIEF = ["duration=4s", "warmup=1s"]
# For arguments that the types refuse, too.
UNTYPED: Any = nw


def test_a_text_by_itself_is_a_list_of_one() -> None:
    found = nw.compare("cubic", "pair", overrides=BRIEF, metrics="cov", replications=1)
    assert list(found.summary["algorithms"]) == ["cubic"]
    assert nw.load("pair", "duration=90s").overrides == ["duration=90s"]
    with pytest.raises(nw.InputError, match=r"path\.rtt=20ms: needs two levels"):
        nw.compare("cubic", "pair", overrides=BRIEF, vary={"path.rtt": "20ms"})


@pytest.mark.parametrize("argument", [{"seed": -1}, {"replications": 0}, {"replications": 1.5}, {"jobs": 0}])
def test_every_function_refuses_a_number_out_of_range(argument: dict[str, Any], tmp_path: Path) -> None:
    out = tmp_path / "out"
    calls: list[Callable[[], object]] = [
        lambda: nw.load("pair", BRIEF).run(**argument),
        lambda: nw.compare(["cubic"], "pair", overrides=BRIEF, **argument),
        lambda: nw.matrix(["cubic"], out, overrides=BRIEF, **argument),
        lambda: nw.deploy("bbr3", out, **argument),
        lambda: nw.study("nowhere.toml", out, **argument),
        lambda: nw.suite("rfc9743", "cubic", out, **argument),
        lambda: nw.reproduce("bansal-2001", out, **argument),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"is (-1|0|1\.5); allowed: a whole number from"):
            call()
    assert not out.exists()


@pytest.mark.parametrize(
    ("call", "error", "problem"),
    [
        (lambda: nw.Scenario("two-flows"), nw.InputError, "`narrows.load` reads files"),
        (lambda: UNTYPED.Scenario(3), TypeError, "source is 3, a int; allowed: a dict"),
        (lambda: nw.Scenario({"path": {"rate": [None]}}), TypeError, "path.rate.0: None is a NoneType; allowed"),
        (lambda: UNTYPED.compare("cubic", "pair", vary="path.rtt"), TypeError, "a str; allowed: a dict"),
        (lambda: UNTYPED.compare("cubic", "pair", margins={"jain": 1}), TypeError, "a dict; allowed: a text"),
        (lambda: nw.suite("rfc9743", "cubic", "out", size="medium"), nw.InputError, "allowed: quick, full"),
    ],
)
def test_an_argument_that_is_wrong_is_named(call: Callable[[], object], error: type[Exception], problem: str) -> None:
    with pytest.raises(error, match=problem):
        call()


def test_the_half_width_of_a_matrix_may_be_a_number(tmp_path: Path) -> None:
    conditions: dict[str, Any] = {"rates": "5Mbps", "rtts": "20ms", "buffers": "1bdp", "overrides": BRIEF}
    found = nw.matrix("cubic", tmp_path / "out", **conditions, within=0.5, maximum=2)
    assert found.status.finished == found.status.cells
    with pytest.raises(nw.InputError, match=r"within: expected a percentage in \(0, 100\), as in 5%, got 1\.5"):
        nw.matrix("cubic", tmp_path / "more", **conditions, within=1.5)
    with pytest.raises(ValueError, match="maximum is 1; allowed: a whole number from 2"):
        nw.matrix("cubic", tmp_path / "more", **conditions, maximum=1)


def test_a_table_and_a_replication_that_do_not_exist_are_named_with_what_is_allowed(tmp_path: Path) -> None:
    run: Any = nw.load("pair", BRIEF).run(replications=2)
    run.save(tmp_path / "out")
    for found in (run, UNTYPED.open(tmp_path / "out")):
        with pytest.raises(KeyError, match="unknown table 'flow'; did you mean 'flows'"):
            found.frame("flow")
        for replication in (7, "a"):
            with pytest.raises(nw.InputError, match=f"replication {replication}: has no series; allowed: 0, 1"):
                found.plot.cwnd(replication=replication)
    with pytest.raises(nw.InputError, match="csv has the tables of all replications"):
        nw.export("csv", tmp_path / "out", replication=1)


def test_numbers_of_numpy_are_numbers_of_a_scenario() -> None:
    text = nw.Scenario({"seed": np.int64(3), "path": {"loss": np.float64(0.25)}}).text
    assert text == '"seed" = 3\n"path" = { "loss" = 0.25 }\n'
