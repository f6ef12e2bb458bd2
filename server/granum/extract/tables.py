"""The tables of reStructuredText: grid, simple, list-table and csv-table, as rows of cells."""

from __future__ import annotations

import csv
import re
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from granum.extract.rst_markup import FIELD, indent_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_BORDER = re.compile(r"[=\s]+$|[-\s]+$")
_GRID_BORDER = re.compile(r"\+[-=+]+\+?$")
_LIST_ROW = re.compile(r"(\s*)[*+-]\s+[*+-](?:\s+|$)")
_LIST_CELL = re.compile(r"(\s*)[*+-](?:\s+|$)")


class Row(msgspec.Struct, frozen=True, gc=False):
    """One row. The offsets count lines from the table's first, from 0, inclusive."""

    cells: tuple[str, ...]
    first: int
    last: int
    is_header: bool = False


class Table(msgspec.Struct, frozen=True, gc=False):
    """A table's headers (empty if it has none) and the rows below them."""

    headers: tuple[str, ...]
    rows: tuple[Row, ...]


def grid_table(lines: Sequence[str]) -> Table:
    """Reads ``+---+`` tables. A cell that spans columns keeps its text in its first one; rows with one, stay one."""
    columns = [index for index, character in enumerate(lines[0]) if character == "+"]
    rows: list[Row] = []
    start = 1
    for index, line in enumerate(lines[1:], 1):
        if not _GRID_BORDER.match(line):
            continue
        if index > start:
            rows.append(Row(_grid_cells(lines[start:index], columns), start, index - 1))
        if "=" in line:
            rows = [replace(row, is_header=True) for row in rows]
        start = index + 1
    return _table(rows)


def _grid_cells(lines: Sequence[str], columns: Sequence[int]) -> tuple[str, ...]:
    cells: list[list[str]] = [[] for _ in columns[1:]]
    for line in lines:
        pieces: list[str] = []
        owners: list[int] = []
        for index, (left, right) in enumerate(pairwise(columns)):
            if not index or line[left : left + 1] in ("|", "+"):
                pieces.append(line[left + 1 : right])
                owners.append(index)
            else:
                pieces[-1] += line[left:right]
        for owner, piece in zip(owners, pieces, strict=True):
            if piece.strip("-+ |"):
                cells[owner].append(piece.strip(" |"))
    return tuple(" ".join(" ".join(cell).split()) for cell in cells)


def simple_table(lines: Sequence[str]) -> Table:
    """Reads ``=== ===`` tables. A line whose first column is blank goes on with the row above."""
    starts = [match.start() for match in re.finditer(r"=+", lines[0])]
    rows: list[Row] = []
    borders = 0
    for index, line in enumerate(lines[1:], 1):
        if not line.strip():
            continue
        if _BORDER.match(line):
            if "=" in line and not borders and rows and any(_is_double(later) for later in lines[index + 1 :]):
                rows = [replace(row, is_header=True) for row in rows]
            if "-" in line and not borders:
                rows = []  # titles that span the columns below
            borders += "=" in line
            continue
        cells = _simple_cells(line, starts)
        if not cells[0] and rows and not rows[-1].is_header:
            joined = tuple(f"{old} {new}".strip() for old, new in zip(rows[-1].cells, cells, strict=True))
            rows[-1] = Row(joined, rows[-1].first, index)
        else:
            rows.append(Row(tuple(cells), index, index))
    return _table(rows)


def _is_double(line: str) -> bool:
    return line.startswith("=") and _BORDER.match(line) is not None


def _simple_cells(line: str, starts: Sequence[int]) -> list[str]:
    ends = [*starts[1:], len(line) + 1]
    return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def directive_table(name: str, lines: Sequence[str]) -> tuple[Table, int]:
    """The table that a directive's lines below its first hold, and how many of them its options take."""
    options: dict[str, str] = {}
    taken = 0
    while taken < len(lines) and (match := FIELD.match(lines[taken].strip())):
        options[match.group(1)] = lines[taken].strip()[match.end() :]
        taken += 1
    count = options.get("header-rows", "0").strip()
    headers = int(count) if count.isdecimal() and len(count) < 4 else 0
    if name == "csv-table":
        return csv_table(lines[taken:], options.get("header", ""), headers), taken
    return list_table(lines[taken:], headers), taken


def list_table(lines: Sequence[str], header_rows: int) -> Table:
    """Reads a list-table's content: a list of rows, each a list of cells."""
    rows: list[Row] = []
    cells: list[str] = []
    first = column = 0
    outer = next((indent_of(line) for line in lines if line.strip()), 0)
    for index, line in enumerate(lines):
        if not line.strip():
            continue
        begin = _LIST_ROW.match(line)
        inner = _LIST_CELL.match(line)
        if begin and len(begin.group(1)) == outer:
            _close_row(rows, cells, first, index, lines)
            cells, first = [line[begin.end() :].strip()], index
            column = outer + 1 + indent_of(line[outer + 1 :])
        elif inner and cells and len(inner.group(1)) == column:
            cells.append(line[inner.end() :].strip())
        elif cells:
            cells[-1] = f"{cells[-1]} {line.strip()}".strip()
    _close_row(rows, cells, first, len(lines), lines)
    return _table([replace(row, is_header=index < header_rows) for index, row in enumerate(rows)])


def _close_row(rows: list[Row], cells: list[str], first: int, end: int, lines: Sequence[str]) -> None:
    if not cells:
        return
    last = end - 1
    while last > first and not lines[last].strip():
        last -= 1
    rows.append(Row(tuple(cells), first, last))


def csv_table(lines: Sequence[str], header: str, header_rows: int) -> Table:
    """Reads a csv-table's content; a broken line ends it."""
    rows: list[Row] = []
    reader = csv.reader([f"{line.strip()}\n" for line in lines], skipinitialspace=True)
    before = 0
    try:
        for cells in reader:
            if cells:
                joined = tuple(" ".join(cell.split()) for cell in cells)
                rows.append(Row(joined, before, reader.line_num - 1, is_header=len(rows) < header_rows))
            before = reader.line_num
    except csv.Error:
        pass
    table = _table(rows)
    return Table(csv_cells(header), table.rows) if header else table


def csv_cells(line: str) -> tuple[str, ...]:
    """One line of comma-separated values."""
    try:
        return tuple(next(csv.reader([line], skipinitialspace=True), []))
    except csv.Error:
        return ()


def _table(rows: Sequence[Row]) -> Table:
    headers: tuple[str, ...] = ()
    for row in rows:
        if row.is_header:
            headers = tuple(f"{old} {new}".strip() for old, new in zip(headers, row.cells, strict=False)) or row.cells
    return Table(headers, tuple(row for row in rows if not row.is_header))
