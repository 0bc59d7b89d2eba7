# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. An algorithm in a crate of its own is written whole or not at all."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from narrows import InputError
from narrows._internal.external import scaffold_rust

HOUSE = Path(__file__).parents[3]
EXAMPLES = HOUSE / "crates/external/tests/examples"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return what of the source tree is changed, so that the lock of the real one stays as it is."""
    for part in (scaffold_rust.MANIFEST, scaffold_rust.LIST):
        (tmp_path / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HOUSE / part, tmp_path / part)
    monkeypatch.setattr(scaffold_rust, "_lock", lambda _root: None)
    return tmp_path


def test_a_crate_and_a_line_each_in_the_manifest_and_the_list(tree: Path) -> None:
    scaffold_rust.new_rust("my_rule", tree / "crates")
    assert 'name: "my-rule"' in (tree / "algorithms/my-rule/src/lib.rs").read_text()
    assert 'my-rule = { path = "../../algorithms/my-rule" }' in (tree / scaffold_rust.MANIFEST).read_text()
    scaffold_rust.new_rust("other", tree)
    entries = (tree / scaffold_rust.LIST).read_text()
    assert "    &my_rule::ENTRY,\n" in entries
    assert "    &other::ENTRY,\n" in entries


def test_what_is_there_is_kept(tree: Path) -> None:
    scaffold_rust.new_rust("mine", tree)
    before = {file: file.read_bytes() for file in tree.rglob("*") if file.is_file()}
    with pytest.raises(InputError, match="is there already"):
        scaffold_rust.new_rust("mine", tree)
    assert {file: file.read_bytes() for file in tree.rglob("*") if file.is_file()} == before


def test_a_name_of_the_catalogue_is_refused_where_algorithms_are_compiled_in(tree: Path) -> None:
    with pytest.raises(InputError, match="is the name of another algorithm"):
        scaffold_rust.new_rust("cubic", tree)
    assert not (tree / "algorithms").exists()


def test_the_page_shows_what_is_written() -> None:
    page = (HOUSE / "docs/your-algorithm.md").read_text(encoding="utf-8")
    assert f"```rust\n{scaffold_rust.from_template('mine.rs', 'mine')}```" in page
    assert f"```rust\n{(EXAMPLES / 'rate.rs').read_text(encoding='utf-8')}```" in page
