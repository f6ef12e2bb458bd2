"""Which document an import means: by the importer's folder, by the module's own name, or by the end of the path."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from granum.resolve.names import STANDARD_LIBRARY, module_steps
from granum.resolve.table import PACKAGE_STEM, Definition, Rows, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SUFFIXES = (".py", ".pyi")

#: Documents whose names are kept in memory between runs, some 10 KB each.
SHELF_SIZE = 1024

_COLUMNS = "d.id, d.path, d.module, d.version_id, d.indexed_at"
_BY_PATH = f"SELECT {_COLUMNS} FROM json_each(?) j JOIN document d ON d.path = j.value WHERE d.is_stale = 0"
_BY_ID = f"SELECT {_COLUMNS} FROM json_each(?) j JOIN document d ON d.id = j.value WHERE d.is_stale = 0"
_BY_PATH_OR_MODULE = f"""
{_BY_PATH} UNION
SELECT {_COLUMNS} FROM json_each(?) j JOIN document d ON d.module = j.value
WHERE d.is_stale = 0 AND d.language = 'python'
"""
# the expression is that of the index document_file_name
_BY_FILE_NAME = f"""
SELECT {_COLUMNS} FROM json_each(?) j
JOIN document d ON replace(d.path, rtrim(d.path, replace(d.path, '/', '')), '') = j.value WHERE d.is_stale = 0
"""

#: id, path, module, version and time of reading of a document.
Row: TypeAlias = tuple[Any, ...]


class Folder:
    """A folder of modules without an ``__init__`` file of its own (a namespace package)."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path


class Sought(NamedTuple):
    """What an import was found to mean, and what that rests on.

    ``rests_on`` holds the ids of documents, and the dotted names of files that would change the answer if they came.
    """

    found: tuple[Table | Folder, ...]
    rests_on: frozenset[int | str]

    @property
    def tables(self) -> tuple[Table, ...]:
        """The documents among what was found."""
        return tuple(value for value in self.found if isinstance(value, Table))


class Shelf:
    """Tables kept from one linking run, or one question, to the next, for as long as their documents are as they were.

    It holds at most ``size``; slices of a full linking follow each other in path order and share most of them. Readers
    of several threads may share one: each step of it is a single operation on a dictionary, and a table is only read.
    """

    def __init__(self, size: int = SHELF_SIZE) -> None:
        self._size = size
        self._kept: dict[int, tuple[Row, Table]] = {}

    def table(self, rows: Rows, row: Row) -> Table:
        """The names of the document that the row describes."""
        kept = self._kept.get(row[0])
        if kept is not None and kept[0] == row:
            return kept[1]
        if len(self._kept) >= self._size:
            self._kept.clear()
        table = Table.load(rows, *row[:3])
        self._kept[row[0]] = (row, table)
        return table


class Modules:
    """Finds documents by import. Answers are remembered for as long as this object lives (one request or run)."""

    def __init__(self, rows: Rows, shelf: Shelf | None = None) -> None:
        self._rows = rows
        self._shelf = Shelf() if shelf is None else shelf
        self._tables: dict[int, Table] = {}
        self._found: dict[tuple[str, str], Sought] = {}
        self._children: dict[tuple[str, str], Table | None] = {}

    def put(self, table: Table) -> None:
        """Takes a document's names from a text that the index has not read."""
        self._tables[table.document_id] = table

    def tables(self, document_ids: Sequence[int]) -> list[Table]:
        """The names of these documents; those that are gone are left out."""
        return [self._table(row) for row in self._rows.rows(_BY_ID, (json.dumps(list(document_ids)),))]

    def at_path(self, path: str) -> Table | None:
        """The names of the document at this path."""
        rows = self._rows.rows(_BY_PATH, (json.dumps([path]),))
        return self._table(rows[0]) if rows else None

    def _table(self, row: Row) -> Table:
        table = self._tables.get(row[0])
        if table is None:
            table = self._tables[row[0]] = self._shelf.table(self._rows, row)
        return table

    def definition(self, path: str, symbol_id: int) -> Definition | None:
        """The definition with this id in the document at this path."""
        table = self.at_path(path)
        meanings = table.definitions.values() if table else ()
        return next((d for definitions in meanings for d in definitions if d.id == symbol_id), None)

    def member(self, folder: str, name: str) -> Sought:
        """The module or package ``name`` right in a folder, with what that rests on."""
        table = self.child(folder, name)
        return Sought((table,) if table else (), _rests_on([table] if table else [], _join(folder, name)))

    def child(self, folder: str, name: str) -> Table | None:
        """The module or package ``name`` right in a folder."""
        key = (folder, name)
        if key not in self._children:
            rows = self._rows.rows(_BY_PATH, (json.dumps(_files(_join(folder, name))),))
            rows.sort(key=lambda row: _file_rank(row[1]))
            self._children[key] = self._table(rows[0]) if rows else None
        return self._children[key]

    def relative(self, folder: str, level: int, module: str) -> Sought:
        """``from ..module import``, seen from a file in ``folder``; nothing above the root."""
        for _ in range(level - 1):
            if not folder:
                return Sought((), frozenset())
            folder = folder.rpartition("/")[0]
        steps = module_steps(module)
        place = _join(folder, *steps)
        parent, name = _parent_and_name(place) if place else ("", PACKAGE_STEM)
        table = self.child(parent, name)
        return Sought((table or Folder(place),), _rests_on([table] if table else [], _join(parent, name)))

    def absolute(self, importer: str, module: str) -> Sought:
        """``import module``, seen from a file in the folder ``importer``.

        Several when nothing tells equally good ones apart; none when the module is not in the workspace.
        """
        key = (importer, module)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._look_up(importer, module)
        return found

    def _look_up(self, importer: str, module: str) -> Sought:
        steps = module_steps(module)
        rows = {row[0]: row for row in self._candidates(importer, steps)} if steps else {}
        markers: set[int | str] = set()
        fitting = [row for row in rows.values() if self._may_mean(row[1], row[2], steps, importer, markers)]
        if not fitting:
            return Sought((), _rests_on((), module) | markers)
        best = min(_distance(importer, row, module) for row in fitting)
        nearest = [row for row in fitting if _distance(importer, row, module) == best]
        nearest.sort(key=lambda row: (_file_rank(row[1]), row[1]))
        stems = {_stem(row[1]) for row in nearest}
        found = tuple(self._table(row) for row in (nearest if len(stems) > 1 else nearest[:1]))
        return Sought(found, _rests_on(found, module) | markers)

    def _may_mean(self, path: str, module: str, steps: tuple[str, ...], importer: str, markers: set[int | str]) -> bool:
        """Whether an import of these steps can reach the file; what that was seen by is added to ``markers``.

        The path must end with them below a folder that Python could import from. That folder is not a package:
        ``import logging`` never means ``flask/logging.py``. A single name reaches a file off the importer's own
        way up only by the module's full name, and a name of the standard library needs both.
        """
        stem, tail, name = _stem(path), "/".join(steps), ".".join(steps)
        if stem != tail and not stem.endswith("/" + tail):
            return False
        root = stem.removesuffix(tail).rstrip("/")
        is_above = not root or importer == root or importer.startswith(root + "/")
        if steps[0] in STANDARD_LIBRARY:
            return is_above and name == module
        if name == module or name.endswith("." + module):
            return True
        if not is_above and len(steps) == 1:
            return False
        marker = self.child(root, PACKAGE_STEM)
        markers |= _rests_on([marker] if marker else [], _join(root, PACKAGE_STEM))
        return marker is None

    def _candidates(self, importer: str, steps: tuple[str, ...]) -> Iterable[Row]:
        if steps[0] in STANDARD_LIBRARY:
            return self._rows.rows(_BY_PATH_OR_MODULE, ("[]", json.dumps([".".join(steps)])))
        paths = [file for ancestor in _upwards(importer) for file in _files(_join(ancestor, *steps))]
        tails = [".".join(steps[i:]) for i in range(len(steps))]
        rows = self._rows.rows(_BY_PATH_OR_MODULE, (json.dumps(paths), json.dumps(tails)))
        if len(steps) > 1:
            rows += self._rows.rows(_BY_FILE_NAME, (json.dumps([steps[-1] + suffix for suffix in SUFFIXES]),))
        return rows


def names_of(path: str) -> list[str]:
    """The dotted names by which imports may look for a file: every end of its path, its folder's where it is one."""
    stem = path.rpartition(".")[0]
    found: list[str] = []
    for whole in dict.fromkeys((stem, stem.removesuffix("/" + PACKAGE_STEM))):
        steps = whole.split("/")
        found += [".".join(steps[at:]) for at in range(len(steps))]
    return found


def _rests_on(tables: Iterable[Table], sought: str) -> frozenset[int | str]:
    """The documents found, and the name (or path) that was looked for: a better one of that name may come."""
    return frozenset({sought.replace("/", "."), *(table.document_id for table in tables)})


def _distance(importer: str, row: Row, module: str) -> tuple[int, int]:
    """Sorts the file that shares most folders with the importer first, then the one of exactly that name."""
    theirs = row[1].split("/")[:-1]
    ours = importer.split("/") if importer else []
    shared = 0
    for a, b in zip(ours, theirs, strict=False):
        if a != b:
            break
        shared += 1
    return (-shared, 0 if row[2] == module else 1)


def _files(stem: str) -> list[str]:
    return [stem + suffix for suffix in SUFFIXES] + [f"{stem}/{PACKAGE_STEM}{suffix}" for suffix in SUFFIXES]


def _file_rank(path: str) -> tuple[bool, bool]:
    """A package before a module of its name, as Python has it; source before stubs."""
    return (PACKAGE_STEM not in path, path.endswith(".pyi"))


def _stem(path: str) -> str:
    return path.rpartition(".")[0].removesuffix("/" + PACKAGE_STEM)


def _join(*parts: str) -> str:
    return "/".join(part for part in parts if part)


def _upwards(folder: str) -> list[str]:
    """The folder and all above it."""
    found = [folder]
    while folder:
        folder = folder.rpartition("/")[0]
        found.append(folder)
    return found


def _parent_and_name(folder: str) -> tuple[str, str]:
    parent, _, name = folder.rpartition("/")
    return parent, name
