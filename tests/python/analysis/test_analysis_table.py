# SPDX-License-Identifier: Apache-2.0
"""What the analysis reads out of a table of cells, and what it refuses to read (contract)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import narrows.analysis
from narrows._internal.analysis.table import AnalysisError, block, complete, numbers, words

CELLS = {
    "rtt": ["10ms", "10ms", "10ms", "10ms", "90ms", "90ms"],
    "algorithm": ["cubic", "cubic", "reno", "reno", "reno", "cubic"],
    "replication": [0, 1, 0, 1, 0, 0],
    "goodput": [4.0, 6.0, 1.0, None, 3.0, 8.0],
}


def test_a_block_is_the_mean_over_replications_per_condition_and_algorithm() -> None:
    found = block(CELLS, "goodput", ["rtt"])
    assert found.treatments == ("cubic", "reno")
    assert found.conditions == ({"rtt": "10ms"}, {"rtt": "90ms"})
    assert found.values.tolist() == [[5.0, 1.0], [8.0, 3.0]]


def test_without_conditions_everything_is_one_condition() -> None:
    assert block(CELLS, "goodput", []).values.tolist() == [[6.0, 2.0]]


def test_an_algorithm_without_a_value_under_a_condition_is_named() -> None:
    with pytest.raises(AnalysisError, match=r'"cubic" has no value of "goodput" under the condition \(rtt = 90ms\)'):
        block(pa.table(CELLS).slice(0, 5), "goodput", ["rtt"])


def test_a_column_that_is_absent_or_not_of_numbers_is_named() -> None:
    with pytest.raises(AnalysisError, match="unknown column 'loss'; allowed: rtt, algorithm"):
        numbers(CELLS, "loss")
    with pytest.raises(AnalysisError, match='"rtt" holds string'):
        numbers(CELLS, "rtt")
    with pytest.raises(AnalysisError, match='"goodput" has no value in 1 of 6 cells'):
        complete(CELLS, ["goodput"])
    with pytest.raises(AnalysisError, match="no value in 1 of 6"):
        words(CELLS, "goodput")


def test_levels_in_a_dictionary_column_read_like_plain_words() -> None:
    table = pa.table({"rtt": pa.array(["10ms", "90ms"]).dictionary_encode()})
    assert words(table, "rtt") == ["10ms", "90ms"]


def test_importing_every_module_of_the_analysis_loads_nothing_heavy() -> None:
    modules = sorted(
        f"narrows.analysis.{file.stem}" for file in Path(narrows.analysis.__file__).parent.glob("[!_]*.py")
    )
    heavy = {"numpy", "pyarrow", "scipy", "statsmodels", "pandas", "pydoe"}
    program = f"import sys, {', '.join(modules)}\nprint(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
