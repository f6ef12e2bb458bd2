"""The symbol at a position, and references to definitions."""

from granum.resolve.graph import callees, callers
from granum.resolve.link import Linker, link, waiting
from granum.resolve.modules import Shelf
from granum.resolve.position import resolve_identifier, symbol_by_name

__all__ = ["Linker", "Shelf", "callees", "callers", "link", "resolve_identifier", "symbol_by_name", "waiting"]
