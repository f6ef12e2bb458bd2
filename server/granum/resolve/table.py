"""The names of one document: its definitions, imports and base classes, as values to look things up in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from granum.model.layers import ReferenceKind, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Sequence

PACKAGE_STEM = "__init__"

_EMPTY_LIST = re.compile(r"=\s*(?:\[\s*\]|\(\s*\))$")

_SYMBOLS = """
SELECT id, qualified_name, kind, type_name, signature, start_line, name_line FROM symbol
WHERE document_id = ? ORDER BY start_line, id
"""
_IMPORTS = "SELECT local, module, level, name, line, scope FROM import WHERE document_id = ? ORDER BY line, id"
_OVERLOADS = f"""
SELECT line FROM reference WHERE document_id = ? AND kind = '{ReferenceKind.CALL}' AND +last_name = 'overload'
"""
_BASES = f"""
SELECT s.qualified_name, r.name FROM reference r JOIN symbol s ON s.id = r.scope_id
WHERE r.document_id = ? AND r.kind = '{ReferenceKind.INHERITS}' ORDER BY r.line, r.column
"""
_EXPORTED = f"""
SELECT r.name FROM reference r JOIN symbol s ON s.id = r.scope_id
WHERE r.document_id = ? AND r.kind = '{ReferenceKind.MENTION}' AND s.qualified_name = '__all__'
"""


class Rows(Protocol):
    """Anything that answers SQL: a reader's snapshot, or the writer's own connection."""

    def rows(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of one statement."""
        ...


class Definition:
    """One symbol of a table. ``scope`` is the local name of the definition around it."""

    __slots__ = ("id", "kind", "line", "name_line", "qualified_name", "scope", "signature", "table", "type_name")

    def __init__(self, table: Table, row: tuple[Any, ...]) -> None:
        self.table = table
        self.id: int
        self.qualified_name: str
        self.kind: str
        self.type_name: str
        self.signature: str
        self.line: int
        self.name_line: int
        self.id, self.qualified_name, self.kind, self.type_name, self.signature, self.line, self.name_line = row
        self.scope = self.qualified_name.rpartition(".")[0]

    @property
    def is_class(self) -> bool:
        """Whether the definition is a class."""
        return self.kind == SymbolKind.CLASS

    @property
    def is_callable(self) -> bool:
        """Whether the definition is a function or a method."""
        return self.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD}


class Binding:
    """One import: ``from module import name as local``, with ``level`` leading dots."""

    __slots__ = ("level", "line", "local", "module", "name", "scope")

    def __init__(self, row: tuple[Any, ...]) -> None:
        self.local: str
        self.module: str
        self.level: int
        self.name: str
        self.line: int
        self.scope: str
        self.local, self.module, self.level, self.name, self.line, self.scope = row

    @property
    def written(self) -> str:
        """The dotted name that the import spells, as its reference has it: ``..module.name``."""
        origin = "." * self.level + self.module
        if self.name in {"", "*"}:
            return origin
        return f"{origin}{'' if origin.endswith('.') else '.'}{self.name}"


class Table:
    """What one document binds. Made once a document and request (or linking run), then only read.

    ``definitions`` has every meaning of a local name, the one that counts first. ``imports`` and ``stars``
    are by the scope that the import stands in. ``exported`` is what ``__all__`` lists, None where the module has
    none or builds it up from other things.
    """

    def __init__(self, document_id: int, path: str, module: str) -> None:
        self.document_id = document_id
        self.path = path
        self.module = module
        folder, _, file = path.rpartition("/")
        self.folder = folder
        self.is_code = path.endswith((".py", ".pyi"))
        self.is_package = file.partition(".")[0] == PACKAGE_STEM
        self.definitions: dict[str, list[Definition]] = {}
        self.bases: dict[str, list[str]] = {}
        self.imports: dict[str, dict[str, Binding]] = {}
        self.stars: dict[str, list[Binding]] = {}
        self.bindings: list[Binding] = []
        self.exported: frozenset[str] | None = None

    @classmethod
    def load(cls, rows: Rows, document_id: int, path: str, module: str) -> Table:
        """Reads a document's names by three statements."""
        table = cls(document_id, path, module)
        for row in rows.rows(_SYMBOLS, (document_id,)):
            definition = Definition(table, row)
            table.definitions.setdefault(definition.qualified_name, []).append(definition)
        repeated = [meanings for meanings in table.definitions.values() if len(meanings) > 1]
        if repeated:
            overloads = {line for (line,) in rows.rows(_OVERLOADS, (document_id,))}
            for meanings in repeated:
                meanings.sort(key=lambda definition: _precedence(definition, overloads))
        for row in rows.rows(_IMPORTS, (document_id,)):
            table._bind(Binding(row))
        for name, base in rows.rows(_BASES, (document_id,)):
            table.bases.setdefault(name, []).append(base)
        if listed := table.first("__all__"):
            names = frozenset(name for (name,) in rows.rows(_EXPORTED, (document_id,)))
            table.exported = names if names or _EMPTY_LIST.search(listed.signature) else None
        return table

    def _bind(self, binding: Binding) -> None:
        self.bindings.append(binding)
        if binding.name == "*":
            self.stars.setdefault(binding.scope, []).append(binding)
        else:
            # of two imports of one name (try ... except ImportError) the first is the one meant
            self.imports.setdefault(binding.scope, {}).setdefault(binding.local, binding)

    def first(self, qualified_name: str) -> Definition | None:
        """The meaning that counts of a local name."""
        meanings = self.definitions.get(qualified_name)
        return meanings[0] if meanings else None

    @property
    def self_definition(self) -> Definition | None:
        """The symbol that stands for the module itself, where the extractor made one."""
        return self.first("")


def _precedence(definition: Definition, overloads: set[int]) -> tuple[int, int]:
    """Classes and functions before variables, bodies before ``@overload`` stubs, then by line."""
    if not (definition.is_class or definition.is_callable or definition.kind == SymbolKind.PROPERTY):
        return (2, definition.line)
    is_stub = any(line in overloads for line in range(definition.line, definition.name_line + 1))
    return (int(is_stub), definition.line)
