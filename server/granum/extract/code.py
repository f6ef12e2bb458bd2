"""The engine for code of any language: one pass of its outline query, then each concern by itself."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING

from granum.extract import checks, comments, docs, paragraphs, propositions, summarise
from granum.extract.bindings import Bindings
from granum.extract.chunks import pack_chunks
from granum.extract.definitions import MODULE, Definition, Scopes, find
from granum.extract.exercised import Exercised
from granum.extract.raises import RaiseFinder
from granum.extract.references import ReferenceFinder, read_calls
from granum.extract.source import Source
from granum.extract.symbols import Found, SymbolFinder, finish, module_symbol
from granum.model.layers import Extraction, Import, Paragraph, Problem, Reference, SourceType, Symbol, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from granum.extract.docs import LocatedDoc
    from granum.extract.language import CodeLanguage
    from granum.extract.statement import Statement

_VALUES = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.VARIABLE})


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
        data = language.shallow(self.source.data)
        self.is_too_deep = data is not self.source.data
        self.root = language.parse(data).root_node
        self.matches = language.outline.by_kind(self.root)
        self.comments = comments.find(self.source, [match["comment"][0] for match in self.matches["comment"]])
        self.definitions = find(
            self.source,
            self.matches["function.name"],
            self.matches["class.name"],
            self.matches["wrapped"],
            {comment.line: comment for comment in self.comments},
        )
        self.scopes = Scopes(self.definitions)
        self.by_line = self._definitions_by_line()
        self.bindings = self._bind()
        self.calls = read_calls(self.source, self.matches["call"], self.scopes)

    def extract(self) -> Extraction:
        """Runs the concerns in their order of need."""
        found = SymbolFinder(self.source, self.language.spec, self.definitions, self.bindings).find()
        documented = docs.find(
            self.source, self.language, self.matches["text"], self.definitions, found, self.root, is_test=self.is_test
        )
        summaries, statements = docs.read(documented, {"", *(symbol.qualified_name for symbol in found)})
        references, imports = self._references(documented)
        statements += self._other_statements(found, imports)
        built, symbols = self._paragraphs(found, summaries)
        facts = propositions.assemble(statements, built)
        return Extraction(
            language=self.language.spec.name,
            source_type=SourceType.CODE_FILE,
            line_count=self.source.line_count,
            paragraphs=built,
            propositions=facts,
            chunks=pack_chunks(built),
            summaries=summarise.code_summaries(self.path, built, symbols, references, imports, facts),
            symbols=(module_symbol(self.source), *symbols),
            references=references,
            imports=imports,
            problems=self._problems(),
        )

    def _definitions_by_line(self) -> list[int]:
        owners = [MODULE] * (len(self.source.lines) + 2)
        for definition in self.definitions:
            span = definition.end_line - definition.start_line + 1
            owners[definition.start_line : definition.end_line + 1] = [definition.index] * span
        return owners

    def _bind(self) -> Bindings:
        bindings = Bindings(self.source, self.language.spec, self.definitions, self.scopes)
        bindings.add_all(self.matches)
        return bindings

    def _other_statements(self, found: Sequence[Found], imports: Sequence[Import]) -> list[Statement]:
        raises = RaiseFinder(self.source, self.language, self.definitions, self.scopes, self.root)
        exercised = None
        if self.is_test:
            exercised = Exercised(self.source, self.language.spec, self.bindings, self.calls, imports, found)
        check = checks.CheckFinder(self.source, self.language, self.definitions, self.scopes, exercised)
        by_line: dict[int, str] = {}
        for symbol in found:
            last = symbol.end_line if symbol.kind in _VALUES else symbol.start_line
            for line in range(symbol.start_line, last + 1):
                by_line.setdefault(line, symbol.qualified_name)
        statements = list(raises.raises(self.matches["raise"], is_test=self.is_test))
        if self.is_test:
            statements += check.asserts(self.matches["assert"])
        else:
            statements += raises.assertions(self.matches["assert"], is_test=False)
        statements += check.calls(self.calls, is_test=self.is_test)
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
        self, found: Sequence[Found], summaries: Mapping[int, str]
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
        tags = {item.index: _tags(item, is_test=self.is_test) for item in self.definitions}
        return paragraphs.build(self.source, spans, self.definitions, names, summaries, tags), symbols

    def _references(self, documented: Sequence[LocatedDoc]) -> tuple[tuple[Reference, ...], tuple[Import, ...]]:
        finder = ReferenceFinder(self.source, self.language.spec, self.definitions, self.scopes, self.bindings)
        found = finder.calls(self.calls)
        found += finder.bases(self.matches["base"])
        imports = []
        for binding, reference in finder.imports(self.matches["import.module"]):
            imports.append(binding)
            found.append(reference)
        found += finder.exports(self.matches["exports"])
        for located in documented:
            found += finder.mentions(located.start, located.end, located.doc.symbol)
        for comment in self.comments:
            owner = self.by_line[comment.line]
            scope = "" if owner == MODULE else self.definitions[owner].qualified_name
            found += finder.mentions(comment.start, comment.end, scope)
        found.sort(key=attrgetter("line", "column"))
        return tuple(found), tuple(imports)

    def _problems(self) -> tuple[Problem, ...]:
        problems = []
        if self.is_too_deep:
            problems.append(Problem(code="too_deep", message="Lines that are nested too deeply were not parsed."))
        if self.root.has_error:
            problems.append(Problem(code="syntax_error", message="Parts that do not parse are left out."))
        return tuple(problems)


def _tags(definition: Definition, *, is_test: bool) -> tuple[str, ...]:
    names = dict.fromkeys(decorator.rpartition(".")[2] for decorator in definition.decorators)
    return (*names, "test") if is_test else tuple(names)
