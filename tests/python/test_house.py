"""The house keeps to its plan: who may depend on whom, one door each way, small files, no address in any of them."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[2]
LONGEST_FILE = 600
# The arrows of the design: each crate and the crates of the house that it may name.
ARROWS = {
    "units": set[str](),
    "wire": {"units"},
    "cc": {"units", "wire"},
    "qdisc": {"units", "wire"},
    "traffic": {"units"},
    "transport": {"units", "wire", "cc"},
    "engine": {"units"},
    "guests": {"units", "wire", "cc"},
    "lab": {"units", "wire", "cc", "guests", "qdisc", "traffic", "transport", "engine"},
    "python": {"lab"},
}
MANIFESTS = sorted(HOUSE.glob("crates/*/Cargo.toml"))
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


def tracked() -> list[Path]:
    """Return all files of the repository, and those that are about to be."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607  # git is where it is
        cwd=HOUSE,
        capture_output=True,
        check=True,
        text=True,
    )
    files = [HOUSE / name for name in listed.stdout.split("\0") if name]
    return [file for file in files if file.is_file()]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest.parent.name)
def test_a_crate_depends_only_along_the_arrows(manifest: Path) -> None:
    inner = {name.removeprefix("narrows-") for name in dependencies(manifest) if name.startswith("narrows-")}
    assert inner <= ARROWS[manifest.parent.name]


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
    assert importers == {"core.py"}


def test_no_rust_or_python_file_is_long() -> None:
    long = {
        file.relative_to(HOUSE).as_posix(): length
        for file in tracked()
        if file.suffix in {".rs", ".py", ".pyi"}
        and (length := len(file.read_text(encoding="utf-8").splitlines())) >= LONGEST_FILE
    }
    assert not long


def test_no_file_names_a_machine_or_a_registry() -> None:
    # Cargo writes the registry's address into its own lock.
    found = []
    for file in tracked():
        if file.name == "Cargo.lock":
            continue
        text = file.read_bytes().decode("utf-8", errors="ignore")
        found += [f"{file.relative_to(HOUSE)}: {address}" for address in ADDRESSES if address in text]
    assert not found


def test_every_package_in_the_python_lock_has_a_hash() -> None:
    entries = (HOUSE / "requirements.lock").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    assert entries
    assert all("==" in entry and "--hash=sha256:" in entry for entry in entries)


def _imports_the_extension(node: ast.AST) -> bool:
    match node:
        case ast.ImportFrom(module=module, names=names):
            return "_core" in (module or "") or any(name.name == "_core" for name in names)
        case ast.Import(names=names):
            return any("_core" in name.name for name in names)
        case _:
            return False
