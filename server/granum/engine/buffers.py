"""The open buffers of one workspace: text that an editor holds and the disk may not have yet."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec

from granum.extract import extract, language_of
from granum.text.decode import normalise_eol

if TYPE_CHECKING:
    from granum.model.layers import Extraction


class Buffer(msgspec.Struct, frozen=True, kw_only=True):
    """An open document: its text with LF line ends, the client's version, and whether the index lacks it."""

    text: str
    version: int
    dirty: bool


class Buffers:
    """Owns the open buffers and, for dirty ones, what they extract to. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._buffers: dict[str, Buffer] = {}
        self._extractions: dict[str, tuple[int, Extraction]] = {}

    def opened(self, path: str, text: str, version: int) -> None:
        """Begins, or replaces, the buffer of ``path``; it counts as saved until it changes."""
        self._put(path, Buffer(text=normalise_eol(text)[0], version=version, dirty=False))

    def changed(self, path: str, text: str, version: int) -> None:
        """Replaces the text of an open buffer; one that was never opened is taken as opened and dirty."""
        self._put(path, Buffer(text=normalise_eol(text)[0], version=version, dirty=True))

    def indexed(self, path: str, version: int) -> None:
        """The index now holds what the buffer held at ``version``; edits made since stay unsaved."""
        with self._lock:
            buffer = self._buffers.get(path)
            if buffer is not None and buffer.version == version:
                self._buffers[path] = msgspec.structs.replace(buffer, dirty=False)
                self._extractions.pop(path, None)

    def closed(self, path: str) -> None:
        """Forgets the buffer; the disk speaks again."""
        with self._lock:
            self._buffers.pop(path, None)
            self._extractions.pop(path, None)

    def get(self, path: str) -> Buffer | None:
        """The open buffer of ``path``, if there is one."""
        with self._lock:
            return self._buffers.get(path)

    def unsaved(self, path: str, largest: int) -> Extraction | None:
        """What a dirty buffer extracts to, made at most once a version.

        Returns:
            None where nothing is unsaved, or the text is longer than ``largest`` and so never indexed.
        """
        buffer = self.get(path)
        if buffer is None or not buffer.dirty or len(buffer.text) > largest or language_of(path) is None:
            return None
        with self._lock:
            cached = self._extractions.get(path)
        if cached is not None and cached[0] == buffer.version:
            return cached[1]
        extraction = extract(path, buffer.text)
        with self._lock:
            if self._buffers.get(path) is buffer:
                self._extractions[path] = (buffer.version, extraction)
        return extraction

    def _put(self, path: str, buffer: Buffer) -> None:
        with self._lock:
            self._buffers[path] = buffer
