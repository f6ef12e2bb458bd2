"""How a caller takes a request back while another thread works on it."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from granum.model.errors import CancelledRequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class CancelToken:
    """Set once, by the caller; looked at, or listened to, by the thread that works.

    A running SQL statement cannot look at a flag, so it listens: ``interrupting`` registers what stops it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._stop: Callable[[], None] | None = None

    @property
    def cancelled(self) -> bool:
        """Whether the caller has taken the request back."""
        return self._cancelled

    def cancel(self) -> None:
        """Takes the request back and stops what is registered. Safe from any thread, any number of times."""
        with self._lock:
            self._cancelled = True
            if self._stop is not None:
                self._stop()

    def check(self) -> None:
        """Raises if the caller no longer wants the answer.

        Raises:
            CancelledRequestError: The request was taken back.
        """
        if self._cancelled:
            raise CancelledRequestError("the request was cancelled")

    @contextmanager
    def interrupting(self, stop: Callable[[], None]) -> Iterator[None]:
        """While the block runs, ``cancel`` also calls ``stop``; the lock keeps a late call from outliving the block.

        Raises:
            CancelledRequestError: The request had been taken back before the block began.
        """
        with self._lock:
            self.check()
            self._stop = stop
        try:
            yield
        finally:
            with self._lock:
                self._stop = None
