"""The names of one document: its definitions, imports and base classes, as values to look things up in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from granum.model.layers import ReferenceKind, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from granum.model.answers import SymbolInfo
    from granum.model.layers import Extraction

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

    ``unread`` describes, by id, the definitions that the index has not read.

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
        self.unread: dict[int, SymbolInfo] = {}

    @classmethod
    def load(cls, rows: Rows, document_id: int, path: str, module: str) -> Table:
        """Reads a document's names from the index."""
        table = cls(document_id, path, module)
        symbols, of = rows.rows(_SYMBOLS, (document_id,)), (document_id,)
        table._define(symbols, lambda: [line for (line,) in rows.rows(_OVERLOADS, of)])
        for row in rows.rows(_IMPORTS, of):
            table._bind(Binding(row))
        for name, base in rows.rows(_BASES, of):
            table.bases.setdefault(name, []).append(base)
        table._export(lambda: [name for (name,) in rows.rows(_EXPORTED, of)])
        return table

    @classmethod
    def of(cls, document_id: int, path: str, module: str, extraction: Extraction, ids: Mapping[int, int]) -> Table:
        """Takes a document's names from a text of it that the index has not read.

        Args:
            document_id: The document's row.
            path: Its path.
            module: Its module's name.
            extraction: What the text extracts to.
            ids: The ids of the symbols' rows by the symbols' places, from -1 on downwards; those without a row keep
                their places as ids.
        """
        table = cls(document_id, path, module)
        symbols = [
            (ids.get(-at, -at), s.qualified_name, s.kind, s.type_name, s.signature, s.start_line, s.name_line)
            for at, s in enumerate(extraction.symbols, 1)
        ]
        references = sorted(extraction.references, key=lambda each: (each.line, each.column))
        calls = [each for each in references if each.kind is ReferenceKind.CALL]
        mentions = [each for each in references if each.kind is ReferenceKind.MENTION]
        table._define(
            sorted(symbols, key=lambda row: row[5]),
            lambda: [each.line for each in calls if each.name.rpartition(".")[2] == "overload"],
        )
        for each in sorted(extraction.imports, key=lambda each: each.line):
            table._bind(Binding((each.local, each.module, each.level, each.name, each.line, each.scope)))
        for reference in references:
            if reference.kind is ReferenceKind.INHERITS and reference.scope in table.definitions:
                table.bases.setdefault(reference.scope, []).append(reference.name)
        table._export(lambda: [each.name for each in mentions if each.scope == "__all__"])
        return table

    def _define(self, rows: Iterable[tuple[Any, ...]], overloads: Callable[[], Iterable[int]]) -> None:
        for row in rows:
            definition = Definition(self, row)
            self.definitions.setdefault(definition.qualified_name, []).append(definition)
        repeated = [meanings for meanings in self.definitions.values() if len(meanings) > 1]
        if repeated:
            lines = set(overloads())
            for meanings in repeated:
                meanings.sort(key=lambda definition: _precedence(definition, lines))

    def _export(self, mentioned: Callable[[], Iterable[str]]) -> None:
        if listed := self.first("__all__"):
            names = frozenset(mentioned())
            self.exported = names if names or _EMPTY_LIST.search(listed.signature) else None

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
