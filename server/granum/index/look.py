"""Reads, decodes, hashes and extracts one file; in the writer's thread or in a worker process."""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import stat
import time
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from granum.index.document_rows import document_rows
from granum.index.freshness import FileStamp
from granum.index.reading import Reading, State
from granum.model.layers import Problem
from granum.model.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from granum.index.extraction_cache import ExtractionCache
    from granum.index.policy import Policy
    from granum.index.reading import Request
    from granum.model.layers import Extraction


log = logging.getLogger(__name__)

_MESSAGES = {
    "binary": "The file is not text.",
    "too_large": "The file is larger than granum.maxFileSize.",
}


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What every look needs to know. ``root`` is a real path; ``max_file_size`` is in bytes."""

    root: str
    max_file_size: int


def look(rules: Rules, request: Request) -> Reading:
    """Never raises for anything that a file may be; a Problem tells instead."""
    return msgspec.structs.replace(_look(rules, request), turn=request.turn)


def recall(rules: Rules, request: Request, cache: ExtractionCache) -> Reading | None:
    """A reading of a file whose content is the known one or is kept by the cache; None where it takes a look."""
    read_at = time.time()
    try:
        found = _read(rules, request.path)
    except OSError:
        return None
    if isinstance(found, Reading):
        return None
    stamp, data = found
    content = hashlib.sha256(data).digest()
    reading = _unchanged(request, stamp, content, read_at) or cache.find(request.path, content, stamp, read_at)
    return None if reading is None else msgspec.structs.replace(reading, turn=request.turn)


def prepare() -> None:
    """Loads all that reading a file needs, so that the first one does not wait for it."""
    from granum.extract import extract, samples

    for path in samples():
        extract(path, "")


def stamp_of(rules: Rules, path: str) -> FileStamp | None:
    """The file's stamp now; None if it cannot be had."""
    try:
        return FileStamp.of(os.stat(os.path.join(rules.root, path)))  # noqa: PTH116, PTH118
    except OSError:
        return None


def _look(rules: Rules, request: Request) -> Reading:
    path = request.path
    read_at = time.time()
    if request.text is not None:
        return _extracted(path, request.text, lambda extraction: {"extraction": extraction})
    try:
        found = _read(rules, path)
    except (FileNotFoundError, NotADirectoryError):
        return Reading(path=path, state=State.MISSING, read_at=read_at)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:  # no file can be called so
            return Reading(path=path, state=State.MISSING, read_at=read_at)
        return failed(path, "unreadable", f"The file cannot be read: {error.strerror or type(error).__name__}.")
    if isinstance(found, Reading):
        return found
    stamp, data = found
    content = hashlib.sha256(data).digest()
    unchanged = _unchanged(request, stamp, content, read_at)
    if unchanged is not None:
        return unchanged
    verdict = _policy(rules).content_verdict(path, data)
    if not verdict.keep:
        return refused(path, verdict.reason.value, stamp)
    return _extract(path, stamp, content, data, read_at)


def _unchanged(request: Request, stamp: FileStamp, content: bytes, read_at: float) -> Reading | None:
    if content != request.known_sha256:
        return None
    return Reading(path=request.path, state=State.UNCHANGED, stamp=stamp, content_sha256=content, read_at=read_at)


@lru_cache(maxsize=4)
def _policy(rules: Rules) -> Policy:
    """Judges contents; its path rules are not used here, so that their changes do not matter."""
    from granum.index.policy import Policy

    return Policy(Path(rules.root), Settings(max_file_size=rules.max_file_size))


def failed(path: str, code: str, message: str, stamp: FileStamp | None = None) -> Reading:
    """A reading that tells what went wrong; with a stamp, it is not tried again until the file changes."""
    return Reading(path=path, state=State.FAILED, stamp=stamp, problem=Problem(code=code, message=message))


def _read(rules: Rules, path: str) -> tuple[FileStamp, bytes] | Reading:
    file = os.path.join(rules.root, path)  # noqa: PTH118  called for every file, and a Path costs more than the rest
    if os.path.realpath(file) != file:
        # a link into the root is the file that it leads to, and one out of it is not ours to read
        return Reading(path=path, state=State.MISSING)
    status = os.stat(file)  # noqa: PTH116
    if not stat.S_ISREG(status.st_mode):
        return Reading(path=path, state=State.REFUSED)
    stamp = FileStamp.of(status)
    if status.st_size > rules.max_file_size:
        message = f"The file has {status.st_size} bytes; granum.maxFileSize is {rules.max_file_size}."
        return refused(path, "too_large", stamp, message)
    with open(file, "rb") as handle:  # noqa: PTH123
        return stamp, handle.read(rules.max_file_size + 1)


def _extract(path: str, stamp: FileStamp, content: bytes, data: bytes, read_at: float) -> Reading:
    # late: opening an index and answering from it must not wait for the parsers
    from granum.text.decode import decode

    decoded = decode(data)
    if decoded is None:
        return refused(path, "binary", stamp)
    problem = None
    if decoded.lossy:
        problem = Problem(code="encoding", message=f"Some bytes are not {decoded.encoding}; they are shown as U+FFFD.")
    reading = _extracted(path, decoded.text, lambda extraction: {"rows": document_rows(extraction)})
    if reading.rows is None:
        return msgspec.structs.replace(reading, stamp=stamp)
    return msgspec.structs.replace(
        reading,
        stamp=stamp,
        content_sha256=content,
        eol=decoded.eol,
        encoding=decoded.encoding,
        read_at=read_at,
        problem=problem,
    )


def _extracted(path: str, text: str, part: Callable[[Extraction], dict[str, Any]]) -> Reading:
    """What the text extracts to, as the part of a reading that is made of it."""
    from granum.extract import extract, language_of

    try:
        found = part(extract(path, text, language_of(path)))
    except Exception:
        # extraction promises not to raise; a mistake in it must cost this file, not the rest of the workspace
        log.exception("extracting %s failed", path)
        return failed(path, "internal", "Granum could not read the file; its log tells why.")
    return Reading(path=path, state=State.READ, **found)


def refused(path: str, code: str, stamp: FileStamp | None, message: str = "") -> Reading:
    """A reading of a file that does not belong in the index; people are told of it."""
    message = message or _MESSAGES.get(code, f"The file is left out: {code.replace('_', ' ')}.")
    return Reading(path=path, state=State.REFUSED, stamp=stamp, problem=Problem(code=code, message=message))
