# SPDX-License-Identifier: Apache-2.0
"""The structure of the sources: dependencies as documented, one module for the extension, short files, no addresses."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from typing import TYPE_CHECKING

import pytest

import narrows
from dependencies import cycles, orphans, package_of, part_of, python_uses, rust_uses
from repository import HOUSE, tracked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LONGEST_FILE = 600
LAYERS = tomllib.loads((HOUSE / "tests/python/repository/layers.toml").read_text(encoding="utf-8"))
CRATES, PACKAGES = ({name: set(used) for name, used in LAYERS[part].items()} for part in ("crates", "packages"))
# What argparse calls of its parsers.
ARGPARSE = ("_check_value",)
# Decorators that register nothing.
PLAIN = {"abstractmethod", "cache", "cached_property", "classmethod", "dataclass", "property", "staticmethod"}
SCRIPTS = [file for folder in ("benches", "docs", "validation") for file in sorted((HOUSE / folder).rglob("*.py"))]
MANIFESTS = sorted(HOUSE.glob("crates/*/Cargo.toml"))
DEMAND = HOUSE / "crates/model/src/demand.rs"
# Put together here, so that this file does not hold what it forbids.
ADDRESSES = [
    "/" + "root/",
    "/" + "home/",
    "/" + "Users/",
    "/" + "work/",
    "://" + "index.",
    "crates" + ".io",
    "pypi" + ".org",
    "python" + "hosted",
    "arti" + "factory",
]


def dependencies(manifest: Path) -> set[str]:
    """Return the names of all crates that a manifest names, for building and testing too."""
    parsed = tomllib.loads(manifest.read_text(encoding="utf-8"))
    kinds = ("dependencies", "dev-dependencies", "build-dependencies")
    tables = [parsed.get(kind, {}) for kind in kinds]
    for target in parsed.get("target", {}).values():
        tables += [target.get(kind, {}) for kind in kinds]
    return {name for table in tables for name in table}


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest.parent.name)
def test_a_crate_uses_the_crates_that_are_listed(manifest: Path) -> None:
    inner = {name.removeprefix("narrows-") for name in dependencies(manifest) if name.startswith("narrows-")}
    assert inner == CRATES[manifest.parent.name]


def test_every_crate_is_listed() -> None:
    assert set(CRATES) == {manifest.parent.name for manifest in MANIFESTS}


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest.parent.name)
def test_the_compiler_reads_every_rust_file(manifest: Path) -> None:
    assert not orphans(manifest.parent)


def test_a_rust_file_that_no_module_names_is_found(tmp_path: Path) -> None:
    files = {
        "src/lib.rs": "mod here;\n#[cfg(test)]\nmod tests;\n",
        "src/here.rs": "pub(crate) mod below;\n",
        "src/here/below.rs": "",
        "src/tests.rs": "",
        "src/left.rs": "",
        "tests/one.rs": 'mod support;\n#[path = "support/more.rs"]\nmod more;\n',
        "tests/support/mod.rs": "",
        "tests/support/more.rs": "",
        "tests/support/unused.rs": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert [file.relative_to(tmp_path).as_posix() for file in orphans(tmp_path)] == [
        "src/left.rs",
        "tests/support/unused.rs",
    ]
    # The tests of one binary.
    (tmp_path / "Cargo.toml").write_text('[[test]]\nname = "all"\npath = "tests/main.rs"\n', encoding="utf-8")
    (tmp_path / "tests/main.rs").write_text("mod one;\n", encoding="utf-8")
    (tmp_path / "tests/two.rs").write_text("", encoding="utf-8")
    assert "tests/two.rs" in {file.relative_to(tmp_path).as_posix() for file in orphans(tmp_path)}
    assert "tests/one.rs" not in {file.relative_to(tmp_path).as_posix() for file in orphans(tmp_path)}


def test_no_tracked_file_is_empty() -> None:
    # PEP 561: the file is the mark itself.
    marks = {"py.typed"}
    assert not [file for file in tracked() if not file.stat().st_size and file.name not in marks]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest.parent.name)
def test_modules_of_a_crate_that_lie_side_by_side_form_no_cycle(manifest: Path) -> None:
    assert not cycles(rust_uses(manifest.parent / "src"))


def test_a_cycle_of_python_modules_is_found_where_an_import_is_hidden(tmp_path: Path) -> None:
    package = tmp_path / "house"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("from house import high\n")
    (package / "high.py").write_text("from house.inner.low import low\n")
    (package / "inner/__init__.py").write_text("")
    (package / "inner/low.py").write_text("def low():\n    from house import high\n    return high\n")
    assert cycles(python_uses(package)) == [{"house.high", "house.inner.low"}]


def test_a_cycle_of_rust_modules_is_found_through_what_others_pass_on(tmp_path: Path) -> None:
    (tmp_path / "high").mkdir()
    (tmp_path / "lib.rs").write_text("mod high;\nmod low;\npub use high::{inner::Inner, High};\n")
    (tmp_path / "high.rs").write_text("mod inner;\npub use inner::Inner;\n// use crate::low::Low;\npub struct High;\n")
    (tmp_path / "high/inner.rs").write_text("use super::High;\nuse crate::low::{Low, Other as Same};\n")
    (tmp_path / "low.rs").write_text("pub struct Low(crate::Inner);\n")
    assert cycles(rust_uses(tmp_path)) == [{"high", "low"}]
    (tmp_path / "low.rs").write_text("pub struct Low;\n#[cfg(test)]\nmod tests {\n    use crate::Inner;\n}\n")
    assert not cycles(rust_uses(tmp_path))


def test_everything_that_a_python_module_defines_is_used() -> None:
    words = {
        file: Counter(re.findall(r"\w+", file.read_text(encoding="utf-8")))
        for file in tracked()
        if file.suffix in {".py", ".rs", ".md", ".ipynb"} and "tests" not in file.parts[len(HOUSE.parts) :]
    }
    unused = [
        f"{file.relative_to(HOUSE)}: {name}"
        for file in words
        if file.is_relative_to(HOUSE / "python") and file.suffix == ".py"
        for name in _defined(ast.parse(file.read_text(encoding="utf-8")))
        if words[file][name] == 1 and not any(words[other][name] for other in words if other != file)
    ]
    assert not unused


def test_every_constant_of_a_python_module_is_used_there_or_imported() -> None:
    taken: set[str] = set()
    alone = []
    for file in [*(HOUSE / "python/narrows").rglob("*.py"), *SCRIPTS]:
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        taken.update(_taken(tree))
        if file not in SCRIPTS:
            alone += [(file, name) for name in _constants(tree) if len(re.findall(rf"\b{name}\b", text)) == 1]
    unused = [f"{file.relative_to(HOUSE)}: {name}" for file, name in alone if not taken & {name, f"{file.stem}.{name}"}]
    assert not unused


def test_no_python_modules_form_a_cycle() -> None:
    assert not cycles(python_uses(HOUSE / "python/narrows"))


def test_a_python_package_uses_the_packages_that_are_listed() -> None:
    uses: dict[str, set[str]] = {}
    for module, used in python_uses(HOUSE / "python/narrows").items():
        package, *others = (package_of(part_of(each), list(PACKAGES)) for each in (module, *sorted(used)))
        uses.setdefault(package, set()).update(other for other in others if other != package)
    assert uses == PACKAGES


@pytest.mark.parametrize("layers", [CRATES, PACKAGES], ids=["crates", "packages"])
def test_a_part_uses_only_what_stands_above_it_in_the_list(layers: dict[str, set[str]]) -> None:
    order = list(layers)
    climbing = {name: used - set(order[: order.index(name)]) for name, used in layers.items()}
    assert not {name: used for name, used in climbing.items() if used}


def test_the_architecture_describes_every_part() -> None:
    text = (HOUSE / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## Code map")[2].partition("## ")[0]
    named = set(re.findall(r"`([\w./*-]+)`", text))
    top = {name.partition("/")[0] for name in PACKAGES} - {"report", "__main__.py"}
    assert not {*(f"crates/{name}" for name in CRATES), *top} - named


def test_only_what_is_public_lies_beside_the_implementation() -> None:
    here = {file.relative_to(HOUSE / "python/narrows").parts[0] for file in tracked() if "python/narrows/" in str(file)}
    modules = {"__init__.py", "__main__.py", "_core.pyi", "_internal", "analysis", "metrics", "py.typed"}
    assert here <= modules | {"scenarios", "studies", "suites"}
    public = {file.stem for file in (HOUSE / "python/narrows/analysis").glob("*.py")}
    assert public == {"__init__", *narrows.analysis.__all__}


def test_the_tests_lie_in_folders_named_after_what_they_test() -> None:
    tests = HOUSE / "tests/python"
    assert not list(tests.glob("test_*.py"))
    rooms = {file.parent.name for file in (HOUSE / "python/narrows").rglob("__init__.py")}
    # Tests of the repository itself, and the comparisons with independent implementations.
    others = {"repository", "validation"}
    assert {file.relative_to(tests).parts[0] for file in tests.glob("*/**/test_*.py")} <= rooms | others


def test_no_folders_of_the_package_form_a_cycle() -> None:
    rooms: dict[str, set[str]] = {}
    for module, used in python_uses(HOUSE / "python/narrows").items():
        room, *others = (part_of(each).partition(".")[0] for each in (module, *sorted(used)))
        rooms.setdefault(room, set()).update(other for other in others if other != room)
    assert not cycles(rooms)


def test_no_run_imports_a_report() -> None:
    uses = python_uses(HOUSE / "python/narrows")
    below = {
        "run",
        "experiments",
        "reproduction",
        "evaluation",
        "trial",
        "search",
        "formats",
        "share",
        "opened",
        "files",
    }
    climbing = {
        module: reports
        for module, used in uses.items()
        if part_of(module).partition(".")[0] in below
        and (reports := {each for each in used if part_of(each).partition(".")[0] == "report"})
    }
    assert not climbing


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest.parent.name)
def test_only_the_python_crate_knows_python(manifest: Path) -> None:
    knows = any(re.match(r"pyo3|numpy", name) for name in dependencies(manifest))
    assert knows == (manifest.parent.name == "python")


def test_only_one_module_imports_the_extension() -> None:
    importers = set()
    for file in sorted((HOUSE / "python").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if _imports_the_extension(node):
                importers.add(file.relative_to(HOUSE / "python/narrows").as_posix())
    assert importers == {"_internal/core.py"}


def test_no_rust_or_python_file_is_long() -> None:
    long = {
        file.relative_to(HOUSE).as_posix(): length
        for file in tracked()
        if file.suffix in {".rs", ".py", ".pyi"}
        and (length := len(file.read_text(encoding="utf-8").splitlines())) >= LONGEST_FILE
    }
    assert not long


def test_a_kind_of_traffic_is_named_where_its_keys_are_resolved_and_in_the_list_of_kinds() -> None:
    """A new kind is one file, and one place each in the model, in the scenario and in the simulator's list."""
    declared = DEMAND.read_text(encoding="utf-8").partition("pub enum Demand {")[2].partition("\n}\n")[0]
    variants = set(re.findall(r"^    ([A-Z]\w+)[ ({]", declared, re.MULTILINE))
    named: dict[str, set[str]] = {}
    for file in tracked():
        path = file.relative_to(HOUSE).as_posix()
        if re.match(r"crates/\w+/src/(?!.*tests)", path) and file.suffix == ".rs":
            for variant in re.findall(r"\bDemand::([A-Z]\w+)", file.read_text(encoding="utf-8")):
                named.setdefault(variant, set()).add(path)
    assert variants == set(named)
    for variant, files in named.items():
        keys = files - {"crates/sim/src/workload/kinds.rs"}
        assert len(keys) == len(files) - 1 == 1, f"Demand::{variant} is named in {sorted(files)}"
        assert keys.pop().startswith("crates/scenario/src/sections/")


def test_no_file_names_a_machine_or_a_registry() -> None:
    # Cargo writes the registry's address into its own lock.
    found = []
    for file in tracked():
        if file.name == "Cargo.lock":
            continue
        text = file.read_bytes().decode("utf-8", errors="ignore")
        found += [f"{file.relative_to(HOUSE)}: {address}" for address in ADDRESSES if address in text]
    assert not found


def test_what_departs_from_a_source_is_on_the_card_alone() -> None:
    sources = {file: file.read_text(encoding="utf-8") for crate in ("cc", "qdisc") for file in rust_files(crate)}
    cards = {file for file, text in sources.items() if "card: Card {" in text}

    def has_card(file: Path) -> bool:
        """Return whether a module, one that it is part of, or its own `card.rs` has a card."""
        above = [file, *(folder.with_suffix(".rs") for folder in file.relative_to(HOUSE).parents if folder.name)]
        return any(HOUSE / each in cards or HOUSE / each.with_suffix("") / "card.rs" in cards for each in above)

    listed = [file for file, text in sources.items() if re.search(r"^//!.*\bDeviations\b", text, re.MULTILINE)]
    assert len(cards) > 40
    assert not [file.relative_to(HOUSE).as_posix() for file in listed if has_card(file)]


def rust_files(crate: str) -> list[Path]:
    """Return the files of the library of a crate."""
    return sorted((HOUSE / "crates" / crate / "src").rglob("*.rs"))


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-run.lock"])
def test_every_package_in_a_python_lock_has_a_hash(lock: str) -> None:
    entries = (HOUSE / lock).read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    assert entries
    assert all("==" in entry and "--hash=sha256:" in entry for entry in entries)


def _defined(tree: ast.Module) -> Iterator[str]:
    """Yield the names of functions, methods and classes, but for those that a decorator registers or Python calls."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith(("__", "_repr_", *ARGPARSE)):
            continue
        if all(isinstance(each, ast.Name) and each.id in PLAIN for each in node.decorator_list):
            yield node.name


def _constants(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        for each in targets:
            names = each.elts if isinstance(each, ast.Tuple) else [each]
            yield from (name.id for name in names if isinstance(name, ast.Name) and not name.id.startswith("__"))


def _taken(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module takes from others: imported, as MODULE.NAME, or as an attribute."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=names):
                yield from (f"{module.rpartition('.')[2]}.{each.name}" for each in names)
            case ast.Attribute(attr=attr):
                yield attr


def _imports_the_extension(node: ast.AST) -> bool:
    match node:
        case ast.ImportFrom(module=module, names=names):
            return "_core" in (module or "") or any(name.name == "_core" for name in names)
        case ast.Import(names=names):
            return any("_core" in name.name for name in names)
        case _:
            return False


def test_running_needs_no_tool_of_development() -> None:
    run, whole = (
        {line.partition("==")[0] for line in (HOUSE / lock).read_text(encoding="utf-8").splitlines() if "==" in line}
        for lock in ("requirements-run.lock", "requirements.lock")
    )
    assert run < whole
    assert not run & {"mypy", "playwright", "polars", "pytest", "ruff", "hypothesis", "dask"}


def test_the_audit_excepts_only_crates_that_are_locked() -> None:
    audit = tomllib.loads((HOUSE / "deny.toml").read_text(encoding="utf-8"))
    locked = tomllib.loads((HOUSE / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    versions = [f"{each['name']}@{each['version']}." for each in locked]
    excepted = [each["crate"] for each in audit["bans"]["skip"]]
    assert not [each for each in excepted if not any(version.startswith(f"{each}.") for version in versions)]
    assert all(each["reason"] for each in audit["bans"]["skip"])
