# SPDX-License-Identifier: Apache-2.0
"""The file of an external algorithm in any language: its content, and whether it is trusted to be executed."""

from __future__ import annotations

import hashlib
import os
import stat
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from narrows._internal.typed import Typed, like


class AlgorithmError(Exception):
    """An algorithm cannot be loaded from a file."""

    def __init__(self, message: str, allowed: str = "", *, near: str | None = None, hint: str | None = None) -> None:
        """Make the error."""
        super().__init__(message)
        self.message = message
        self.allowed = allowed
        hint = hint if near is None else f"did you mean `{near}`?"
        if hint is not None:
            self.hint = hint


def digest(file: Path, trusted: Sequence[str]) -> str:
    """Return the SHA-256 of a native library or a module, in hexadecimal; arguments and errors are as for `read`."""
    # A WebAssembly module runs in a sandbox.
    allowed = EVERYTHING if file.suffix == WASM else trusted
    return hashlib.sha256(_content(file, allowed, MAX_LIBRARY_BYTES)).hexdigest()


def read(file: Path, trusted: Sequence[str]) -> tuple[bytes, str]:
    """Read the file of an algorithm in Python."""
    content = _content(file, trusted, MAX_BYTES)
    if content in _executing:
        raise AlgorithmError(
            'the file starts runs while it is read for its algorithm; put them below `if __name__ == "__main__":`'
        )
    return content, hashlib.sha256(content).hexdigest()


def _content(file: Path, trusted: Iterable[str], most: int) -> bytes:
    """Return the content of a trusted file that is not too large."""
    if not is_trusted(file, trusted):
        folders = dict.fromkeys(str(Path(each)) for each in trusted if Path(each).is_dir())
        raise AlgorithmError(
            "the file is outside of the scenario's folder, and is not executed",
            " or ".join([*(f"a file at or below {folder}" for folder in folders), "one named on the command line"]),
            hint="read the file; if you trust it, add --trust (in Python, trust=True)",
        )
    try:
        # Opening anything else, such as a named pipe, may never return.
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            raise AlgorithmError("is not a file", FORM)
        if status.st_size > most:
            raise AlgorithmError(f"has {status.st_size} bytes", f"at most {most} bytes")
        return file.read_bytes()
    except OSError as error:
        raise AlgorithmError(f"cannot be read: {error.strerror or error}", FORM) from error


@contextmanager
def executing(content: bytes) -> Iterator[None]:
    """Within the context, a file with this content cannot be read as an algorithm: it would start itself."""
    _executing.append(content)
    try:
        yield
    finally:
        _executing.pop()


def is_trusted(file: Path, trusted: Iterable[str]) -> bool:
    """Return whether a file is at or below one of the trusted paths; links are followed on both sides."""
    real = Path(file).resolve()
    return any(real.is_relative_to(Path(each).resolve()) for each in trusted)


def named_files(algorithms: Iterable[str], overrides: Iterable[str], folder: Path) -> list[str]:
    """Return the absolute paths of the files of algorithms that the user named; text read from a file names none."""
    names = [Path(file_of(each)) for each in algorithms if isinstance(each, Typed) and is_external(each)]
    written = [text for each in overrides if isinstance(each, Typed) for text in _texts(_value(each))]
    names += [folder / file_of(each) for each in written if is_external(each)]
    return [str(each.absolute()) for each in names]


def is_external(name: str) -> bool:
    """Return whether a name refers to an algorithm in a file: `linux:illinois` is of a kernel, `quinn:bbr` of a stack.

    Examples:
        >>> is_external("./mine.py:Mine"), is_external("./libmine.so:mine"), is_external("quinn:./mine.py:Mine")
        (True, True, True)
        >>> is_external("cubic"), is_external("linux:illinois"), is_external("quinn:bbr"), is_external("narrows:cubic")
        (False, False, False, False)
    """
    if name.startswith((OF_KERNELS, *OF_STACKS, IN_STACKS)) and _end_of_file(name) < 0:
        return False
    return ":" in name or Path(name).suffix in SUFFIXES


def absolute(name: str) -> str:
    """Return the name of an algorithm with the absolute path of its file, if it has one."""
    stack, own = split_stack(name)
    return like(name, f"{stack}{Path(own).absolute()}") if is_external(name) else name


def file_of(name: str) -> str:
    """Return the file in the name of an algorithm, without its class and parameters.

    Examples:
        >>> file_of("a (b)/mine.py:Mine(a=2)"), file_of("quinn:./mine.py:Mine")
        ('a (b)/mine.py', './mine.py')
    """
    return split_name(name)[0]


def split_stack(name: str) -> tuple[str, str]:
    """Return the stack in which an algorithm is named, with its colon, empty for none, and the name in it.

    Examples:
        >>> split_stack("quinn:narrows:cubic"), split_stack("./mine.py:Mine")
        (('quinn:', 'narrows:cubic'), ('', './mine.py:Mine'))
    """
    stack = next((each for each in OF_STACKS if name.startswith(each)), "")
    return stack, name[len(stack) :]


def split_name(name: str) -> tuple[str, str]:
    """Return the file and the class in the name of an algorithm; a folder's name may hold a parenthesis, too."""
    name = split_stack(name.strip())[1]
    parameters = name.find("(", max(_end_of_file(name), 0))
    file, _, found = name[: parameters if parameters >= 0 else None].strip().rpartition(":")
    return file, found


def _end_of_file(name: str) -> int:
    """Return the position of the ending of a file in the name of an algorithm; -1 if it has none."""
    return max(name.find(f"{suffix}:") for suffix in SUFFIXES)


def _value(override: str) -> object:
    value = override.partition("=")[2].strip()
    try:
        return tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return value


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for each in value.values():
                yield from _texts(each)
        case Sequence():
            for each in value:
                yield from _texts(each)


_executing: list[bytes] = []

FORM = 'a file and an algorithm in it, as in "./mine.py:Mine" or "./libmine.so:mine"'
MAX_BYTES = 10_000_000
MAX_LIBRARY_BYTES = 200_000_000
LIBRARIES = (".so", ".dylib", ".dll")
WASM = ".wasm"
# How the names of files with algorithms end.
SUFFIXES = (".py", *LIBRARIES, WASM)
# Every file is below it.
EVERYTHING = (os.sep,)
# Prefix of the names of a kernel's own algorithms.
OF_KERNELS = "linux:"
# Prefixes of algorithms of the stacks that can carry flows, whether or not they are part of this build.
OF_STACKS = ("quinn:", "noq:")
# Prefix of algorithms of the catalogue inside a stack.
IN_STACKS = "narrows:"
