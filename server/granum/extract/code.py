"""The engine for code of any language: one pass of its outline query, then each concern by itself."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from granum.extract import checks, comments, docstrings, paragraphs, propositions, summarise
from granum.extract.bindings import Bindings
from granum.extract.chunks import pack_chunks
from granum.extract.definitions import MODULE, Definition, Scopes, find
from granum.extract.docstrings import Doc
from granum.extract.literals import unescaped_doc
from granum.extract.raises import RaiseFinder
from granum.extract.references import ReferenceFinder
from granum.extract.segment import sentences
from granum.extract.source import Source
from granum.extract.statement import Role, Statement
from granum.extract.symbols import Found, SymbolFinder, finish
from granum.model.layers import Extraction, Import, Paragraph, Problem, Reference, SourceType, Symbol
from granum.text.normalise import normalise

if TYPE_CHECKING:
    from tree_sitter import Node

    from granum.extract.language import CodeLanguage, Match

_QUOTES = ('"""', "'''", '"', "'")


def extract_code(path: str, text: str, language: CodeLanguage) -> Extraction:
    """All layers of one code file. ``text`` is already redacted; broken code keeps what parses."""
    return _CodeFile(path, text, language).extract()


class _CodeFile:
    """One file on its way through the engine."""

    def __init__(self, path: str, text: str, language: CodeLanguage) -> None:
        self.path = path
        self.language = language
        self.source = Source(text)
        self.is_test = bool(language.test_path.search(path))
        self.root = language.parse(self.source.data).root_node
        self.matches = self._outline()
        self.comments = comments.find(self.source, [match["comment"][0] for _, match in self.matches["comment"]])
        self.definitions = find(
            self.source,
            self.matches["function.name"],
            self.matches["class.name"],
            self.matches["wrapped"],
            comments.places(self.comments),
        )
        self.scopes = Scopes(self.definitions)
        self.by_line = self._definitions_by_line()
        self.bindings = self._bind()

    def extract(self) -> Extraction:
        """Runs the concerns in their order of need."""
        found = SymbolFinder(self.source, self.language.spec, self.definitions, self.scopes, self.bindings).find(
            self.matches["assigned"]
        )
        documented = list(self._docs(found))
        statements = [statement for doc, _ in documented for statement in docstrings.statements(doc)]
        summaries = _summaries(documented, statements)
        statements += self._other_statements(found)
        built, symbols = self._paragraphs(found, summaries)
        facts = propositions.assemble(statements, built)
        references, imports = self._references(documented)
        return Extraction(
            language=self.language.spec.name,
            source_type=SourceType.CODE_FILE,
            line_count=self.source.line_count,
            paragraphs=built,
            propositions=facts,
            chunks=pack_chunks(built),
            summaries=summarise.code_summaries(self.path, built, symbols, references, imports, facts),
            symbols=symbols,
            references=references,
            imports=imports,
            problems=self._problems(),
        )

    def _outline(self) -> defaultdict[str, list[Match]]:
        """The outline's matches by the first capture of each, which says what it is."""
        found: defaultdict[str, list[Match]] = defaultdict(list)
        for match in self.language.outline.matches(self.root):
            found[next(iter(match[1]))].append(match)
        return found

    def _definitions_by_line(self) -> list[int]:
        owners = [MODULE] * (len(self.source.lines) + 2)
        for definition in self.definitions:
            span = definition.end_line - definition.start_line + 1
            owners[definition.start_line : definition.end_line + 1] = [definition.index] * span
        return owners

    def _bind(self) -> Bindings:
        bindings = Bindings(self.source, self.language.spec, self.definitions, self.scopes)
        bindings.add_parameters(self.matches["parameter"])
        bindings.add_assigned(self.matches["assigned"])
        bindings.add_targets(self.matches["target"])
        bindings.drop_outer(self.matches["outer"])
        return bindings

    def _docs(self, found: Sequence[Found]) -> Iterator[tuple[Doc, Node]]:
        """True doc literals: first in the module, a class or a function, or right behind an attribute."""
        owners = {item.body.id: item for item in self.definitions if item.body is not None}
        attributes = {
            symbol.end_line: symbol.qualified_name
            for symbol in found
            if not symbol.signature.startswith(("def ", "class ", "async "))
        }
        for _, match in self.matches["text"]:
            node = match["text"][0]
            prefix = self.language.doc_prefix.match(self.source.slice(node.start_byte, node.start_byte + 6))
            statement = node.parent
            if not prefix or statement is None or statement.parent is None:
                continue
            before = statement.prev_named_sibling
            while before is not None and before.type == "comment":
                before = before.prev_named_sibling
            block = statement.parent
            if before is None:
                owner = owners.get(block.id)
                if owner or block.id == self.root.id:
                    name = owner.qualified_name if owner else ""
                    yield self._doc(node, prefix.group(), name, is_class=bool(owner and owner.is_class)), node
            elif attribute := attributes.get(self.source.line(max(before.end_byte - 1, 0))):
                if self.source.line(before.end_byte) + 2 > self.source.line(node.start_byte):
                    yield self._doc(node, prefix.group(), attribute), node

    def _doc(self, node: Node, prefix: str, symbol: str, *, is_class: bool = False) -> Doc:
        text = self.source.slice(node.start_byte + len(prefix), node.end_byte)
        quote = prefix.lstrip("rRuU")
        text = text.removesuffix(quote)
        if "r" not in prefix and "R" not in prefix:
            text = unescaped_doc(text)
        return Doc(docstrings.dedented(text), self.source.line(node.start_byte), symbol, is_class, self.is_test)

    def _other_statements(self, found: Sequence[Found]) -> list[Statement]:
        raises = RaiseFinder(self.source, self.language, self.definitions, self.scopes, self.root)
        check = checks.CheckFinder(self.source, self.language, self.definitions, self.scopes)
        by_line: dict[int, str] = {}
        for symbol in found:
            by_line.setdefault(symbol.start_line, symbol.qualified_name)
        statements = list(raises.raises(self.matches["raise"], is_test=self.is_test))
        if self.is_test:
            statements += check.asserts(self.matches["assert"])
        else:
            statements += raises.assertions(self.matches["assert"], is_test=False)
        statements += check.calls(self.matches["call"], is_test=self.is_test)
        statements += comments.statements(
            self.source,
            self.language,
            self.comments,
            lambda line, is_trailing: self._commented(line, by_line, is_trailing=is_trailing),
            is_test=self.is_test,
        )
        return statements

    def _commented(self, line: int, by_line: dict[int, str], *, is_trailing: bool) -> str:
        """The symbol that a comment is about: what begins at the line, or the definition around it."""
        if named := by_line.get(line):
            return named
        if not is_trailing and line <= len(self.source.lines) and not self.source.lines[line - 1].strip():
            named = by_line.get(line + 1, "")
            if named and self.by_line[line] in {MODULE, self.by_line[line - 1]}:
                return named
        owner = self.by_line[min(line - (not is_trailing), len(self.by_line) - 1)]
        return "" if owner == MODULE else self.definitions[owner].qualified_name

    def _paragraphs(
        self, found: Sequence[Found], summaries: dict[str, str]
    ) -> tuple[tuple[Paragraph, ...], tuple[Symbol, ...]]:
        opener = re.compile(self.language.spec.definitions.block_opener)
        spans = paragraphs.spans(self.source, self.definitions, opener)
        starts = [span.start_line for span in spans]

        def paragraph_at(line: int) -> int:
            return max(bisect_right(starts, line) - 1, 0)

        symbols = finish(self.source, found, paragraph_at)
        names: defaultdict[int, list[str]] = defaultdict(list)
        for symbol in symbols:
            names[symbol.paragraph].append(symbol.qualified_name)
        by_owner = {item.index: summaries.get(item.qualified_name, "") for item in self.definitions}
        by_owner[MODULE] = summaries.get("", "")
        tags = {item.index: _tags(item, is_test=self.is_test) for item in self.definitions}
        return paragraphs.build(self.source, spans, self.definitions, names, by_owner, tags), symbols

    def _references(self, documented: Sequence[tuple[Doc, Node]]) -> tuple[tuple[Reference, ...], tuple[Import, ...]]:
        finder = ReferenceFinder(self.source, self.language.spec, self.definitions, self.scopes, self.bindings)
        found = list(finder.calls(self.matches["call"]))
        found += finder.bases(self.matches["base"])
        imports = []
        for binding, reference in finder.imports(self.matches["import.module"]):
            imports.append(binding)
            found.append(reference)
        for doc, node in documented:
            found += finder.mentions(node.start_byte, node.end_byte, doc.symbol)
        for comment in self.comments:
            owner = self.by_line[comment.line]
            scope = "" if owner == MODULE else self.definitions[owner].qualified_name
            found += finder.mentions(comment.start, comment.end, scope)
        found.sort(key=lambda reference: (reference.line, reference.column))
        return tuple(found), tuple(imports)

    def _problems(self) -> tuple[Problem, ...]:
        if not self.root.has_error:
            return ()
        return (Problem(code="syntax_error", message="Parts that do not parse are left out of the symbols."),)


def _summaries(documented: Sequence[tuple[Doc, Node]], statements: Sequence[Statement]) -> dict[str, str]:
    """The first sentence of each symbol's doc."""
    first: dict[str, str] = {}
    for statement in statements:
        if statement.role is Role.SUMMARY and statement.symbol not in first:
            head = statement.text.partition("\n\n")[0]
            found = sentences(head)
            first[statement.symbol] = normalise(found[0].text) if found else ""
    return first


def _tags(definition: Definition, *, is_test: bool) -> tuple[str, ...]:
    names = dict.fromkeys(decorator.rpartition(".")[2] for decorator in definition.decorators)
    return (*names, "test") if is_test else tuple(names)
