# SPDX-License-Identifier: Apache-2.0
"""A built kernel in one file is taken by its digest, or refused. Truth: contract."""

from __future__ import annotations

import hashlib
import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from narrows._internal.errors import InputError
from narrows._internal.linux import additions, archive, cache, library

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    """Return the file of a kernel and its digest; the cache is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "builder"))
    kernel = cache.Kernel("default", "9.9.9", "key", additions.digest(), 250, ("reno",), ("pfifo",), 1.0)
    kernel.program.parent.mkdir(parents=True)
    # Whoever executes it leaves a mark.
    kernel.program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'executed'}\n")
    kernel.save()
    library.path().write_bytes(b"network")
    out = tmp_path / "kernel.zip"
    digest = archive.pack("default", out)
    assert digest == hashlib.sha256(out.read_bytes()).hexdigest() == archive.pack("default", out)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    return out, digest


def refused(given: object, digest: str, problem: str, name: str = "mine") -> None:
    """Check that a file is refused, and that the cache has nothing of it."""
    with pytest.raises(InputError, match=problem):
        archive.take(str(given), digest, name, lambda _: None)
    assert not [path for path in cache.folder().rglob("*") if path.is_file()]


def test_a_kernel_is_taken_with_its_network_and_not_executed(packed: tuple[Path, str], tmp_path: Path) -> None:
    out, digest = packed
    archive.take(str(out), f"sha256:{digest.upper()}".replace("SHA", "sha"), "mine", lambda _: None)
    taken = cache.find("mine")
    assert (taken.version, taken.algorithms, taken.is_current) == ("9.9.9", ("reno",), True)
    assert taken.program.stat().st_mode & 0o111
    assert library.find().read_bytes() == b"network"
    assert not (tmp_path / "executed").exists()
    # It takes the place of an older one of this name.
    archive.take(str(out), digest, "mine", lambda _: None)
    assert [kernel.name for kernel in cache.kernels()] == ["mine"]
    assert not list(cache.folder().glob(".taken-*"))


def test_another_file_than_that_of_the_digest_is_refused_unread(packed: tuple[Path, str], tmp_path: Path) -> None:
    out, digest = packed
    refused(out, "0" * 64, f"kernel.zip: is another file: its SHA-256 is {digest}, expected 0000")
    changed = bytearray(out.read_bytes())
    changed[-1] ^= 1
    out.write_bytes(changed)
    refused(out, digest, "is another file")
    for wrong in ("", "abc", digest[:-1], f"{digest}0", "md5:" + digest):
        refused(out, wrong, "--sha256: expected 64 hexadecimal digits")
    refused(tmp_path / "absent.zip", digest, "no such file")
    refused(tmp_path, digest, "no such file")
    refused("http://example.org/kernel.zip", digest, "begins with https://")
    refused(f"file://{out}", digest, "begins with https://")
    refused(out, digest, "--name: expected lower-case letters", name="../mine")


NO_KERNEL, OTHER = "is not a kernel of `narrows linux pack`", "is of another version of Narrows; take the kernel of"
# Faults of a file: members in place of its own, or none, and the message.
WRONG: dict[str, tuple[dict[str, bytes | None], str]] = {
    "without the network": ({archive.NETWORK: None}, NO_KERNEL),
    "a member that leads outside": ({"../linux": b""}, NO_KERNEL),
    "no description": ({archive.DESCRIPTION: b"[]"}, NO_KERNEL),
    "a description without a key": ({archive.DESCRIPTION: b'{"network": ""}'}, NO_KERNEL),
}


def written(packed: Path, out: Path, changes: dict[str, bytes | None]) -> str:
    """Write a file with other members, and return its digest."""
    with zipfile.ZipFile(packed) as file:
        members = {name: file.read(name) for name in file.namelist()} | changes
    with zipfile.ZipFile(out, "w") as file:
        for name, content in members.items():
            if content is not None:
                file.writestr(name, content)
    return hashlib.sha256(out.read_bytes()).hexdigest()


@pytest.mark.parametrize("fault", WRONG)
def test_a_file_that_is_no_kernel_is_refused(packed: tuple[Path, str], tmp_path: Path, fault: str) -> None:
    changes, problem = WRONG[fault]
    out = tmp_path / "changed.zip"
    refused(out, written(packed[0], out, changes), problem)
    out.write_bytes(b"#!/bin/sh\n")
    refused(out, hashlib.sha256(out.read_bytes()).hexdigest(), NO_KERNEL)


@pytest.mark.parametrize("key", ["additions", "network"])
def test_a_kernel_of_another_version_is_refused(packed: tuple[Path, str], tmp_path: Path, key: str) -> None:
    with zipfile.ZipFile(packed[0]) as file:
        description = json.loads(file.read(archive.DESCRIPTION)) | {key: "0" * 64}
    out = tmp_path / "changed.zip"
    refused(out, written(packed[0], out, {archive.DESCRIPTION: json.dumps(description).encode()}), OTHER)


def test_a_file_that_is_too_large_is_refused(packed: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST", packed[0].stat().st_size - 1)
    refused(packed[0], packed[1], r"kernel\.zip: is larger than")
