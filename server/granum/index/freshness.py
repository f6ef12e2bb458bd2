"""Whether the files that answers cite are still what the index read."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from enum import Enum
from pathlib import Path

import msgspec

from granum.index.regular import read_regular

#: An answer that cites more files than this leaves the rest UNKNOWN: looking must not cost more than answering.
MAX_FILES = 200
#: A file changed this shortly before it was read may change again without its time stamp telling, in nanoseconds.
RACY_NS = 2_000_000_000
#: Stamps that are remembered as proven; all are forgotten when there are more.
_PROVEN = 4096


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

    def is_settled(self, now_ns: int) -> bool:
        """Whether, looked at ``now``, a further change would give another stamp whatever the clock's grain."""
        return self.mtime_ns < now_ns - RACY_NS


class CitedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file as the index knows it. ``read_at`` is when it was read, in seconds since the epoch."""

    path: str
    stamp: FileStamp
    content_sha256: bytes
    read_at: float
    document_id: int = 0
    module: str = ""


class Look(Enum):
    """What a look at a cited file finds."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"  # nothing is there, or something that is no file
    FAILED = "failed"


class Looks:
    """Looks at the cited files below ``root``. Safe from any thread.

    A hash is taken only where the stamp differs, or where the file was written so shortly before it was read that
    an equal stamp proves nothing. What a hash proved is remembered: a file that was just saved would be read again
    for every answer else.
    """

    def __init__(self, root: Path) -> None:
        self._root = os.fspath(root)
        self._proven: dict[str, tuple[FileStamp, bytes]] = {}

    def at(self, cited: CitedFile) -> Look:
        """Whether the file's content is the cited one."""
        file = f"{self._root}/{cited.path}"
        try:
            status = os.stat(file)  # noqa: PTH116  a Path would cost more than the look
            if not stat.S_ISREG(status.st_mode):
                return Look.GONE
            stamp = FileStamp.of(status)
            if stamp == cited.stamp and stamp.is_settled(int(cited.read_at * 1e9)):
                return Look.SAME
            if stamp.size != cited.stamp.size:
                return Look.CHANGED
            return Look.SAME if self._content(cited.path, file, stamp) == cited.content_sha256 else Look.CHANGED
        except (FileNotFoundError, NotADirectoryError):
            return Look.GONE
        except OSError:
            return Look.FAILED

    def _content(self, path: str, file: str, stamp: FileStamp) -> bytes:
        proven = self._proven.get(path)
        if proven is not None and proven[0] == stamp:
            return proven[1]
        now = time.time_ns()
        status, data = read_regular(Path(file), stamp.size)
        content = hashlib.sha256(data).digest()
        if FileStamp.of(status) == stamp and stamp.is_settled(now):
            if len(self._proven) >= _PROVEN:
                self._proven.clear()
            self._proven[path] = (stamp, content)
        return content


def _signed(number: int) -> int:
    """The 64 bits as SQLite keeps them; some file systems number inodes past 2**63, which it cannot."""
    number &= (1 << 64) - 1
    return number - (1 << 64) if number >> 63 else number
