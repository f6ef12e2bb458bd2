"""Memory that the process no longer uses."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Returns freed memory to the system.

    The GNU C library keeps what bulk work freed for the process's next need, some 40 MB after a first index; an
    editor's sidecar rests far longer than it works. Other libraries return it by themselves, or cannot be asked.
    """
    if sys.platform != "linux":
        return
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError):  # another C library (musl)
        return
    trim(0)
