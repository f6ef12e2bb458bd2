"""What comes of looking at one file; the value that passes from where files are read to where rows are written."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from granum.index.document_rows import DocumentRows
from granum.index.freshness import FileStamp
from granum.model.layers import Extraction, Problem


class State(StrEnum):
    """How the look ended."""

    READ = "read"  # rows is set; for a request with a text, extraction
    UNCHANGED = "unchanged"  # the content is the known one
    MISSING = "missing"
    REFUSED = "refused"  # problem says why it does not belong in the index, if people should know
    FAILED = "failed"  # problem says what went wrong


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A file to be looked at. ``known_sha256`` is empty when it is to be extracted whatever its content.

    With ``text`` no file is looked at: the text is what is extracted.

    ``turn`` comes back with the reading, so that one that was overtaken by a later look can be told.
    """

    path: str
    known_sha256: bytes = b""
    text: str | None = None
    turn: int = 0


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """One file as it was at ``read_at`` (seconds since the epoch).

    ``stamp`` was taken before the content was read: a change in between makes it differ from the file's, so that
    the next look notices. One that came from a worker also tells how many bytes it was sent as, and holds these
    packed for the extraction cache, if it is of use there.
    """

    path: str
    state: State
    stamp: FileStamp | None = None
    content_sha256: bytes = b""
    eol: str = ""
    encoding: str = ""
    read_at: float = 0.0
    rows: DocumentRows | None = None
    extraction: Extraction | None = None
    problem: Problem | None = None
    turn: int = 0
    weight: int = 0
    packed: bytes = b""
