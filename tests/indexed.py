"""A workspace read into a real index, synchronously: what the writer does, without its thread and its scan."""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING

from granum.extract import EXTRACTOR_VERSION, extract, language_of
from granum.index.connection import immediate
from granum.index.document_rows import document_rows
from granum.index.freshness import FileStamp
from granum.index.generation import open_generation
from granum.index.modules import Modules, is_marker, renamed_modules
from granum.index.reader import Reader
from granum.index.reading import Reading, State
from granum.index.store import Batch, Origin
from granum.resolve import link, waiting
from granum.text.decode import decode

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Indexed:
    """An index of ``root``; ``save`` and ``remove`` change a file and bring the index in line."""

    def __init__(self, root: Path, database: Path) -> None:
        self.root = root
        generation = open_generation(database, EXTRACTOR_VERSION)
        self.connection = generation.connection
        self.reader = Reader(generation.path)

    def read(self, paths: Iterable[str]) -> list[int]:
        """Reads files, or their absence, in one transaction; returns their documents' ids.

        As the writer does, it reads those again whose module's name a package marker changed.
        """
        asked = list(paths)
        ids = self._put(asked)
        modules = Modules(self.root)
        markers = sorted({path.rpartition("/")[0] for path in asked if is_marker(path)})
        renamed = {path for folder in markers for path in renamed_modules(self.connection, modules, folder)}
        return [*ids, *self._put(sorted(renamed))]

    def _put(self, paths: Iterable[str]) -> list[int]:
        modules = Modules(self.root)
        with immediate(self.connection):
            batch = Batch(self.connection, self.root, Origin(), EXTRACTOR_VERSION, modules.name)
            ids = [batch.put(self._reading(path)).document_id for path in paths]
            batch.flush()
        return [document_id for document_id in ids if document_id]

    def read_all(self) -> list[int]:
        """Reads every file that has a language, in a stable order."""
        found = sorted(p.relative_to(self.root).as_posix() for p in self.root.rglob("*") if p.is_file())
        return self.read(path for path in found if language_of(path))

    def link(self, document_ids: Iterable[int]) -> None:
        """Links these documents and all that wait because of them."""
        pending = list(document_ids)
        while pending:
            with immediate(self.connection):
                link(self.connection, pending)
            pending = waiting(self.connection, 1000)

    def save(self, path: str, text: str) -> None:
        """Writes a file, reads and links it."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
        self.link(self.read([path]))

    def remove(self, path: str) -> None:
        """Deletes a file, reads and links what is left."""
        (self.root / path).unlink()
        self.link(self.read([path]))

    def close(self) -> None:
        """Closes both ends."""
        self.reader.close()
        self.connection.close()

    def _reading(self, path: str) -> Reading:
        file = self.root / path
        if not file.exists():
            return Reading(path=path, state=State.MISSING)
        data, status = file.read_bytes(), file.stat()
        decoded = decode(data)
        if decoded is None:
            return Reading(path=path, state=State.REFUSED)
        return Reading(
            path=path,
            state=State.READ,
            stamp=FileStamp(
                size=status.st_size, mtime_ns=status.st_mtime_ns, ctime_ns=status.st_ctime_ns, inode=status.st_ino
            ),
            content_sha256=hashlib.sha256(data).digest(),
            eol=decoded.eol,
            encoding=decoded.encoding,
            read_at=time.time(),
            rows=document_rows(extract(path, decoded.text)),
        )
