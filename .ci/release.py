# SPDX-License-Identifier: Apache-2.0
"""Prepares the files of a release that depend on the address of the repository.

python .ci/release.py ready                                    # fails if a placeholder is left, and names each
python .ci/release.py address https://HOST/OWNER/NAME v0.1.0   # writes the address into README.md and manifests
python .ci/release.py notebooks https://HOST/OWNER/NAME v0.1.0 # writes links that open the notebooks
python .ci/release.py recipe https://HOST/OWNER/NAME dist      # writes the recipe of conda for a distribution

Package indices show the README without the repository, so its links and picture need whole addresses. The source tree
has none, so that a copy elsewhere is complete: the workflow of a release writes them into its own checkout.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable
from pathlib import Path

HOUSE = Path(__file__).parents[1]
# What a release may not have: files, a pattern, and what to write instead.
PLACEHOLDERS = (
    ("docs/*.md", r"\bOWNER/|git clone REPOSITORY\b", "the address of the repository"),
    ("README.md", r"not published yet", "that the version is published"),
    ("docs/*.md", r"not published\b[^.]{0,40}\byet\b", "that the version is published"),
    ("CHANGELOG.md", r"^## \S+, not released yet$", "the date: .ci/changelog.py collect"),
    ("CITATION.cff", r"\A(?![\s\S]*^date-released:)", "date-released"),
    ("binder/requirements.txt", r"\A(?!narrows\[all\]==)", "the version"),
    ("paper/paper.md", r"\bTO BE (WRITTEN|FILLED IN)\b[^\n]*", "what it asks for"),
)
# Placeholders in files for values that are known at the release; `recipe` replaces them.
RECIPE = "recipe/recipe.yaml"
NOTEBOOKS = "docs/notebooks"
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s]+)(?=\))")
PICTURES = {".png", ".svg"}


class ReleaseError(Exception):
    """The files are not ready for a release."""


def placeholders(root: Path = HOUSE) -> list[str]:
    """Return each placeholder that is left, with its place and what to write instead."""
    place = "{file}:{line}: {found}; write {instead}".format
    return [
        place(
            file=file.relative_to(root),
            line=text.count("\n", 0, match.start()) + 1,
            found=" ".join(match[0].split()) or "missing",
            instead=instead,
        )
        for files, pattern, instead in PLACEHOLDERS
        for file in sorted(root.glob(files))
        for text in [file.read_text(encoding="utf-8")]
        for match in re.finditer(pattern, text, re.MULTILINE)
    ]


def absolute(text: str, address: str, revision: str) -> str:
    """Return Markdown whose links to files lead to the repository at `address`, as it is at `revision`."""

    def whole(match: re.Match[str]) -> str:
        path = Path(match[1].partition("#")[0])
        kind = "raw" if path.suffix in PICTURES else "blob" if path.suffix else "tree"
        return f"{address}/{kind}/{revision}/{match[1]}"

    return LINK.sub(whole, text)


def checked(address: str) -> str:
    """Return an address of a repository without what may follow it.

    Raises:
        ReleaseError: The address is none.
    """
    address = address.removesuffix("/").removesuffix(".git")
    if not re.fullmatch(r"https://[\w.-]+(/[\w.-]+){2,}", address):
        raise ReleaseError(f"{address!r} is not the address of a repository; expected https://HOST/OWNER/NAME")
    return address


def opened_in(root: Path, address: str, revision: str) -> dict[str, str]:
    """Return the links that open each notebook in Binder and Colab, by its file; none if the host is not GitHub."""
    host, _, name = checked(address).removeprefix("https://").partition("/")
    if host != "github.com":
        return {}
    files = sorted((root / NOTEBOOKS).glob("*.ipynb"))
    binder = f"https://mybinder.org/v2/gh/{name}/{revision}?urlpath=lab/tree/{NOTEBOOKS}"
    colab = f"https://colab.research.google.com/github/{name}/blob/{revision}/{NOTEBOOKS}"
    return {file.name: f"[Binder]({binder}/{file.name}), [Colab]({colab}/{file.name})" for file in files}


def notebooks(root: Path, address: str, revision: str) -> str:
    """Write the links that open the notebooks into the page that lists them, and return them as a list.

    Raises:
        ReleaseError: The address is none, or a notebook has no line in the page.
    """
    links = opened_in(root, address, revision)
    page = root / NOTEBOOKS / "README.md"
    text = page.read_text(encoding="utf-8")
    for name, link in links.items():
        line = re.search(rf"^\| \[{re.escape(name)}\].*(?= \|$)", text, re.MULTILINE)
        if line is None:
            raise ReleaseError(f"{page}: has no line of {name}")
        text = text.replace(line[0], f"{line[0]}; open in {link}", 1)
    if links:
        text += "\nColab has no Narrows: run `%pip install narrows` in a cell first.\n"
        page.write_text(text, encoding="utf-8")
    return "".join(f"* {name}: {link}\n" for name, link in links.items())


def write_recipe(root: Path, address: str, folder: Path) -> Path:
    """Write the recipe of conda for the source distribution in a folder, and return its file.

    Raises:
        ReleaseError: The address is none, or the folder has not one source distribution.
    """
    sources = list(folder.glob("narrows-*.tar.gz"))
    if len(sources) != 1:
        raise ReleaseError(f"{folder} has {len(sources)} source distributions; expected one, narrows-VERSION.tar.gz")
    text = (root / RECIPE).read_text(encoding="utf-8")
    values = {
        "VERSION": sources[0].name.removeprefix("narrows-").removesuffix(".tar.gz"),
        "SHA256": hashlib.sha256(sources[0].read_bytes()).hexdigest(),
        "ADDRESS": checked(address),
    }
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    out = folder / Path(RECIPE).name
    out.write_text(text, encoding="utf-8")
    return out


def write_address(root: Path, address: str, revision: str) -> None:
    """Write the address of the repository into README.md, pyproject.toml and the manifests of the published crates.

    Raises:
        ReleaseError: The address is none, or the files have one already.
    """
    address = checked(address)
    readme, project, workspace = (root / name for name in ("README.md", "pyproject.toml", "Cargo.toml"))
    texts = {file: file.read_text(encoding="utf-8") for file in (readme, project, workspace)}
    if "[project.urls]" in texts[project] or re.search(r"^repository\b", texts[workspace], re.MULTILINE):
        raise ReleaseError("pyproject.toml or Cargo.toml has an address already")
    texts[readme] = absolute(texts[readme], address, revision)
    urls = {
        "Repository": address,
        "Documentation": f"{address}/blob/{revision}/docs/index.md",
        "Changelog": f"{address}/blob/{revision}/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }
    lines = "\n".join(f'{name} = "{url}"' for name, url in urls.items())
    texts[project] = texts[project].replace("[project.scripts]", f"[project.urls]\n{lines}\n\n[project.scripts]", 1)
    license_line = 'license = "Apache-2.0"\n'
    texts[workspace] = texts[workspace].replace(license_line, f'{license_line}repository = "{address}"\n', 1)
    for file in root.glob("crates/*/Cargo.toml"):
        text = file.read_text(encoding="utf-8")
        if re.search(r"^publish = true$", text, re.MULTILINE):
            texts[file] = text.replace("publish = true\n", "publish = true\nrepository.workspace = true\n", 1)
    for file, text in texts.items():
        file.write_text(text, encoding="utf-8")


def said(job: Callable[[], object]) -> int:
    """Do a job; return the exit status, after the message of an error."""
    try:
        job()
    except ReleaseError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def main(arguments: list[str]) -> int:
    """Run a command; return its exit status."""
    match arguments:
        case ["ready"]:
            found = placeholders()
            sys.stderr.writelines(f"{each}\n" for each in found)
            return int(bool(found))
        case ["address", address, revision]:
            return said(lambda: write_address(HOUSE, address, revision))
        case ["notebooks", address, revision]:
            return said(lambda: sys.stdout.write(notebooks(HOUSE, address, revision)))
        case ["recipe", address, folder]:
            return said(lambda: write_recipe(HOUSE, address, Path(folder)))
    sys.stderr.write(__doc__ or "")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
