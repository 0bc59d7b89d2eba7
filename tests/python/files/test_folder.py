# SPDX-License-Identifier: Apache-2.0
"""A folder appears whole or not at all, and what a killed process left behind goes away."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrows._internal.errors import OutputError
from narrows._internal.files.folder import (
    HOST,
    MANIFEST,
    MAX_NAME_BYTES,
    appearing,
    check_place,
    clear_remains,
    file_name,
)

if TYPE_CHECKING:
    from pathlib import Path


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_the_folder_is_not_there_before_the_end_and_whole_after_it(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    with appearing(folder) as partial:
        (partial / "data").write_text("x")
        assert not folder.exists()
        assert partial.parent == folder.parent
    assert names(folder) == {"data"}
    assert names(folder.parent) == {"out"}


def test_an_error_inside_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> None:
        with appearing(tmp_path / "out") as partial:
            (partial / "data").write_text("x")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert names(tmp_path) == set()


def test_an_empty_folder_may_be_used(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with appearing(tmp_path / "out") as partial:
        (partial / "data").write_text("x")
    assert names(tmp_path / "out") == {"data"}


def test_a_taken_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").write_text("x")
    for taken in ("file", "full", "file/below"):
        with pytest.raises(OutputError):
            check_place(tmp_path / taken, replace=False)
    # A user's own notes are never replaced.
    with pytest.raises(OutputError):
        check_place(tmp_path / "full", replace=True)


def test_an_earlier_run_gives_way_where_it_may(tmp_path: Path) -> None:
    for content in ("old", "new"):
        with appearing(tmp_path / "out", replace=True) as partial:
            (partial / MANIFEST).write_text(content)
    assert (tmp_path / "out" / MANIFEST).read_text() == "new"
    assert names(tmp_path) == {"out"}


def test_remains_of_a_dead_process_are_cleared_and_those_of_a_living_one_are_not(tmp_path: Path) -> None:
    dead, living = f".a.partial-{dead_pid()}", f".b.partial-{os.getppid()}"
    for name in (dead, living, ".c.partial-"):
        (tmp_path / name).mkdir()
    clear_remains(tmp_path)
    assert names(tmp_path) == {living, ".c.partial-"}


def test_remains_of_another_host_are_left_alone(tmp_path: Path) -> None:
    remains = tmp_path / f".a.partial-{dead_pid()}"
    remains.mkdir()
    (remains / HOST).write_text("another host altogether")
    clear_remains(tmp_path)
    assert remains.exists()


def test_a_folder_moved_aside_by_a_dead_process_comes_back(tmp_path: Path) -> None:
    aside = tmp_path / f".out.replaced-{dead_pid()}"
    aside.mkdir()
    (aside / MANIFEST).write_text("old")
    clear_remains(tmp_path)
    assert (tmp_path / "out" / MANIFEST).read_text() == "old"


def test_of_two_that_begin_at_once_one_is_refused(tmp_path: Path) -> None:
    def begin_both() -> None:
        with appearing(tmp_path / "out") as mine:
            (mine / "data").write_text("mine")
            (tmp_path / "out").mkdir()
            (tmp_path / "out" / "data").write_text("theirs")

    with pytest.raises(OutputError, match="another process"):
        begin_both()
    assert (tmp_path / "out" / "data").read_text() == "theirs"
    assert names(tmp_path) == {"out"}


def test_what_the_disk_refuses_is_an_output_error(tmp_path: Path) -> None:
    def fill() -> None:
        with appearing(tmp_path / "out"):
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OutputError, match="out cannot be written: No space left on device"):
        fill()
    assert names(tmp_path) == set()


def test_a_name_that_leaves_no_room_for_the_partial_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="200 bytes"):
        check_place(tmp_path / ("a" * 201), replace=False)


@given(st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=300))
def test_every_text_has_a_file_name(text: str) -> None:
    name = file_name(text)
    assert "/" not in name
    assert len(os.fsencode(name)) <= MAX_NAME_BYTES
    assert len(name) < 150 or name != file_name(text + "x")


@given(st.text("a%25F/", max_size=9), st.text("a%25F/", max_size=9))
def test_texts_have_names_of_their_own(one: str, other: str) -> None:
    assert (file_name(one) == file_name(other)) == (one == other)
