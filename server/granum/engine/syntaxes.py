"""Texts that were parsed to find the name at a position, kept for the next position: people hover where they hovered.

Parsing takes .2 ms a KB, so that doing it for every hover would also delay all other answers.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from granum.index.freshness import RACY_NS, FileStamp
from granum.index.regular import read_regular
from granum.text.decode import decode
from granum.text.redact import redact

if TYPE_CHECKING:
    from pathlib import Path

    from granum.extract.identify import Located

#: Characters of text that are kept in all; a syntax tree takes some 27 bytes for each.
_CHARACTERS = 1_000_000
#: Texts of so many characters are parsed as soon as they come, in a few milliseconds.
_SMALL = 16 * 1024
#: The largest closed file that is read unless told otherwise, in bytes.
_LARGEST = 1024 * 1024


class _Kept(NamedTuple):
    text: str
    parsed: Located
    stamp: FileStamp | None


class Syntaxes:
    """Owns the parsed texts by path, those asked for last. Safe from any thread."""

    def __init__(self, characters: int = _CHARACTERS) -> None:
        self._most = characters
        self._characters = 0
        self._lock = threading.Lock()
        # one large text at a time: who asks for the same one meanwhile finds it parsed
        self._large = threading.Lock()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def of_text(self, path: str, text: str, language: str, stamp: FileStamp | None = None) -> Located:
        """The parsed form of ``text``, which stands at ``path`` now."""
        if len(text) <= _SMALL:
            return self._parsed(path, text, language, stamp)
        with self._large:
            return self._parsed(path, text, language, stamp)

    def _parsed(self, path: str, text: str, language: str, stamp: FileStamp | None) -> Located:
        kept = self._get(path)
        if kept is not None and (kept.text is text or kept.text == text):
            parsed = kept.parsed
        else:
            # late: the parsers are not needed before the first position
            from granum.extract.identify import parsed as parse

            # a name is shown as it stands in the text, so that secrets must be out of it, as they are of the index
            parsed = parse(redact(text), language)
        self._put(path, _Kept(text, parsed, stamp))
        return parsed

    def of_file(self, path: str, file: Path, language: str, largest: int = _LARGEST) -> Located | None:
        """The parsed form of a closed file, read again only when it changed.

        Returns:
            None where the file cannot be read or has more than ``largest`` bytes.
        """
        try:
            kept = self._get(path)
            if kept is not None and kept.stamp == FileStamp.of(file.stat()):
                return kept.parsed
            status, data = read_regular(file, largest)
        except OSError:
            return None
        decoded = decode(data)
        if decoded is None:
            return None
        stamp = FileStamp.of(status)
        # a file may change again within the clock's grain without a new stamp
        is_settled = stamp.mtime_ns < time.time_ns() - RACY_NS
        return self.of_text(path, decoded.text, language, stamp if is_settled else None)

    def _get(self, path: str) -> _Kept | None:
        with self._lock:
            kept = self._kept.get(path)
            if kept is not None:
                self._kept.move_to_end(path)
            return kept

    def _put(self, path: str, kept: _Kept) -> None:
        with self._lock:
            self._drop(path)
            if len(kept.text) > self._most:
                return
            self._kept[path] = kept
            self._characters += len(kept.text)
            while self._characters > self._most:
                self._drop(next(iter(self._kept)))

    def _drop(self, path: str) -> None:
        kept = self._kept.pop(path, None)
        if kept is not None:
            self._characters -= len(kept.text)
