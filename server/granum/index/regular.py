"""Reading a file that is certainly one.

A named pipe or a device may stand where a file is expected, or take its place between the look and the read; reading
it could wait for ever.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

#: Windows has neither: it waits for no pipe that is opened by a path, and lets no child inherit the file.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def read_regular(file: Path, largest: int) -> tuple[os.stat_result, bytes]:
    """The content of a regular file and its status, both of the same open file.

    Raises:
        OSError: It cannot be read, is no regular file, or has more than ``largest`` bytes (``EFBIG``).
    """
    descriptor = os.open(file, _FLAGS)
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", os.fspath(file))
        data = stream.read(largest + 1) if status.st_size <= largest else b""
        if status.st_size > largest or len(data) > largest:
            raise OSError(errno.EFBIG, "too large", os.fspath(file))
        return status, data
