"""Whether the files that an answer cites are still what the index read."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from granum.model.layers import Freshness

if TYPE_CHECKING:
    import os
    from pathlib import Path

#: An answer that cites more files than this leaves the rest UNKNOWN: looking must not cost more than answering.
MAX_FILES = 200
#: A file changed this shortly before it was read may change again without its time stamp telling, in nanoseconds.
RACY_NS = 2_000_000_000


class FileStamp(msgspec.Struct, frozen=True, kw_only=True):
    """What tells, without reading it, that a file is as it was; ``size`` in bytes, times in nanoseconds."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileStamp:
        """The stamp in a file's status."""
        return cls(
            size=status.st_size, mtime_ns=status.st_mtime_ns, ctime_ns=status.st_ctime_ns, inode=_signed(status.st_ino)
        )

    def text(self) -> str:
        """The stamp as one word."""
        return f"{self.size}:{self.mtime_ns}:{self.ctime_ns}:{self.inode}"


class CitedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file as the index knows it. ``read_at`` is when it was read, in seconds since the epoch."""

    path: str
    stamp: FileStamp
    content_sha256: bytes
    read_at: float


class FreshnessCheck:
    """Looks at each distinct file once; made anew for each answer.

    A hash is taken only where the stamp differs, or where the file was written so shortly before it was read that
    an equal stamp proves nothing.
    """

    def __init__(self, root: Path, limit: int = MAX_FILES) -> None:
        self._root = root
        self._limit = limit
        self._known: dict[str, Freshness] = {}

    def state(self, cited: CitedFile) -> Freshness:
        """FRESH, STALE, or UNKNOWN when the look failed or the answer has cited too many files already."""
        known = self._known.get(cited.path)
        if known is None:
            known = self._look(cited) if len(self._known) < self._limit else Freshness.UNKNOWN
            self._known[cited.path] = known
        return known

    def _look(self, cited: CitedFile) -> Freshness:
        file = self._root / cited.path
        try:
            status = file.stat()
            stamp = FileStamp.of(status)
            settled = cited.stamp.mtime_ns < cited.read_at * 1e9 - RACY_NS
            if stamp == cited.stamp and settled:
                return Freshness.FRESH
            if stamp.size != cited.stamp.size:
                return Freshness.STALE
            same = hashlib.sha256(file.read_bytes()).digest() == cited.content_sha256
        except FileNotFoundError:
            return Freshness.STALE
        except OSError:
            return Freshness.UNKNOWN
        return Freshness.FRESH if same else Freshness.STALE


def _signed(number: int) -> int:
    """The 64 bits as SQLite keeps them; some file systems number inodes past 2**63, which it cannot."""
    number &= (1 << 64) - 1
    return number - (1 << 64) if number >> 63 else number
