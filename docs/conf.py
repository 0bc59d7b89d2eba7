# SPDX-License-Identifier: Apache-2.0
"""How Sphinx builds the site: `make site`. Its source is the whole repository, so that every page exists once."""

from __future__ import annotations

import gc
from importlib.metadata import version as version_of
from pathlib import Path
from typing import TYPE_CHECKING

from narrows._internal.browser import page

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent

project = "Narrows"
author = "The Narrows authors"
version = release = version_of("narrows")

root_doc = "docs/index"
include_patterns = ["*.md", "docs/*.md", "docs/*/*.md", "validation/*.md", "validation/*/*.md"]
exclude_patterns = [".*", "target*", "runs", "python", "crates", "tests", "benches", "studies", "scenarios", "suites"]

# A test follows every link of the built pages, those to anchors that are written as HTML included, and finds each page.
suppress_warnings = ["myst.xref_missing", "toc.not_included"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
# Headings have the anchors that they have where the files are read one by one.
myst_heading_anchors = 4
myst_enable_extensions = ["substitution", "attrs_inline"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_use_rtype = False
# Code without a language is for a shell, and is not coloured.
highlight_language = "none"
# Names in docstrings stand in single backticks, and quotes in them are those of code.
default_role = "code"
smartquotes = False

html_theme = "furo"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_title = "Narrows"
html_copy_source = False
html_show_sphinx = False

PLAYGROUND = "playground.html"
# A module of other sources would give other digests than the commands of these pages.
MISSING = page.fault(Path(page.__file__).parent / page.MODULE)


def _playground(missing: str) -> str:
    """Return what the first page has of the playground: the page itself, or how it is made.

    Args:
        missing: What is wrong with the simulator for browsers; empty if nothing is.
    """
    if missing:
        made = "`narrows playground` writes a page that runs scenarios in a browser"
        return f"{made}; this site has none: its simulator {missing}."
    shown = (
        f'<iframe src="../{PLAYGROUND}" title="The playground" loading="lazy" style="width:100%;height:48rem;border:0">'
    )
    return f'{shown}</iframe><p><a href="../{PLAYGROUND}">Open the laboratory in a page of its own.</a></p>'


myst_substitutions = {"playground": _playground(MISSING)}


def setup(app: Sphinx) -> None:
    """Add what the site has besides its pages."""
    # The trees of all pages are a gigabyte, and a third of a build was the search for cycles in them.
    gc.disable()
    app.connect("build-finished", _write_playground)


def _write_playground(app: Sphinx, problem: Exception | None) -> None:
    if problem is None and not MISSING and app.builder.name == "html":
        text = (HERE.parent / "scenarios/two-flows.toml").read_text("utf-8")
        written = page.page(page.Experiment(text, "two-flows"))
        (Path(app.outdir) / PLAYGROUND).write_text(written, encoding="utf-8")
