"""The folder beside an index in which the processes that share it meet: ``index-1-1.shared`` for ``index-1-1.db``."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def folder_of(index: Path) -> Path:
    """The folder of the index whose first generation this is."""
    return index.with_suffix(".shared")


def put(file: Path, data: bytes) -> None:
    """Puts a file in its place whole: whoever reads it finds the old content or the new one, never a part.

    Raises:
        OSError: It cannot be written; the old one stays.
    """
    temporary = file.with_name(f"{file.name}.new")
    try:
        temporary.write_bytes(data)
        temporary.replace(file)
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
