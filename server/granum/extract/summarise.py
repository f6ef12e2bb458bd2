"""Summaries of code: one a class, one a module, one a folder of modules. Deterministic, from names and docs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from granum.model.layers import (
    Granularity,
    Import,
    Paragraph,
    ParagraphKind,
    Proposition,
    PropositionType,
    Reference,
    ReferenceKind,
    Summary,
    Symbol,
    SymbolKind,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_KEY_SYMBOLS = 15
MOST_RESPONSIBILITIES = 40
MOST_CONSTRAINTS = 10
MOST_INTERACTIONS = 12
LONGEST_SUMMARY = 1200
LONGEST_RESPONSIBILITY = 160

_RULES = frozenset({PropositionType.CONSTRAINT, PropositionType.SECURITY_RULE})
_CALLABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})
_DOERS = _CALLABLE | {SymbolKind.CLASS}
_KEY_KINDS = _DOERS | {SymbolKind.VARIABLE}
# A member's look-up in its enum costs a dozen times that of a name (Python 3.11), and there are many references.
_CLASS, _IMPORT, _INHERITS, _CALL = (
    SymbolKind.CLASS,
    ReferenceKind.IMPORT,
    ReferenceKind.INHERITS,
    ReferenceKind.CALL,
)


def code_summaries(
    path: str,
    paragraphs: Sequence[Paragraph],
    symbols: Sequence[Symbol],
    references: Sequence[Reference],
    imports: Sequence[Import],
    propositions: Sequence[Proposition],
) -> tuple[Summary, ...]:
    """The module's summary, then one for each class that has methods or a doc; none for an empty file."""
    if not paragraphs:
        return ()
    file = _File(path, paragraphs, symbols, references, imports, propositions)
    classes = [file.class_summary(symbol) for symbol in symbols if symbol.kind is _CLASS]
    return (file.module_summary(), *(summary for summary in classes if summary is not None))


def summarise_package(path: str, modules: Sequence[Summary]) -> Summary:
    """The summary of a folder from those of its modules; ``path`` is the folder, ``""`` the root.

    Its purpose is that of the module whose file names the folder (``__init__``) when it states one.
    """
    name = PurePosixPath(path).name or "root"
    stems = {summary.key: PurePosixPath(summary.key).stem for summary in modules}
    own = next((summary.purpose for summary in modules if stems[summary.key] == "__init__"), "")
    others = [summary for summary in modules if stems[summary.key] != "__init__"]
    stated = own if own and not own.startswith(_DEFINES) else ""
    purpose = stated or f"Package {name} with {_listed([stems[summary.key] for summary in others], 'modules')}."
    responsibilities = [_shortened(f"{stems[summary.key]}: {summary.purpose}") for summary in others if summary.purpose]
    return _summary(
        granularity=Granularity.PACKAGE,
        key=path,
        lines=(0, 0),
        title=f"Package {path or name}",
        purpose=purpose,
        key_symbols=_merged((summary.key_symbols for summary in modules), MOST_KEY_SYMBOLS),
        responsibilities=tuple(responsibilities[:MOST_RESPONSIBILITIES]),
        constraints=_merged((summary.constraints_mentioned for summary in modules), MOST_CONSTRAINTS),
        interactions=_merged((summary.important_interactions for summary in modules), MOST_INTERACTIONS),
    )


_DEFINES = "Defines "


class _File:
    """One file's layers, from which its summaries are drawn."""

    def __init__(
        self,
        path: str,
        paragraphs: Sequence[Paragraph],
        symbols: Sequence[Symbol],
        references: Sequence[Reference],
        imports: Sequence[Import],
        propositions: Sequence[Proposition],
    ) -> None:
        self.path = path
        self.paragraphs = paragraphs
        self.symbols = symbols
        self.references = references
        self.imports = imports
        self.docs = {item.qualified_name: item.summary for item in reversed(paragraphs) if item.summary}
        self.counts: dict[str, int] = {}
        for name, count in Counter([item.name for item in references if item.kind is not _IMPORT]).items():
            last = name.rpartition(".")[2]
            self.counts[last] = self.counts.get(last, 0) + count
        self.rules = sorted(
            (place.start_line, item.text) for item in propositions if item.type in _RULES for place in item.occurrences
        )
        self.name_lines = [symbol.name_line for symbol in symbols]
        self.reference_lines = [reference.line for reference in references]
        self.imported = {item.local.partition(".")[0] for item in imports if item.local}

    def module_summary(self) -> Summary:
        tops = [symbol for symbol in self.symbols if "." not in symbol.qualified_name]
        members = [symbol for symbol in self.symbols if symbol.kind in _DOERS]
        head = next((item.summary for item in self.paragraphs if item.kind is ParagraphKind.MODULE), "")
        last = max(item.end_line for item in self.paragraphs)
        return _summary(
            granularity=Granularity.MODULE,
            key=self.path,
            lines=(1, last),
            title=f"Module {self.path}",
            purpose=head or _DEFINES + _defined(tops),
            key_symbols=self._key_symbols(self.symbols),
            responsibilities=self._responsibilities(
                [*(symbol for symbol in members if "." not in symbol.qualified_name)]
                + [symbol for symbol in members if "." in symbol.qualified_name]
            ),
            constraints=self._constraints(1, last),
            interactions=self._imported(),
        )

    def class_summary(self, symbol: Symbol) -> Summary | None:
        prefix = symbol.qualified_name + "."
        first = bisect_left(self.name_lines, symbol.name_line)
        last = bisect_right(self.name_lines, symbol.end_line)
        inner = [item for item in self.symbols[first:last] if item.qualified_name.startswith(prefix)]
        methods = [item for item in inner if item.kind in _CALLABLE]
        doc = self.docs.get(symbol.qualified_name, "")
        if not methods and not doc:
            return None
        key = symbol.qualified_name if not symbol.ordinal else f"{symbol.qualified_name}#{symbol.ordinal}"
        return _summary(
            granularity=Granularity.CHUNK,
            key=key,
            lines=(symbol.start_line, symbol.end_line),
            title=symbol.signature,
            purpose=doc or _DEFINES + _defined(inner),
            key_symbols=self._key_symbols(inner),
            responsibilities=self._responsibilities(methods),
            constraints=self._constraints(symbol.start_line, symbol.end_line),
            interactions=self._spoken_to(symbol),
        )

    def _key_symbols(self, symbols: Sequence[Symbol]) -> tuple[str, ...]:
        wanted = [symbol for symbol in symbols if symbol.kind in _KEY_KINDS]
        wanted.sort(key=lambda symbol: (-self.counts.get(symbol.name, 0), symbol.name_line))
        return tuple(dict.fromkeys(symbol.qualified_name for symbol in wanted))[:MOST_KEY_SYMBOLS]

    def _responsibilities(self, symbols: Sequence[Symbol]) -> tuple[str, ...]:
        lines: dict[str, str] = {}
        for symbol in symbols:
            if len(lines) >= MOST_RESPONSIBILITIES:
                break
            doc = self.docs.get(symbol.qualified_name, "")
            text = f"{symbol.qualified_name}: {doc}" if doc else symbol.signature
            lines.setdefault(symbol.qualified_name, _shortened(text))
        return tuple(lines.values())

    def _constraints(self, first: int, last: int) -> tuple[str, ...]:
        rules = self.rules[bisect_left(self.rules, (first, "")) : bisect_left(self.rules, (last + 1, ""))]
        texts = dict.fromkeys(text for _, text in rules)
        return tuple(texts)[:MOST_CONSTRAINTS]

    def _imported(self) -> tuple[str, ...]:
        """Imported modules, those of the same package first."""
        top = PurePosixPath(self.path).parts[0]
        near: dict[str, None] = {}
        far: dict[str, None] = {}
        for item in self.imports:
            module = "." * item.level + (item.module or item.name)
            is_near = item.level > 0 or module.partition(".")[0] == top
            (near if is_near else far).setdefault(module)
        return (*near, *far)[:MOST_INTERACTIONS]

    def _spoken_to(self, symbol: Symbol) -> tuple[str, ...]:
        """The bases of a class, then the imported names that it calls."""
        names: dict[str, None] = {}
        calls: dict[str, None] = {}
        first = bisect_left(self.reference_lines, symbol.start_line)
        last = bisect_right(self.reference_lines, symbol.end_line)
        for reference in self.references[first:last]:
            if reference.kind is _INHERITS and reference.scope == symbol.qualified_name:
                names.setdefault(reference.name)
            elif reference.kind is _CALL and reference.name.partition(".")[0] in self.imported:
                calls.setdefault(reference.name)
        return tuple(dict.fromkeys([*names, *calls]))[:MOST_INTERACTIONS]


def _summary(
    *,
    granularity: Granularity,
    key: str,
    lines: tuple[int, int],
    title: str,
    purpose: str,
    key_symbols: tuple[str, ...],
    responsibilities: tuple[str, ...],
    constraints: tuple[str, ...],
    interactions: tuple[str, ...],
) -> Summary:
    parts = [f"{title}. {purpose}"]
    if responsibilities:
        parts.append("Does: " + "; ".join(responsibilities))
    if constraints:
        parts.append("Rules: " + " ".join(constraints))
    if interactions:
        parts.append("Works with: " + ", ".join(interactions))
    return Summary(
        granularity=granularity,
        key=key,
        start_line=lines[0],
        end_line=lines[1],
        summary_text=_fitted(parts),
        purpose=purpose,
        key_symbols=key_symbols,
        responsibilities=responsibilities,
        constraints_mentioned=constraints,
        important_interactions=interactions,
    )


def _fitted(parts: Sequence[str]) -> str:
    """The parts on lines of their own, each cut to its share so that the last ones are not lost."""
    room = LONGEST_SUMMARY - len(parts)
    fitted = []
    for left, part in zip(range(len(parts), 0, -1), parts, strict=True):
        share = room if left == 1 else max(room - 250 * (left - 1), room // left)
        text = part if len(part) <= share else part[: share - 1].rstrip() + "…"
        fitted.append(text)
        room -= len(text)
    return "\n".join(fitted)


#: In the order in which they are told.
_PLURALS = {
    SymbolKind.CLASS: "classes",
    SymbolKind.FUNCTION: "functions",
    SymbolKind.METHOD: "methods",
    SymbolKind.PROPERTY: "properties",
    SymbolKind.VARIABLE: "variables",
    SymbolKind.ATTRIBUTE: "attributes",
}


def _defined(symbols: Iterable[Symbol]) -> str:
    """``class A, B; function c``: what a scope defines, in words."""
    names: dict[SymbolKind, list[str]] = {}
    for symbol in symbols:
        names.setdefault(symbol.kind, []).append(symbol.name)
    listed = [_listed(list(dict.fromkeys(names[kind])), plural) for kind, plural in _PLURALS.items() if kind in names]
    return "; ".join(listed) + "." if listed else "nothing by name."


def _listed(names: Sequence[str], kind: str) -> str:
    shown = ", ".join(names[:8])
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"{kind} {shown}{more}" if names else f"no {kind}"


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_RESPONSIBILITY else text[: LONGEST_RESPONSIBILITY - 1].rstrip() + "…"


def _merged(lists: Iterable[Sequence[str]], most: int) -> tuple[str, ...]:
    """The lists' entries in turn (first of each, second of each, …), each once."""
    rows = [list(entries) for entries in lists]
    longest = max(map(len, rows), default=0)
    turns = (row[index] for index in range(longest) for row in rows if index < len(row))
    return tuple(dict.fromkeys(turns))[:most]
