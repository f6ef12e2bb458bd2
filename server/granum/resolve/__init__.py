"""The symbol at a position, and references to definitions."""

from granum.resolve.graph import callees, callers
from granum.resolve.link import Linker, link, waiting
from granum.resolve.modules import Shelf
from granum.resolve.position import resolve_identifier, symbol_by_name
from granum.resolve.table import Table

__all__ = [
    "Linker",
    "Shelf",
    "Table",
    "callees",
    "callers",
    "link",
    "resolve_identifier",
    "symbol_by_name",
    "waiting",
]
