# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Whatever stands in a file of claims, it is read or refused with the key path and a reason."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from damage import damaged
from narrows._internal.core import ScenarioError
from narrows._internal.errors import InputError
from narrows._internal.files.toml import to_toml
from narrows._internal.library import STUDIES
from narrows._internal.reproduction.claims_file import read_claims
from narrows._internal.reproduction.registry import StudyFolder

if TYPE_CHECKING:
    from pathlib import Path

CLAIMS = """\
title = "A study"
number = "900"
source = "A paper"
question = "What?"
packet_hops = { quick = 1e6, full = 2e9 }
labels = { "path.rtt" = "delay" }

[words]
quick = { last = 10 }
full = { last = 20 }

[experiments]
paths = "many paths"

[lists]
delays = ["10ms", "40ms"]

[quantities]
goodput = { measure = "goodput_bps", where = { algorithm = "{x}" }, over = "mean", missing = 0 }
"sum of {x}" = { sum = { named = "goodput", where = { x = "{x}" } } }

[[variants]]
name = "long"
about = "for longer"
variant = "long"
claims = ["a"]
algorithms = { cubic = "cubic-linux" }

[[judges]]
name = "ns-2"
about = "another simulator"
cells = { paths = "ns2.tsv" }
size = "quick"

[[claims]]
id = "a"
statement = "Reno is faster."
strength = "strong"
experiment = "paths"
place = "section 1"
supported = "by all"
whose = "study"
cause = { whose = "set-up", text = "Long runs.", evidence = ["long", "A run of an hour."], decides = "longer ones" }
direction = { order = [{ measure = "goodput_bps" }, { named = "goodput", where = { x = "reno" } }], or_equal = true }
magnitude = { is = { ratio = [{ measure = "goodput_bps" }, 2] }, at_least = 1, at_most = 2 }

[[claims]]
id = "b"
statement = "It rises."
strength = "weak"
experiment = "paths"
place = "section 2"
supported = "by some"
check = true
bound = "ours"
cause = "it falls"
direction = { any = [
  { rising = { measure = "loss_rate", where = { "path.rtt" = "{rtt}" } }, over = { rtt = "delays" } },
  { each = { x = ["reno"] }, test = { is = { named = "goodput" }, at_least = 1 } }], least = 1 }

[[claims]]
id = "c"
statement = "More."
strength = "medium"
experiment = "paths"
place = "section 3"
supported = "by none"
direction = { all = [
  { is = { correlation = [{ measure = "loss_rate" }, { measure = "loss_rate" }], over = { rtt = "delays" } },
    at_most = 0 },
  { is = { probability = { constant = { measure = "loss_rate" } }, at_least = 0.1 }, at_least = 0.5 },
  { is = { rank = { measure = "goodput_bps" }, at = { x = "reno" }, among = { x = ["reno", "cubic"] },
    best = "highest" }, at_most = 1 },
  { is = { max = [{ measure = "loss_rate" }, 3], over = { rtt = "delays" } }, at_most = 0 },
] }

[[claims]]
id = "d"
statement = "None."
strength = "medium"
experiment = "paths"
place = "section 3"
supported = "by none"
not_testable = "no data"

[[figures]]
title = "A figure"
caption = "shows"
label = "goodput"
x = "delays"
experiment = "paths"
measure = "goodput_bps"
lines = { reno = { algorithm = "newreno" } }
published = { reno = [1, ""] }
log = true

[[tables]]
title = "A table"
caption = "shows"
label = "goodput"
rows = ["reno"]
columns = ["a", "b"]
is = { measure = "goodput_bps", where = { algorithm = "{row}" } }
experiment = "paths"
published = { reno = [1, ""] }

[[calibrations]]
title = "A calibration"
caption = "shows"
under = ["as described"]
parts = { one = { tables = ["A table"], column = "a" } }
""".replace("\n    ", " ")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("claims") / "claims.toml"


def refused(file: Path, text: str) -> str | None:
    """Return why claims are refused; None if they are read."""
    file.write_text(text, encoding="utf-8")
    try:
        for size in ("quick", "full"):
            read_claims(file, size)
    except (InputError, ScenarioError) as error:
        return str(error)
    return None


def test_the_claims_before_the_damage_are_read(file: Path) -> None:
    assert refused(file, CLAIMS) is None
    for each in STUDIES.glob("*/claims.toml"):
        assert read_claims(each).claims


@given(content=damaged(tomllib.loads(CLAIMS)))
@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_claims_with_wrong_types_are_refused_with_the_file(file: Path, content: dict[str, Any]) -> None:
    said = refused(file, to_toml(content))
    assert said is None or "claims.toml" in said


@given(end=some.integers(0, len(CLAIMS)))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_claims_that_are_cut_off_are_read_or_refused(file: Path, end: int) -> None:
    refused(file, CLAIMS[:end])


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"a": ', "\udcff"])
def test_a_damaged_ledger_of_a_study_is_refused_with_the_file(tmp_path: Path, text: str) -> None:
    for name in ("ledger.json", "ledger-quick.json", "tables.json"):
        (tmp_path / name).write_bytes(text.encode(errors="surrogateescape"))
    for read in (lambda: StudyFolder(tmp_path).ledger, lambda: StudyFolder(tmp_path).tables):
        with pytest.raises(InputError, match=r"\.json: is damaged"):
            read()
