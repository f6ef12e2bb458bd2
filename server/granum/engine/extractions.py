"""Extractions of texts that the index has not read, each made once.

A parse holds the interpreter's lock, so that only small texts are extracted in the thread that asks. A large one goes
to a worker process of its own; who asks meanwhile waits for a moment and then goes without. Nothing queues: while one
text of a document is being extracted, its later ones are not begun, and the next question begins with the latest.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from typing import TYPE_CHECKING, NamedTuple

from granum.index.look import Rules
from granum.index.reading import Request

if TYPE_CHECKING:
    from granum.index.reading import Reading
    from granum.index.workers import Workers
    from granum.model.layers import Extraction

#: Texts of up to so many characters are extracted in the thread that asks, as the writer does with saved files.
INLINE_CHARACTERS = 16 * 1024
#: How long a question waits for a large text, in seconds.
PATIENCE_SECONDS = 0.05
#: How long the worker stays when nobody edits a large text any more, in seconds.
_IDLE_SECONDS = 60.0
#: Characters of text whose extractions are kept in all; an extraction takes some 15 bytes for each.
_CHARACTERS = 2_000_000


class _Kept(NamedTuple):
    digest: bytes
    characters: int
    extraction: Extraction | None


class Extractions:
    """Owns what was extracted, one text a path. Safe from any thread."""

    def __init__(self, characters: int = _CHARACTERS, patience: float = PATIENCE_SECONDS) -> None:
        self._most = characters
        self._patience = patience
        self._characters = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._running: dict[str, Future[None]] = {}
        self._sent: dict[int, tuple[str, bytes, int]] = {}
        self._turn = 0
        self._workers: Workers | None = None
        self._closed = False

    @property
    def sent(self) -> int:
        """How many texts went to the worker."""
        return self._turn

    def has(self, path: str, digest: bytes) -> bool:
        """Whether the text with this digest has been extracted."""
        with self._lock:
            return self._at_hand(path, digest) is not None

    def of(self, path: str, text: str, digest: bytes) -> Extraction | None:
        """What the text extracts to; None where that takes longer than a question may wait, or than a file may."""
        deadline = time.monotonic() + self._patience
        while (running := self._begin(path, text, digest)) is not None:
            try:
                running.result(max(deadline - time.monotonic(), 0))
            except TimeoutError:
                break
        with self._lock:
            kept = self._at_hand(path, digest)
            return None if kept is None else kept.extraction

    def close(self) -> None:
        """Ends the worker."""
        with self._lock:
            self._closed = True
            workers = self._workers
        if workers is not None:
            workers.close()

    def _at_hand(self, path: str, digest: bytes) -> _Kept | None:
        kept = self._kept.get(path)
        if kept is None or kept.digest != digest:
            return None
        self._kept.move_to_end(path)
        return kept

    def _begin(self, path: str, text: str, digest: bytes) -> Future[None] | None:
        """What is to be waited for, which may be another text of the document; None when this one is done."""
        with self._lock:
            if self._at_hand(path, digest) is not None or self._closed:
                return None
            running = self._running.get(path)
            if running is not None:
                return running
            running = self._running[path] = Future()
        if len(text) <= INLINE_CHARACTERS:
            self._extract(path, text, digest)
        else:
            self._send(path, text, digest)
        return running

    def _extract(self, path: str, text: str, digest: bytes) -> None:
        # late: the parsers are not needed before somebody edits
        from granum.extract import extract

        extraction = None
        try:
            extraction = extract(path, text)
        finally:
            self._end(path, _Kept(digest, len(text), extraction))

    def _send(self, path: str, text: str, digest: bytes) -> None:
        from granum.index.workers import Workers

        with self._lock:
            if self._workers is None:
                # the text comes with the request: no file is read below this root
                rules = Rules(root="", max_file_size=0)
                self._workers = Workers(1, rules, self._received, idle_seconds=_IDLE_SECONDS, kept=0)
            self._turn += 1
            self._sent[self._turn] = (path, digest, len(text))
            workers, turn = self._workers, self._turn
        workers.submit((Request(path=path, text=text, turn=turn),), 0)

    def _received(self, reading: Reading) -> None:
        with self._lock:
            path, digest, characters = self._sent.pop(reading.turn)
        # kept without an extraction where it took too long: it would take as long again
        self._end(path, _Kept(digest, characters, reading.extraction))

    def _end(self, path: str, kept: _Kept) -> None:
        with self._lock:
            self._drop(path)
            self._kept[path] = kept
            self._characters += kept.characters
            while self._characters > self._most and len(self._kept) > 1:
                self._drop(next(iter(self._kept)))
            running = self._running.pop(path)
        running.set_result(None)

    def _drop(self, path: str) -> None:
        kept = self._kept.pop(path, None)
        if kept is not None:
            self._characters -= kept.characters
