"""What the documents of a workspace are now, beside what the index has read of them.

An open buffer speaks for its document, else the disk does. Where that is another text than the index read, it is
extracted if it is small or open, so that rows can be found again in it; and the index is told to read the file.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from granum.engine.buffers import digest_of
from granum.engine.edition import Edition
from granum.engine.extractions import INLINE_CHARACTERS, Extractions
from granum.index.freshness import MAX_FILES, Look, Looks
from granum.index.regular import read_regular
from granum.model.layers import Freshness
from granum.text.decode import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from granum.engine.buffers import Buffers
    from granum.index.freshness import CitedFile
    from granum.index.reader import Snapshot
    from granum.model.cancellation import CancelToken

#: Characters that are extracted for one answer, some 30 ms of work; rows of further changed texts are STALE.
ANSWER_CHARACTERS = 4 * INLINE_CHARACTERS
#: Editions that are kept for the next answer; all are dropped when there are more.
_EDITIONS = 32


class Sight(NamedTuple):
    """How a cited document stands: ``freshness`` of rows as they are, and the text to find them again in, if any."""

    freshness: Freshness
    edition: Edition | None = None


_FRESH, _STALE, _UNKNOWN = Sight(Freshness.FRESH), Sight(Freshness.STALE), Sight(Freshness.UNKNOWN)


class _Text(NamedTuple):
    text: str
    digest: bytes
    unsaved: bool


class Present:
    """Owns what was found out about texts that the index has not read. Safe from any thread."""

    def __init__(
        self, root: Path, buffers: Buffers, changed: Callable[[str], None], largest: Callable[[], int]
    ) -> None:
        """Looks at nothing yet.

        Args:
            root: A real path.
            buffers: The open buffers.
            changed: Told of a path whose file is not what the index read.
            largest: The most characters that a buffer may have to be read.
        """
        self._root = os.fspath(root)
        self._buffers = buffers
        self._changed = changed
        self._largest = largest
        self._looks = Looks(root)
        self._extractions = Extractions()
        # what the content that was last read of a path is as a text: the digests of both
        self._contents: dict[str, tuple[bytes, bytes]] = {}
        self._editions: dict[str, tuple[tuple[object, ...], Edition]] = {}

    def forget(self, path: str) -> None:
        """The buffer was closed."""
        self._contents.pop(path, None)
        self._editions.pop(path, None)

    def close(self) -> None:
        """Ends what still runs."""
        self._extractions.close()

    def sight(self, cited: CitedFile, survey: Survey) -> Sight:
        """How the document stands now."""
        look = self._looks.at(cited)
        if look in {Look.CHANGED, Look.GONE}:
            self._changed(cited.path)
        buffer = self._buffers.get(cited.path)
        if buffer is None:
            return self._of_file(cited, look, survey)
        if buffer.digest == self._digest_read(cited, look):
            return _FRESH
        if len(buffer.text) > self._largest():
            return _STALE
        unsaved = look is Look.SAME or self._digest_on_disk(cited.path) != buffer.digest
        return self._edited(cited, _Text(buffer.text, buffer.digest, unsaved), survey)

    def _of_file(self, cited: CitedFile, look: Look, survey: Survey) -> Sight:
        if look is Look.SAME:
            return _FRESH
        if look is Look.FAILED:
            return _UNKNOWN
        text = self._text_on_disk(cited.path, INLINE_CHARACTERS) if look is Look.CHANGED else None
        return _STALE if text is None else self._edited(cited, _Text(text, digest_of(text), unsaved=False), survey)

    def _digest_read(self, cited: CitedFile, look: Look) -> bytes | None:
        """The digest of the text that the index read, as far as it is known."""
        known = self._contents.get(cited.path)
        if known is not None and known[0] == cited.content_sha256:
            return known[1]
        data = self._data_on_disk(cited.path, cited.stamp.size) if look is Look.SAME else None
        if data is None or hashlib.sha256(data).digest() != cited.content_sha256:
            return None
        decoded = decode(data)
        if decoded is None:
            return None
        digest = digest_of(decoded.text)
        self._contents[cited.path] = (cited.content_sha256, digest)
        return digest

    def _digest_on_disk(self, path: str) -> bytes | None:
        text = self._text_on_disk(path, self._largest())
        return None if text is None else digest_of(text)

    def _text_on_disk(self, path: str, largest: int) -> str | None:
        data = self._data_on_disk(path, largest)
        decoded = None if data is None else decode(data)
        return None if decoded is None else decoded.text

    def _data_on_disk(self, path: str, largest: int) -> bytes | None:
        file = f"{self._root}/{path}"
        # a link that leads out of the root may have been put in the file's place
        if os.path.realpath(file) != os.path.normpath(file):
            return None
        try:
            return read_regular(Path(file), largest)[1]
        except OSError:
            return None

    def _edited(self, cited: CitedFile, text: _Text, survey: Survey) -> Sight:
        path, is_small = cited.path, len(text.text) <= INLINE_CHARACTERS
        if is_small and not self._extractions.has(path, text.digest) and not survey.affords(len(text.text)):
            return _STALE
        extraction = self._extractions.of(path, text.text, text.digest)
        if extraction is None:
            return _STALE
        key = text.digest, cited.content_sha256, cited.document_id, cited.module, text.unsaved
        known = self._editions.get(path)
        if known is None or known[0] != key:
            if len(self._editions) >= _EDITIONS:
                self._editions.clear()
            known = self._editions[path] = (key, Edition(cited, extraction, unsaved=text.unsaved))
        return Sight(Freshness.STALE, known[1])


class Survey:
    """The looks that one answer takes: at each document that it cites once, and at so many only."""

    def __init__(self, present: Present, snapshot: Snapshot, token: CancelToken) -> None:
        self.snapshot = snapshot
        self._present = present
        self._token = token
        self._sights: dict[str, Sight] = {}
        self._characters = 0

    def of(self, paths: Iterable[str]) -> dict[str, Sight]:
        """How the documents at these paths stand; UNKNOWN those that are not indexed."""
        wanted = dict.fromkeys(paths)
        new = [path for path in wanted if path not in self._sights]
        cited = self.snapshot.cited(new) if new else {}
        for path in new:
            self._token.check()
            known = cited.get(path)
            looks = known is not None and len(self._sights) < MAX_FILES
            self._sights[path] = self._present.sight(known, self) if known is not None and looks else _UNKNOWN
        return {path: self._sights[path] for path in wanted}

    def at(self, path: str) -> Sight:
        """How one document stands."""
        return self.of((path,))[path]

    def affords(self, characters: int) -> bool:
        """Whether so much text may still be extracted for this answer."""
        if self._characters and self._characters + characters > ANSWER_CHARACTERS:
            return False
        self._characters += characters
        return True
