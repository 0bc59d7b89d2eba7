# SPDX-License-Identifier: Apache-2.0
"""Dependencies between Python modules, and between the modules of a Rust crate, read from their sources."""

from __future__ import annotations

import ast
import re
import tomllib
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

# What each module uses, by name.
Uses: TypeAlias = "dict[str, set[str]]"
# A module of a crate: () is lib.rs, ("window", "reno") is window/reno.rs.
Place: TypeAlias = "tuple[str, ...]"


def cycles(uses: Mapping[str, Iterable[str]]) -> list[set[str]]:
    """Return the strongly connected components of more than one node (Tarjan, SIAM J. Computing 1 (1972) 146)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in uses.get(node, ()):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            place = stack.index(node)
            component = set(stack[place:])
            del stack[place:]
            if len(component) > 1:
                found.append(component)

    for node in uses:
        if node not in order:
            visit(node)
    return found


def orphans(crate: Path) -> list[Path]:
    """Return the Rust files of a crate that no `mod` names: the compiler never reads them.

    Args:
        crate: The folder of the crate, with its `Cargo.toml`.
    """
    starts = {file for pattern in ROOTS for file in crate.glob(pattern)}
    if (crate / "tests/main.rs") in starts:
        # With `autotests = false` the files beside it are its modules, but for those that the manifest names.
        manifest = crate / "Cargo.toml"
        named = tomllib.loads(manifest.read_text(encoding="utf-8")).get("test", []) if manifest.is_file() else []
        files = {each.get("path", f"tests/{each['name']}.rs") for each in named}
        starts -= {file for file in crate.glob("tests/*.rs") if file.relative_to(crate).as_posix() not in files}
    roots = list(starts)
    reached: set[Path] = set()
    while roots:
        file = roots.pop()
        if file in reached or not file.is_file():
            continue
        reached.add(file)
        text = file.read_text(encoding="utf-8")
        # A file of a test is the root of a crate; any other but `mod.rs` has its modules in a folder of its name.
        is_root = file in starts
        folder = file.parent if is_root or file.name == "mod.rs" else file.with_suffix("")
        roots += [each.resolve() for each in _named(text, file.parent, folder)]
    return sorted(set(crate.rglob("*.rs")) - reached)


def _named(text: str, beside: Path, folder: Path) -> list[Path]:
    """Return where the modules of a file may be, those in a `mod NAME { }` in the folder of that name."""
    found, inline, path = [], list[tuple[str, str]](), ""
    for line in text.splitlines():
        match = re.match(r"(\s*)(?:pub(?:\([^)]*\))? )?mod (\w+)( \{)?;?$", line)
        if match is None:
            path = given[1] if (given := re.match(r'\s*#\[path = "([^"]+)"\]', line)) else ""
            if inline and line == f"{inline[-1][0]}}}":
                inline.pop()
            continue
        indent, name, opens = match.groups()
        here = folder.joinpath(*(each for _, each in inline))
        if opens:
            inline.append((indent, name))
        else:
            found += [beside / path] if path else [here / f"{name}.rs", here / name / "mod.rs"]
        path = ""
    return found


# The files from which the compiler starts.
ROOTS = ("src/lib.rs", "src/main.rs", "build.rs", "tests/*.rs", "tests/*/main.rs", "benches/*.rs", "benches/*/main.rs")


# Python


def python_uses(folder: Path) -> Uses:
    """Return the uses between the modules of a package; imports in functions and for type checkers count, too.

    Args:
        folder: The folder of the package, such as `python/narrows`.
    """
    files = {_dotted(file, folder): file for file in sorted(folder.rglob("*.py"))}
    uses: Uses = {}
    for name, file in files.items():
        imported = _imports(ast.parse(file.read_text(encoding="utf-8")), folder.name)
        used = {_known(each, files) for each in imported}
        uses[name] = {each for each in used if each is not None and each != name}
    return uses


def _dotted(file: Path, folder: Path) -> str:
    parts = file.relative_to(folder.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part_of(module: str) -> str:
    """Return the place of a module in the package, whether it is public or lies in `_internal`."""
    return module.partition(".")[2].removeprefix("_internal").removeprefix(".")


def _imports(tree: ast.AST, package: str) -> Iterator[str]:
    """Yield the full name of everything that is imported from a package, except its compiled extension."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.split(".")[0] == package:
                yield from (f"{module}.{each.name}" for each in names if "_core" not in module)
            case ast.Import(names=names):
                yield from (each.name for each in names if each.name.split(".")[0] == package)


def _known(name: str, modules: Mapping[str, object]) -> str | None:
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


# Rust


def rust_uses(source: Path) -> Uses:
    """Return the uses between modules of a crate that lie side by side: in `src`, or in the folder of one module.

    A file and the files of its own folder count as one, so a use of or by `window/reno.rs` is one of `window` for
    those outside. What `lib.rs` defines itself lies in `lib`; what it only passes on, where it is defined. Tests do not
    count.

    Args:
        source: The folder `src` of a crate.

    Returns:
        By module, as in `window::delay`, the modules beside it that it uses.
    """
    texts = {place: _code(file) for place, file in _rust_files(source)}
    passed_on = {place: dict(_reexports(text, place, texts)) for place, text in texts.items()}
    uses: Uses = {}
    for place, text in texts.items():
        for path in _paths(text, place, texts):
            _draw(uses, place, _owner(path, texts, passed_on))
    return uses


def _draw(uses: Uses, place: Place, used: Place) -> None:
    """Add the arrow between the two modules that lie side by side and hold these."""
    shared = 0
    while shared < min(len(place), len(used)) and place[shared] == used[shared]:
        shared += 1
    if min(len(place), len(used)) > shared:
        end = shared + 1
        uses.setdefault("::".join(place[:end]), set()).add("::".join(used[:end]))
    elif shared == 0 and place != used:
        uses.setdefault(place[0] if place else "lib", set()).add(used[0] if used else "lib")


def _rust_files(source: Path) -> Iterator[tuple[Place, Path]]:
    for file in sorted(source.rglob("*.rs")):
        parts = file.relative_to(source).with_suffix("").parts
        if "tests" not in parts and "testing" not in parts:
            yield () if parts == ("lib",) else parts[:-1] if parts[-1] == "mod" else parts, file


def _code(file: Path) -> str:
    """Return a file without comments, strings, and the tests at its end."""
    text = re.sub(r"//[^\n]*", "", file.read_text(encoding="utf-8"))
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text, flags=re.DOTALL)
    return re.split(r"#\[cfg\(test\)\]\s*(?:pub(?:\([^)]*\))? )?mod \w+ \{", text)[0]


def _reexports(text: str, place: Place, known: Mapping[Place, object]) -> Iterator[tuple[str, Place]]:
    for public, tree in USE.findall(text):
        if public:
            for path in _expanded(tree):
                if (found := _absolute(path, place, known)) is not None:
                    yield found[-1], found


def _paths(text: str, place: Place, known: Mapping[Place, object]) -> Iterator[Place]:
    """Yield what a module names of its own crate: by `use`, or by a path in its code. What it passes on is no use."""
    trees = [tree for public, tree in USE.findall(text) if not public]
    inline = re.findall(r"\b(?:crate|super|self)(?:::\w+)+", USE.sub("", text))
    for path in [each for tree in trees for each in _expanded(tree)] + inline:
        if (found := _absolute(path, place, known)) is not None:
            yield found


def _expanded(tree: str) -> list[str]:
    """Return the paths of a `use` tree, as `a::b` and `a::c` of `a::{b, c}`."""
    head, opened, rest = tree.strip().partition("{")
    if not opened:
        return [re.sub(r"\s+as\s+\w+$", "", head.strip())]
    parts, depth = [""], 0
    for letter in rest[: rest.rindex("}")]:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [head + path for part in parts if part.strip() for path in _expanded(part)]


def _absolute(path: str, place: Place, known: Mapping[Place, object]) -> Place | None:
    """Return a path from the root of its crate; None where it leads out of the crate."""
    parts = [part.strip() for part in path.split("::") if part.strip() != "*"]
    if parts[0] == "crate":
        return tuple(parts[1:])
    base = list(place)
    if parts[0] not in {"super", "self"}:
        return (*base, *parts) if (*base, parts[0]) in known else None
    while parts and parts[0] in {"super", "self"}:
        if parts.pop(0) == "super":
            if not base:
                return None
            base.pop()
    return (*base, *parts)


def _owner(path: Place, known: Mapping[Place, object], passed_on: Mapping[Place, Mapping[str, Place]]) -> Place:
    """Return the module in which the item of a path is defined."""
    seen: set[Place] = set()
    while path not in seen:
        seen.add(path)
        end = next(end for end in range(len(path), -1, -1) if path[:end] in known)
        if end == len(path):
            return path
        further = passed_on.get(path[:end], {}).get(path[end])
        if further is None:
            return path[:end]
        path = (*further, *path[end + 1 :])
    return path[:0]


USE = re.compile(r"\b(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);")


# The plan


def package_of(module: str, packages: Sequence[str]) -> str:
    """Return the package in which a Python module lies: of those that hold it the smallest.

    Args:
        module: Its dotted name, without that of the package; empty for the package itself.
        packages: Names of folders and files, such as `report/run`, `core.py`.
    """
    path = module.replace(".", "/")
    holding = [package for package in packages if path == package.removesuffix(".py") or path.startswith(f"{package}/")]
    return max(holding, key=len, default=path or "__init__.py")
