# SPDX-License-Identifier: Apache-2.0
"""Sizes and variants are overlays of one description; words and named parts write levels once. Truth: contract."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from study_files import SCENARIO, study, write_study

from narrows import ScenarioError
from narrows._internal.errors import InputError
from narrows._internal.experiments.definition import read_study
from narrows._internal.experiments.overlay import Choice, offered
from narrows._internal.experiments.planner import make_plan

if TYPE_CHECKING:
    from pathlib import Path

    from narrows._internal.experiments.plan import Plan

OVERLAID = """\
title = "Small"
scenario = "base.toml"
algorithms = ["newreno", "{new}"]
replications = 3
measures = ["jain", "utilization_between({late})"]

[words]
new = "aimd(a=1,b=0.8)"
late = "from=1s,until=2s"

[set]
"path.rate" = "5Mbps"
"flows.other.algorithm" = { name = "aimd", a = 1 }

[factors]
"path.queue" = [{ kind = "droptail", limit = "1bdp" }, { kind = "codel" }]

[factors.setup]
each = [{ rtt = ["20 ms", "40 ms"], start = "early" }, { rtt = "40 ms", start = "late" }]
"path.rtt" = "{rtt}"
"flows.other.start" = "{start.first}..{start.last}"

[factors.setup.values]
rtt = { "20 ms" = "20ms", "40 ms" = "40ms" }
start = { early = { first = "0s", last = "1s" }, late = { first = "2s", last = "{start.first}" } }

[sizes.quick]

[sizes.full]
replications = 10
words.late = "from=2s,until=4s"
factors.setup.each = { rtt = "40 ms", start = "early" }
factors."path.queue" = [{ kind = "droptail", limit = "2bdp" }]
set."path.rate" = "50Mbps"

[sizes.full.variants.slow]
set."path.rate" = "1Mbps"

[variants.slow]
title = "Slower"
set."path.rate" = "2Mbps"
set."flows.other.algorithm" = { name = "newreno" }

[variants.codel]
factors."path.queue" = [{ kind = "codel" }]
"""
SPELT = """\
title = "Small"
scenario = "base.toml"
algorithms = ["newreno", "aimd(a=1,b=0.8)"]
replications = {replications}
measures = ["jain", "utilization_between({late})"]

[factors]
"path.queue" = [{queues}]

[factors.setup]
labels = [{labels}]
"path.rtt" = [{rtts}]
"flows.other.start" = [{starts}]
"path.rate" = [{rates}]
"flows.other.algorithm" = [{others}]
"""
DROPTAIL = '{ kind = "droptail", limit = "1bdp" }'
AIMD = '{ name = "aimd", a = 1 }'


def spelt(count: int, **given: str) -> str:
    """Write the same study without overlays, words or named parts: `count` levels of the factor `setup`."""
    values = {
        "replications": "3", "late": "from=1s,until=2s", "queues": f'{DROPTAIL}, {{ kind = "codel" }}',
        "labels": '"20 ms, early", "40 ms, early", "40 ms, late"', "rtts": '"20ms", "40ms", "40ms"',
        "starts": '"0s..1s", "0s..1s", "2s..2s"', "rates": '"5Mbps"', "others": AIMD, **given,
    }  # fmt: skip
    for name in ("rates", "others"):
        values[name] = ", ".join([values[name]] * count)
    return SPELT.format(**values)


ONE = {"labels": '"40 ms, early"', "rtts": '"40ms"', "starts": '"0s..1s"'}
TWICE = '{ kind = "droptail", limit = "2bdp" }'
LATER = "from=2s,until=4s"


@pytest.mark.parametrize(
    ("choice", "same"),
    [
        (Choice(), spelt(3)),
        (Choice("quick"), spelt(3)),
        (Choice("full"), spelt(1, replications="10", late=LATER, queues=TWICE, rates='"50Mbps"', **ONE)),
        (Choice("quick", "slow"), spelt(3, rates='"2Mbps"', others='{ name = "newreno" }')),
        (
            Choice("full", "slow"),
            spelt(1, replications="10", late=LATER, queues=TWICE, rates='"1Mbps"', others='"newreno"', **ONE),
        ),
        (Choice(None, "codel"), spelt(3, queues='{ kind = "codel" }')),
    ],
)
def test_a_size_and_a_variant_are_the_study_that_is_spelt_out(tmp_path: Path, choice: Choice, same: str) -> None:
    file = write_study(tmp_path, OVERLAID)
    (tmp_path / "spelt.toml").write_text(same, encoding="utf-8")
    short, long = make_plan(read_study(file, choice=choice)), make_plan(read_study(tmp_path / "spelt.toml"))
    assert [short.key(point, 0) for point in short.points] == [long.key(point, 0) for point in long.points]
    assert levels(short) == levels(long)
    assert short.columns == long.columns
    assert short.replications == long.replications


def levels(plan: Plan) -> list[Any]:
    """Return what the results hold of each point's levels; what `set` changes is not a level."""
    set_keys = ("path.rate", "flows.other.algorithm")
    return [[point.algorithm, {k: v for k, v in point.levels.items() if k not in set_keys}] for point in plan.points]


def test_a_title_names_the_variant(tmp_path: Path) -> None:
    file = write_study(tmp_path, OVERLAID)
    titles = [read_study(file, choice=Choice(None, name)).title for name in (None, "codel", "slow")]
    assert titles == ["Small", "Small: codel", "Slower: slow"]


def test_sizes_are_offered_with_the_variants_that_can_be_had(tmp_path: Path) -> None:
    text = OVERLAID + "[sizes.quick.variants.own]\nreplications = 2\n"
    assert offered(write_study(tmp_path, text)) == {"quick": ["slow", "codel", "own"], "full": ["slow", "codel"]}


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (("--size", "ful"), "unknown size 'ful'; did you mean 'full'?"),
        (("--variant", "tenth"), "unknown variant 'tenth'; allowed: codel, slow"),
        (("--size", "full", "--variant", "slo"), "unknown variant of the size full 'slo'; did you mean 'slow'?"),
    ],
)
def test_a_size_or_variant_that_is_not_there_is_bad_input(
    tmp_path: Path, choice: tuple[str, ...], expected: str
) -> None:
    write_study(tmp_path, OVERLAID)
    status, out, messages = study(tmp_path, "run", "study.toml", "--out", "out", *choice)
    assert (status, out) == (2, "")
    assert expected in messages
    assert not (tmp_path / "out").exists()


def test_a_file_without_sizes_says_so(tmp_path: Path) -> None:
    file = write_study(tmp_path, 'scenario = "base.toml"\n')
    with pytest.raises(InputError, match="unknown size 'quick'; allowed: none"):
        read_study(file, choice=Choice("quick"))


@pytest.mark.parametrize(
    ("change", "place", "expected"),
    [
        (("[sizes.quick]", "[sizes.quick]\nsede = 1"), "sizes.quick.sede", "did you mean `seed`?"),
        (("[sizes.quick]", "[sizes.quick]\nsizes = {}"), "sizes.quick.sizes", "unknown key"),
        (("[variants.codel]", "[variants.codel.variants.own]"), "variants.codel.variants", "unknown key"),
        (("[sizes.quick]", "[sizes]\nquick = 3"), "sizes.quick", "expected a table"),
        (("replications = 10", "replications = 0"), ":30:16: sizes.full.replications", "expected a whole number"),
        (('"{new}"', '"{nwe}"'), "algorithms.1", "did you mean `new`?"),
        (('new = "aimd(a=1,b=0.8)"', 'new = "{new}"'), "words.new", "`{new}` stands for itself"),
        (('"path.rtt" = "{rtt}"', '"path.rtt" = "{rt}"'), "factors.setup.path.rtt", "did you mean `rtt`?"),
        (("{start.last}", "{start.lats}"), "factors.setup.flows.other.start", "did you mean `last`?"),
        (('rtt = "40 ms", start = "late"', 'rtt = "41 ms", start = "late"'), "factors.setup.each.1", "`41 ms` stands"),
        (('rtt = "40 ms", start = "late"', 'rtt = "40 ms", start = "early"'), "factors.setup.each.1", "is there twice"),
        (('"path.rate" = "5Mbps"', '"path.rate" = "5"'), ":12:15: set.path.rate", "without a unit"),
        (('"path.rate" = "5Mbps"', '"path.rat" = "5Mbps"'), "set.path.rat", "did you mean `rate`?"),
        (('"path.rate" = "5Mbps"', 'path.rate = "5Mbps"'), "set.path", 'write "path.KEY"'),
    ],
)
def test_every_fault_in_an_overlay_is_named_with_its_place(
    tmp_path: Path, change: tuple[str, str], place: str, expected: str
) -> None:
    assert change[0] in OVERLAID
    file = write_study(tmp_path, OVERLAID.replace(*change))
    with pytest.raises(ScenarioError) as caught:
        make_plan(read_study(file, choice=Choice("full" if "10" in change[0] else None)))
    assert place in str(caught.value)
    assert expected in str(caught.value)


def test_braces_are_mere_text_in_a_file_without_words(tmp_path: Path) -> None:
    file = write_study(tmp_path, 'title = "{x}"\nscenario = "base.toml"\n')
    assert read_study(file).title == "{x}"


def test_a_folder_says_which_size_and_variant_it_holds(tmp_path: Path) -> None:
    write_study(tmp_path, OVERLAID, SCENARIO.replace('"5s"', '"3s"'))
    shorter = ("--replications", "2", "--set", "path.rtt=20ms")
    chosen = ("--size", "full", "--variant", "codel")
    status, _, messages = study(tmp_path, "run", "study.toml", "--out", "out", "--quiet", *chosen, *shorter)
    assert status == 0, messages
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["size"], manifest["variant"]) == ("full", "codel")


EXTENDING = """\
extends = "study.toml"
title = "Shorter"
words.new = "cubic"

[factors.setup]
each = { rtt = "20 ms", start = "late" }

[sizes.short]
replications = 2
"""


def test_a_file_may_extend_the_description_of_another(tmp_path: Path) -> None:
    write_study(tmp_path, OVERLAID)
    (tmp_path / "inner").mkdir()
    file = tmp_path / "inner" / "other.toml"
    file.write_text(EXTENDING.replace("study.toml", "../study.toml"), encoding="utf-8")
    found = read_study(file, choice=Choice("short"))
    assert (found.title, found.algorithms, found.replications.minimum) == ("Shorter", ["newreno", "cubic"], 2)
    assert [level.label for level in found.factors[1].levels] == ["20 ms, late"]
    assert found.factors[1].levels[0].moves["flows.other.start"] == "2s..2s"
    assert offered(file) == {"short": []}
    with pytest.raises(InputError, match="unknown size 'full'; allowed: short"):
        read_study(file, choice=Choice("full"))


@pytest.mark.parametrize(
    ("extending", "extended", "expected"),
    [
        (
            EXTENDING,
            OVERLAID.replace("replications = 3", "replications = 0"),
            "study.toml:4:16: replications: expected a whole",
        ),
        (EXTENDING, OVERLAID.replace("codel", "codle"), "study.toml:16:1: factors.path.queue: path.queue"),
        (EXTENDING.replace("words.new", "sede"), OVERLAID, "other.toml:3:1: sede: unknown key"),
        (EXTENDING.replace("study.toml", "nowhere.toml"), OVERLAID, "other.toml:1:11: extends: "),
        (EXTENDING, EXTENDING, "itself extends another file"),
    ],
)
def test_a_fault_in_either_file_has_its_place_there(
    tmp_path: Path, extending: str, extended: str, expected: str
) -> None:
    write_study(tmp_path, extended)
    file = tmp_path / "other.toml"
    file.write_text(extending, encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        make_plan(read_study(file))
    assert expected in str(caught.value)


def test_a_folder_keeps_the_file_that_was_extended(tmp_path: Path) -> None:
    write_study(tmp_path, OVERLAID, SCENARIO.replace('"5s"', '"3s"'))
    (tmp_path / "other.toml").write_text(EXTENDING, encoding="utf-8")
    status, _, messages = study(tmp_path, "run", "other.toml", "--out", "out", "--quiet", "--size", "short")
    assert status == 0, messages
    # In the folder the extended file has the name under which it is kept.
    kept = EXTENDING.replace('"study.toml"', '"extended.toml"')
    assert (tmp_path / "out/study.toml").read_text(encoding="utf-8") == kept
    extended = OVERLAID.replace('"base.toml"', '"scenario.toml"')
    assert (tmp_path / "out/extended.toml").read_text(encoding="utf-8") == extended
