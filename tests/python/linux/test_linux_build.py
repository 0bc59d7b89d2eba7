# SPDX-License-Identifier: Apache-2.0
"""The sources of kernels, and their build. Truth: contract."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from narrows._internal.errors import InputError
from narrows._internal.linux import additions, build, cache, edits, library, source
from optional import needs

if TYPE_CHECKING:
    from pathlib import Path


def made(*command: str) -> None:
    """Run a command that makes a file."""
    subprocess.run(list(command), check=True, capture_output=True)


def test_a_source_that_is_no_kernel_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no arch/um/Kconfig"):
        source.find(str(tmp_path))
    with pytest.raises(InputError, match="no such file"):
        source.find(str(tmp_path / "missing"))
    (tmp_path / "arch/um").mkdir(parents=True)
    (tmp_path / "arch/um/Kconfig").touch()
    with pytest.raises(InputError, match="is not the source of a Linux kernel: it has no Makefile"):
        source.find(str(tmp_path))


def test_every_congestion_control_of_a_source_is_found(tmp_path: Path) -> None:
    ipv4 = tmp_path / "net/ipv4"
    ipv4.mkdir(parents=True)
    (ipv4 / "Makefile").write_text("obj-$(CONFIG_TCP_CONG_MINE) += tcp_mine.o\nobj-$(CONFIG_OTHER) += other.o\n")
    (ipv4 / "tcp_mine.c").write_text('static struct tcp_congestion_ops mine __read_mostly = {\n\t.name = "mine",\n};\n')
    assert additions.algorithms(tmp_path) == {"CONFIG_TCP_CONG_MINE": "mine"}


@needs("dpkg-deb")
def test_a_source_is_unpacked_from_a_package_of_debian(tmp_path: Path) -> None:
    tree = tmp_path / "linux-source-9.9"
    (tree / "arch/um").mkdir(parents=True)
    (tree / "arch/um/Kconfig").write_text("config HZ\n")
    package = tmp_path / "package"
    (package / "usr/src").mkdir(parents=True)
    (package / "DEBIAN").mkdir()
    (package / "DEBIAN/control").write_text(
        "Package: linux-source-9.9\nVersion: 9.9\nArchitecture: all\nMaintainer: none <a@b.c>\nDescription: none\n"
    )
    archive = package / "usr/src/linux-source-9.9.tar.xz"
    made("tar", "-cJf", str(archive), "-C", str(tmp_path), tree.name)
    file = tmp_path / "linux-source-9.9.deb"
    made("dpkg-deb", "--build", str(package), str(file))
    assert (source.unpack(file, tmp_path / "place") / "arch/um/Kconfig").read_text() == "config HZ\n"


def test_an_archive_that_is_damaged_or_no_kernel_is_refused(tmp_path: Path) -> None:
    damaged = tmp_path / "linux.tar.xz"
    damaged.write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"linux\.tar\.xz: cannot be unpacked"):
        source.unpack(damaged, tmp_path / "a")
    made("tar", "-cf", str(tmp_path / "other.tar"), "-C", str(tmp_path), "linux.tar.xz")
    with pytest.raises(InputError, match="has no arch/um/Kconfig"):
        source.unpack(tmp_path / "other.tar", tmp_path / "b")


def test_a_missing_source_names_the_package_and_the_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "PACKAGED", tmp_path)
    with pytest.raises(InputError, match=r"linux-source-6\.12.*linux-6\.12\.y\.tar\.xz from https://kernel\.org"):
        source.find(None)


def test_the_newest_source_of_the_distribution_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "PACKAGED", tmp_path)
    for version in ("6.1", "6.12", "6.9"):
        (tmp_path / f"linux-source-{version}.tar.xz").touch()
    assert source.find(None).name == "linux-source-6.12.tar.xz"


def test_an_installation_without_source_says_where_a_kernel_can_be_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "TOOLS", {})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(library, "TREE", tmp_path / "site-packages")
    said: list[str] = []
    # Before anything is unpacked or compiled.
    with pytest.raises(InputError, match=r"linux build: .*this installation has none; run `make build` .* checkout"):
        build.build(None, "default", 250, 1, said.append)
    assert said == []
    assert not (tmp_path / "narrows").exists()


def test_a_build_that_fails_leaves_no_folder_but_for_the_log_of_a_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(build, "TOOLS", {})
    monkeypatch.setattr(library, "check", lambda: None)
    damaged = tmp_path / "linux.tar.xz"
    damaged.write_bytes(b"no archive")
    with pytest.raises(InputError, match="cannot be unpacked"):
        build.build(str(damaged), "mine", 250, 1, lambda _: None)
    assert not (cache.folder() / "mine").exists()
    tree = tmp_path / "tree"
    broken = "mrproper:\nallnoconfig:\n\techo broken; false\n"
    for file, text in {"arch/um/Kconfig": "config HZ\n", "net/ipv4/Makefile": "", "Makefile": broken}.items():
        (tree / file).parent.mkdir(parents=True, exist_ok=True)
        (tree / file).write_text(text)
    monkeypatch.setattr(additions, "apply", lambda *_: None)
    monkeypatch.setattr(additions, "configuration", lambda _: "")
    with pytest.raises(InputError, match=r"mine/build\.log, ends with:(.|\n)*broken"):
        build.build(str(tree), "mine", 250, 1, lambda _: None)
    assert {file.name for file in (cache.folder() / "mine").iterdir()} == {"build.log", "lock", "tree", "tree.json"}


# Each source of the stand-in for a kernel is "compiled" unless its object is newer; the line of the log says so.
MAKEFILE = """\
linux: one.o two.o
\tcat one.o two.o > linux
%.o: %.c
\t! grep broken $<
\tcp $< $@
\t@echo compiled $< >> made
mrproper:
\trm -f *.o left
allnoconfig:
\ttouch .config
kernelversion:
\t@echo 9.9.9
"""


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a stand-in for a kernel, of which one source, two.c, is an addition's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(build, "TOOLS", {})
    for module, name in ((library, "check"), (additions, "check_that_no_file_changes")):
        monkeypatch.setattr(module, name, lambda *_: None)
    monkeypatch.setattr(library, "build", lambda _: None)
    monkeypatch.setattr(additions, "configuration", lambda _: "")
    monkeypatch.setattr(additions, "edits", lambda _: [edits.Edit("two.c", "a test", "^two", "TWO")])
    place = tmp_path / "linux-9.9"
    texts = {"Makefile": MAKEFILE, "one.c": "one\n", "two.c": "two\n", "arch/um/drivers/Kconfig": "", "left": "left"}
    for file, text in (
        texts | dict.fromkeys(("arch/um/Kconfig", "net/ipv4/Makefile", "net/sched/Makefile"), "")
    ).items():
        (place / file).parent.mkdir(parents=True, exist_ok=True)
        (place / file).write_text(text)
    return place


def compiled(given: Path, fault: str | None = None) -> list[str]:
    """Build the kernel `mine`, which fails if `fault` is given, and return the sources that were compiled."""
    made = cache.folder() / "mine/tree/made"
    made.unlink(missing_ok=True)
    if fault is None:
        build.build(str(given), "mine", 250, 1, lambda _: None)
    else:
        with pytest.raises(InputError, match=fault):
            build.build(str(given), "mine", 250, 1, lambda _: None)
    return re.findall("compiled (.*)", made.read_text()) if made.exists() else []


def test_a_build_compiles_what_has_changed_in_a_folder_since_the_last(kernel: Path) -> None:
    linux = cache.folder() / "mine/linux"
    assert compiled(kernel) == ["one.c", "two.c"]
    assert linux.read_text() == "one\nTWO\n"
    (kernel / "one.c").write_text("one, changed\n")
    assert compiled(kernel) == ["one.c"]
    assert linux.read_text() == "one, changed\nTWO\n"
    # The source is as before, and older than the object.
    (kernel / "one.c").write_text("one\n")
    os.utime(kernel / "one.c", (0, 0))
    assert compiled(kernel) == ["one.c"]
    # Other times, and what a build in the folder leaves, change nothing.
    (kernel / "two.c").touch()
    (kernel / "one.o").write_text("of another machine")
    (kernel / "left").write_text("left again")
    assert compiled(kernel) == []
    assert linux.read_text() == "one\nTWO\n"
    (kernel / "two.c").write_text("two, changed\n")
    assert compiled(kernel) == ["two.c"]
    assert linux.read_text() == "one\nTWO, changed\n"
    assert not (cache.folder() / "mine/tree/left").exists()
    # A file that is gone is gone.
    (kernel / "one.c").unlink()
    (cache.folder() / "mine/tree/one.o").unlink()
    assert compiled(kernel, "No rule to make target 'one.o'") == []


def test_a_build_that_was_interrupted_or_failed_goes_on(kernel: Path, tmp_path: Path) -> None:
    archive = tmp_path / "linux-9.9.tar"
    (kernel / "two.c").write_text("two is broken\n")
    assert compiled(kernel, "cannot be built") == ["one.c"]
    (kernel / "two.c").write_text("two\n")
    assert compiled(kernel) == ["two.c"]
    # The tree of a folder stays; an archive begins with one of its own, which is removed at the end.
    assert (cache.folder() / "mine/tree").is_dir()
    stopped = cache.folder() / "mine/tree/stop"
    (kernel / "Makefile").write_text(MAKEFILE.replace("two.o\n\tcat", "two.o stop\n\tcat"))
    made("tar", "-cf", str(archive), "-C", str(tmp_path), kernel.name)
    assert compiled(archive, "No rule to make target 'stop'") == ["one.c", "two.c"]
    stopped.touch()
    assert compiled(archive) == []
    assert (cache.folder() / "mine/linux").read_text() == "one\nTWO\n"
    assert not (cache.folder() / "mine/tree").exists()


def test_a_kernel_that_stands_needs_no_source_for_a_new_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "TOOLS", {})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(source, "PACKAGED", tmp_path)
    place = tmp_path / "narrows/linux/default"
    place.mkdir(parents=True)
    (place / "linux").touch()
    library.path().touch()
    kernel = cache.Kernel("default", "6.12.0", "key", additions.digest(), 250, ("reno",), ("pfifo",), 1.0)
    kernel.save()
    assert build.build(None, "default", 250, 1, lambda _: None) == (kernel, False)
    # Another timer frequency is another kernel.
    with pytest.raises(InputError, match="no kernel source is given"):
        build.build(None, "default", 1000, 1, lambda _: None)


def test_a_kernel_is_found_by_its_version_unless_another_has_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def build(name: str, version: str) -> None:
        place = tmp_path / "narrows/linux" / name
        place.mkdir(parents=True)
        (place / "linux").touch()
        cache.Kernel(name, version, name, additions.digest(), 250, ("reno",), ("pfifo",), 1.0).save()

    build("default", "6.12.117")
    assert {cache.find(each).name for each in ("default", "6", "6.12", "6.12.117")} == {"default"}
    for other in ("6.1", "6.12.11", "7.3"):
        with pytest.raises(InputError, match=f"--on linux:{other}: the kernel is not built"):
            cache.find(other)
    build("mine", "6.12.118")
    assert cache.find("6.12.118").name == "mine"
    with pytest.raises(
        InputError, match=r"--on linux:6\.12: several kernels are of this version; .* linux, linux:mine"
    ):
        cache.find("6.12")
    build("6.12", "7.3.4")
    assert cache.find("6.12").version == "7.3.4"


def test_the_driver_defines_nothing_for_versions_that_may_have_it() -> None:
    # Stable kernels take over functions of newer ones: 6.1.176 has bvec_set_page of 6.3.
    text = (additions.OURS / "narrows_kern.c").read_text(encoding="utf-8")
    chosen = re.findall(r"^#if LINUX_VERSION_CODE.*?^#endif", text, re.DOTALL | re.MULTILINE)
    assert chosen
    assert not [each for each in chosen if re.search(r"^(static|#define|struct \w+ \{)", each, re.MULTILINE)]
