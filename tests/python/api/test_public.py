# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Public in Python are the names in `narrows.__all__` alone, and no page uses others."""

from __future__ import annotations

import ast
import json
import re
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

import narrows as nw
from narrows._internal.cli.parser import parser
from repository import HOUSE, tracked

if TYPE_CHECKING:
    from collections.abc import Iterator

# Modules whose own `__all__` is public.
MODULES = {"narrows": nw, "narrows.analysis": nw.analysis, "narrows.metrics": nw.metrics}
PAGE = HOUSE / "docs/python.md"


def examples() -> Iterator[tuple[str, str]]:
    """Yield the place and the code of every example in Python that a user reads."""
    for file in tracked():
        name = file.relative_to(HOUSE).as_posix()
        if file.suffix == ".md" and name != "CHANGELOG.md":
            for code in re.findall(r"^```python\n(.*?)^```", file.read_text("utf-8"), re.MULTILINE | re.DOTALL):
                yield name, dedent(code)
        if file.suffix == ".ipynb":
            for place, cell in enumerate(json.loads(file.read_text("utf-8"))["cells"]):
                if cell["cell_type"] == "code":
                    yield f"{name}, cell {place}", "".join(cell["source"])


def used(code: str) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of everything of Narrows that code uses."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.split(".")[0] == "narrows":
                yield from ((module, each.name) for each in names)
            case ast.Import(names=names):
                yield from ((each.name, "") for each in names if each.name.startswith("narrows."))
            case ast.Attribute(value=ast.Name(id="nw"), attr=name):
                yield "narrows", name
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="nw"), attr=inner), attr=name) if (
                f"narrows.{inner}" in MODULES
            ):
                yield f"narrows.{inner}", name


EXAMPLES = list(examples())


def test_no_example_uses_a_name_that_is_not_public() -> None:
    found = [(place, *each) for place, code in EXAMPLES for each in used(code)]
    assert len(found) > 10
    assert [each for each in found if each[2] not in getattr(MODULES.get(each[1]), "__all__", ())] == []


def test_an_example_that_uses_another_name_is_found() -> None:
    code = (
        "from narrows._internal.run.scenario import load\nimport narrows._internal.core\nnw.library\nnw.metrics.card_of"
    )
    assert set(used(code)) == {
        ("narrows._internal.run.scenario", "load"),
        ("narrows._internal.core", ""),
        ("narrows", "library"),
        ("narrows", "metrics"),
        ("narrows.metrics", "card_of"),
    }


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_there_and_documented(module: str) -> None:
    home = MODULES[module]
    assert list(home.__all__) == sorted(set(home.__all__))
    page = PAGE.read_text(encoding="utf-8")
    for name in home.__all__:
        assert getattr(home, name).__doc__, name
        assert re.search(rf"\b{name}\b", page), f"{PAGE.name} does not name {module}.{name}"
    if home is nw:
        assert dir(nw) == nw.__all__
        reference = (HOUSE / "docs/api.md").read_text(encoding="utf-8")
        for name in set(nw.__all__) - {"analysis", "metrics"}:
            assert re.search(rf"^\.\. auto\w+:: narrows\.{name}$", reference, re.MULTILINE), f"docs/api.md: {name}"


def test_the_package_has_its_version() -> None:
    assert f'\nversion = "{nw.__version__}"\n' in (HOUSE / "Cargo.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(("old", "new"), [("measures", "metrics"), ("MeasureError", "MetricError")])
def test_a_former_name_is_answered_with_the_present_one(old: str, new: str) -> None:
    with pytest.raises(AttributeError, match=rf"no attribute '{old}'; its name is {new}"):
        getattr(nw, old)


def test_a_former_argument_is_answered_with_the_present_one() -> None:
    with pytest.raises(TypeError, match="no argument 'measures'; did you mean 'metrics'"):
        nw.compare("cubic", "pair", measures="cov")  # type: ignore[call-arg]


@pytest.mark.parametrize("command", [["run", "x"], ["compare"], ["study", "run", "x"], ["ab", "x", "y"]])
def test_the_option_works_under_its_former_name(command: list[str]) -> None:
    found, unknown = parser().parse_known_args([*command, "--measure", "cov", "--metric", "jain"])
    assert (found.metrics, unknown) == (["cov", "jain"], [])
    assert parser().parse_known_args(command)[0].metrics == []
