"""Wishes of processes that may not write the index, for the one that may: small files in a folder beside it.

A wish is a file ``<wisher>-<number>.wish``, moved into place whole, so that nobody reads half of one. Its answer is
``<wisher>-<number>.done``; the holder writes it and removes the wish, the wisher removes the answer. What a holder
that died has left undone is still there for the next.
"""

from __future__ import annotations

import logging
import secrets
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from granum.index.jobs import Cause, Job
from granum.model.answers import Reindexed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

log = logging.getLogger(__name__)

WISH, ANSWER = ".wish", ".done"
#: Wishes that are taken in at once; more wait in the folder.
MOST = 1_000
#: A wish names a path, which systems bound at some 4 KB.
LARGEST_BYTES = 64 * 1024
#: Files that nobody came for within so many seconds are left by processes that are gone.
FORGOTTEN_SECONDS = 3600.0


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """A job of another process. ``name`` is its file's, without the suffix."""

    name: str
    job: Job


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a wish; ``failure`` in words where nothing did."""

    reindexed: Reindexed = Reindexed()
    failure: str = ""


class _Letter(msgspec.Struct, frozen=True, kw_only=True):
    cause: Cause
    path: str


class Mailbox:
    """The folder of wishes of the index at ``path``. Safe for any number of processes."""

    def __init__(self, path: Path) -> None:
        self._folder = path.with_suffix(".wishes")
        self._wisher = secrets.token_hex(8)
        self._count = 0

    # -- by those who wish

    def post(self, job: Job) -> str:
        """Leaves a wish and returns its name.

        Raises:
            OSError: It cannot be written.
        """
        self._count += 1
        name = f"{self._wisher}-{self._count}"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._write(name + WISH, msgspec.json.encode(_Letter(cause=job.cause, path=job.path)))
        return name

    def answer_of(self, name: str) -> Answer | None:
        """The answer to a wish, taken out of the folder; None while there is none."""
        file = self._folder / (name + ANSWER)
        try:
            data = file.read_bytes()
        except OSError:
            return None
        file.unlink(missing_ok=True)
        with suppress(msgspec.DecodeError):
            return msgspec.json.decode(data, type=Answer)
        return Answer(failure="The answer of the process that keeps the index cannot be read.")

    def take_back(self, names: Iterable[str]) -> None:
        """Removes wishes that nobody waits for any more."""
        for name in names:
            for suffix in (WISH, ANSWER):
                with suppress(OSError):
                    (self._folder / (name + suffix)).unlink(missing_ok=True)

    # -- by the holder

    def wishes(self, known: Iterable[str]) -> list[Wish]:
        """The wishes that are not among the known ones, in no order; what is no wish is removed."""
        seen = set(known)
        found: list[Wish] = []
        try:
            files = [entry for entry in self._folder.iterdir() if entry.suffix == WISH and entry.stem not in seen]
        except OSError:
            return []
        for file in files[:MOST]:
            try:
                with file.open("rb") as stream:
                    letter = msgspec.json.decode(stream.read(LARGEST_BYTES), type=_Letter)
            except FileNotFoundError:
                continue
            except (OSError, msgspec.DecodeError) as error:
                log.warning("a wish cannot be read", extra={"file": file.name, "reason": str(error)})
                with suppress(OSError):
                    file.unlink(missing_ok=True)
                continue
            found.append(Wish(name=file.stem, job=Job(cause=letter.cause, path=letter.path)))
        return found

    def answer(self, name: str, answer: Answer) -> None:
        """Answers a wish, unless whoever wished took it back."""
        wish = self._folder / (name + WISH)
        if not wish.exists():
            return
        with suppress(OSError):  # a full disk: whoever waits finds the wish gone
            self._write(name + ANSWER, msgspec.json.encode(answer))
        with suppress(OSError):
            wish.unlink(missing_ok=True)

    def clean(self) -> None:
        """Removes what processes have left that are long gone."""
        oldest = time.time() - FORGOTTEN_SECONDS
        with suppress(OSError):
            for file in self._folder.iterdir():
                with suppress(OSError):
                    if file.stat().st_mtime < oldest:
                        file.unlink()

    def is_gone(self, name: str) -> bool:
        """Whether neither the wish nor its answer is there."""
        return not any((self._folder / (name + suffix)).exists() for suffix in (WISH, ANSWER))

    def _write(self, name: str, data: bytes) -> None:
        temporary = self._folder / f"{name}.{self._wisher}-new"
        temporary.write_bytes(data)
        temporary.replace(self._folder / name)
