"""The open buffers of one workspace: text that an editor holds and the disk may not have yet."""

from __future__ import annotations

import hashlib
import threading
from functools import cached_property

from granum.text.decode import normalise_eol


def digest_of(text: str) -> bytes:
    """What tells two texts apart, whatever bytes a file has them in."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class Buffer:
    """One version of an open document: its text with LF line ends. Never changed, so safe from any thread."""

    def __init__(self, text: str, version: int) -> None:
        self.text = normalise_eol(text)[0]
        self.version = version

    @cached_property
    def digest(self) -> bytes:
        """See ``digest_of``; made when somebody asks, which is not for each key that is pressed."""
        return digest_of(self.text)


class Buffers:
    """Owns the open buffers. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._buffers: dict[str, Buffer] = {}

    def put(self, path: str, text: str, version: int) -> None:
        """Begins the buffer of ``path``, or replaces its text."""
        buffer = Buffer(text, version)
        with self._lock:
            self._buffers[path] = buffer

    def closed(self, path: str) -> None:
        """Forgets the buffer; the disk speaks again."""
        with self._lock:
            self._buffers.pop(path, None)

    def get(self, path: str) -> Buffer | None:
        """The open buffer of ``path``, if there is one."""
        with self._lock:
            return self._buffers.get(path)
