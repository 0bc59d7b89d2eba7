# SPDX-License-Identifier: Apache-2.0
"""Messages between this program and its worker processes: pickles in frames."""

from __future__ import annotations

import pickle
import struct
from typing import IO, Any


class GarbledError(Exception):
    """The bytes received are not a frame."""


def send(stream: IO[bytes], message: object) -> None:
    """Write one message."""
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(HEAD.pack(MARK, len(content)) + content)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one message; None if the stream ends before or within it."""
    head = _read(stream, HEAD.size)
    if len(head) < HEAD.size:
        return None
    mark, length = HEAD.unpack(head)
    if mark != MARK:
        raise GarbledError
    content = _read(stream, length)
    if len(content) < length:
        return None
    try:
        return pickle.loads(content)  # noqa: S301  # the other end is this program
    except Exception as error:  # a damaged pickle may raise anything
        raise GarbledError from error


def _read(stream: IO[bytes], length: int) -> bytes:
    content = b""
    while len(content) < length:
        part = stream.read(length - len(content))
        if not part:
            break
        content += part
    return content


# Bytes without the mark come from an algorithm that writes to a file descriptor of its process.
MARK = b"narrows\x01"
HEAD = struct.Struct("<8sQ")
