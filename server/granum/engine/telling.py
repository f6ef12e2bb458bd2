"""Tells the status of a workspace when there is news of it."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

import apsw

if TYPE_CHECKING:
    from collections.abc import Callable

    from granum.model.answers import Status

log = logging.getLogger(__name__)

#: Statuses told are at least this far apart, in seconds, and so many times as far as one takes: each counts all rows,
#: which would take most of a core while a large workspace is indexed.
STATUS_SECONDS = 0.25
STATUS_SHARE = 4


class Telling:
    """One thread that tells, from ``start`` to ``close``: counting rows must delay neither the writer nor requests."""

    def __init__(self, look: Callable[[], Status], on_status: Callable[[Status], None] | None) -> None:
        self._look = look
        self._on_status = on_status
        self._news = threading.Event()
        self._ended = threading.Event()

    def start(self) -> None:
        """Begins, if anybody listens."""
        if self._on_status is not None:
            threading.Thread(target=self._tell, args=(self._on_status,), name="granum-status", daemon=True).start()

    def news(self) -> None:
        """There is something to tell. From any thread, whatever locks it holds."""
        self._news.set()

    def close(self) -> None:
        """Tells nothing more."""
        self._ended.set()
        self._news.set()

    def _tell(self, on_status: Callable[[Status], None]) -> None:
        while self._news.wait() and not self._ended.is_set():
            self._news.clear()
            begun = time.monotonic()
            try:
                status = self._look()
            except apsw.Error as error:
                log.warning("no status could be told: %s", error)
            else:
                on_status(status)
            self._ended.wait(max(STATUS_SECONDS, STATUS_SHARE * (time.monotonic() - begun)))
