"""Storms: whatever happens to the files, in whatever portions it is told, the index ends as a fresh one would."""

from __future__ import annotations

import os
import shutil
import zlib
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from granum.extract import EXTRACTOR_VERSION
from granum.index.extraction_cache import ExtractionCache
from granum.index.jobs import Cause, Job
from granum.index.look import Rules, look
from granum.index.reading import Request
from granum.index.worker import encode
from granum.resolve import Linker
from tests.index_rows import indexing

if TYPE_CHECKING:
    from pathlib import Path

CODE = (
    'from b import limit\n\n\ndef check(value):\n    """Values must be positive."""\n    return limit(value)\n',
    'def limit(value):\n    """Never returns None."""\n    if value > 3:\n        raise ValueError("too large")\n',
    'import pkg.c\nfrom a import check\n\n\nclass Gate:\n    """Must be closed."""\n\n    shut = check\n',
    "LIMIT = 3\n",
    "",
)
PROSE = ("# Gates\n\nA `Gate` must never be left open.\n", "# Limits\n\nUse `limit` because values grow.\n", "")
FILES = ("a.py", "b.py", "pkg/__init__.py", "pkg/c.py", "pkg/sub/d.py", "notes.md", "docs/e.md", "docs.py/f.py")
PLACES = (*FILES, "pkg", "pkg/sub", "docs", "docs.py", "other")
RULES = ("", "b.py\n", "pkg/\n", "*.md\n!notes.md\n")
LINKS = (
    "SELECT d.path, r.kind, r.name, r.line, r.column, r.status, t.fqn, r.confidence FROM reference r"
    " JOIN document d ON d.id = r.document_id LEFT JOIN symbol t ON t.id = r.target_id"
)


class Event(NamedTuple):
    """Something that happens to files, and how it is told: the paths themselves, their folders, or a scan."""

    what: str
    path: str
    other: str
    number: int
    told: str
    cause: Cause


events = st.builds(
    Event,
    what=st.sampled_from(("write", "write", "write", "remove", "rename", "rules")),
    path=st.sampled_from(PLACES),
    other=st.sampled_from(PLACES),
    number=st.integers(0, 11),
    told=st.sampled_from(("paths", "paths", "folders", "scan")),
    cause=st.sampled_from((Cause.SAVED, Cause.CHANGED_ON_DISK, Cause.SCAN)),
)
#: A batch happens, and only then is any of it told.
storms = st.lists(st.lists(events, min_size=1, max_size=4), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An extraction cache that holds about half of what the files will ever hold, as workers would have left it."""
    folder = tmp_path_factory.mktemp("seed").resolve()
    rules = Rules(root=str(folder), max_file_size=1 << 20)
    readings = []
    for path in FILES:
        for text in (PROSE if path.endswith(".md") else CODE)[::2]:
            write(folder, path, text)
            reading = look(rules, Request(path=path))
            readings.append(msgspec.structs.replace(reading, packed=zlib.compress(encode(reading), 1)))
    kept = ExtractionCache(folder / "extractions.db", EXTRACTOR_VERSION)
    kept.keep(readings)
    kept.close()
    return folder / "extractions.db"


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(storm=storms)
def test_any_storm_ends_in_the_rows_of_a_fresh_index(
    tmp_path_factory: pytest.TempPathFactory, cache: Path, storm: list[list[Event]]
) -> None:
    folder = tmp_path_factory.mktemp("storm")
    root = folder / "root"
    root.mkdir()
    for path in FILES:
        write(root, path, (PROSE if path.endswith(".md") else CODE)[0])
    linker = Linker(waiting_at_once=0)
    with indexing(root, folder / "stormy.db", extraction_cache=cache, linker=linker) as index:
        index.writer.submit(Job(cause=Cause.SCAN))
        for batch in storm:
            jobs = [job for event in batch for job in told(event, happen(root, event))]
            for job in jobs:
                index.writer.submit(job)  # the writer is at work meanwhile, on files that go on changing
        index.settle()
        reached = index.rows() | {"links": sorted(index.query(LINKS), key=repr)}
    with indexing(root, folder / "fresh.db", linker=Linker()) as index:
        index.writer.submit(Job(cause=Cause.SCAN))
        index.settle()
        assert reached == index.rows() | {"links": sorted(index.query(LINKS), key=repr)}
    shutil.rmtree(folder)


def happen(root: Path, event: Event) -> list[str]:
    """Does it, and returns the paths that a watcher would name."""
    if event.what == "rules":
        write(root, ".gitignore", RULES[event.number % len(RULES)])
        return [".gitignore"]
    if event.what == "write" and event.path in FILES:
        texts = PROSE if event.path.endswith(".md") else CODE
        return [*write(root, event.path, texts[event.number % len(texts)]), event.path]
    if event.what == "rename" and (root / event.path).exists() and apart(event.path, event.other):
        remove(root, event.other)
        made = make_way(root, event.other)
        (root / event.path).rename(root / event.other)
        return [*made, event.path, event.other]
    remove(root, event.path)
    return [event.path]


def told(event: Event, paths: list[str]) -> list[Job]:
    if event.told == "scan":
        return [Job(cause=event.cause)]
    if event.told == "folders":
        return [Job(cause=event.cause, path=os.path.dirname(path)) for path in paths]  # noqa: PTH120  "" is the root
    return [Job(cause=event.cause, path=path) for path in paths]


def apart(path: str, other: str) -> bool:
    return not (f"{path}/".startswith(f"{other}/") or f"{other}/".startswith(f"{path}/"))


def write(root: Path, path: str, text: str) -> list[str]:
    """Writes a file, whatever stood in its way; returns files that gave way to its folders."""
    made = make_way(root, path)
    if (root / path).is_dir():
        shutil.rmtree(root / path)
    (root / path).write_text(text)
    return made


def make_way(root: Path, path: str) -> list[str]:
    gone = [part for part in parents(path) if (root / part).is_file()]
    for part in gone:
        (root / part).unlink()
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    return gone


def parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def remove(root: Path, path: str) -> None:
    if (root / path).is_dir():
        shutil.rmtree(root / path)
    elif (root / path).exists():  # not so below what is a file now
        (root / path).unlink()
