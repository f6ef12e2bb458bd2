"""From a prose document's outline to its layers."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from granum.extract import prose_noise as noise
from granum.extract.chunks import PARAGRAPH_LIMIT, pack_chunks, split_long
from granum.extract.markdown import read_markdown
from granum.extract.mentions import mentions
from granum.extract.outline import Heading
from granum.extract.plain import is_structured, read_plain
from granum.extract.propositions import assemble
from granum.extract.prose_subjects import with_subjects
from granum.extract.prose_summary import first_sentence, summarise_prose
from granum.extract.rst import read_rst
from granum.extract.statement import Role, Statement
from granum.model.layers import (
    Extraction,
    Paragraph,
    ParagraphKind,
    Problem,
    Reference,
    SourceType,
    Symbol,
    SymbolKind,
)
from granum.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from granum.extract.outline import Outline

#: So many code-marked names are kept with a paragraph.
MOST_NAMES = 30
#: A block of more characters is data, not prose.
LONGEST_BLOCK = 8000

_ADR = re.compile(r"(?:^|[-_.])adrs?(?:[-_.\d]|$)|^\d{3,4}-[a-z].*\.(?:md|rst|markdown|txt)$")
_ADR_FOLDERS = frozenset({"adr", "adrs", "decisions", "decision-records", "decision_records", "architecture-decisions"})
_ARCHITECTURE = re.compile(
    r"architecture|(?:^|[-_.])(?:design|internals?|overview-of-the-code|system[-_]?overview)(?:[-_.]|$)"
)
_API = re.compile(r"openapi|swagger|(?:^|[-_.])api(?:[-_.]?(?:reference|spec|docs?))?(?:[-_.]|$)")
_API_FOLDERS = frozenset({"api", "apis", "api-reference", "api_reference", "openapi"})
_MARKERS_ONLY = re.compile(r"\s*(?:\.\.(?:\s|$)|:[\w-]+:|<!--.*-->\s*$|<a\s[^>]*>\s*</a>\s*$|$)")
_SECTION = ParagraphKind.SECTION
_ALWAYS_TOLD = frozenset({Role.WARNING, Role.DEPRECATED})


class Section(msgspec.Struct, frozen=True, gc=False):
    """The lines from a heading to the next of any level; the preamble has no heading."""

    heading: Heading | None
    path: tuple[str, ...]
    name: str
    start_line: int
    end_line: int


def extract_markdown(path: str, text: str) -> Extraction:
    """The layers of a Markdown document.

    Args:
        path: POSIX, relative to the root.
        text: decoded and redacted, line feeds only.
    """
    return _extract(path, text, "markdown", read_markdown)


def extract_rst(path: str, text: str) -> Extraction:
    """The layers of a reStructuredText document; see ``extract_markdown``.

    A file that is not called so (``.txt``, ``README``) may be plain text, and is read as such without signs of markup.
    """
    named = path.endswith((".rst", ".rest"))
    return _extract(path, text, "rst", read_rst if named or is_structured(text) else read_plain)


def extract_plain(path: str, text: str) -> Extraction:
    """The layers of a text file: reStructuredText if it shows signs of it, else paragraphs between blank lines."""
    return _extract(path, text, "text", read_rst if is_structured(text) else read_plain)


def _extract(path: str, text: str, language: str, read: Callable[[str], Outline]) -> Extraction:
    lines = text.split("\n")
    problems: tuple[Problem, ...] = ()
    try:
        outline = read(text)
    except RecursionError:  # no reader nests so deep, but a parser of others might
        outline = read_plain(text)
        problems = (Problem(code="nesting", message="The document nests too deep and was read as plain text."),)
    if outline.is_too_deep:
        problems = (Problem(code="too_deep", message="Blocks that are nested too deeply were not read."),)
    title = outline.title or PurePosixPath(path).name
    sections = sections_of(lines, outline, title)
    references = mentions(text, outline, [(section.start_line, section.name) for section in sections])
    statements = tuple(worthwhile(path, outline.statements, sections))
    paragraphs, firsts = _paragraphs(lines, outline, sections, references, statements)
    propositions = with_subjects(assemble(statements, paragraphs), outline.objects)
    return Extraction(
        language=language,
        source_type=source_type_of(path),
        line_count=len(lines) - (lines[-1] == ""),
        paragraphs=paragraphs,
        propositions=propositions,
        chunks=pack_chunks(paragraphs),
        summaries=summarise_prose(path, outline, sections, paragraphs, propositions, references, statements),
        symbols=_symbols(sections, firsts, len(lines)),
        references=tuple(references),
        problems=problems,
    )


def source_type_of(path: str) -> SourceType:
    """What kind of document a prose file is, by its name and folders."""
    file = PurePosixPath(path.lower())
    folders = set(file.parts[:-1])
    if folders & _ADR_FOLDERS or _ADR.search(file.name):
        return SourceType.ADR
    if file.name.startswith("readme"):
        return SourceType.README
    if _ARCHITECTURE.search(file.stem):
        return SourceType.ARCHITECTURE_DOC
    if _API.search(file.stem) or folders & _API_FOLDERS:
        return SourceType.API_SPEC
    return SourceType.MARKDOWN


def worthwhile(path: str, statements: Sequence[Statement], sections: Sequence[Section]) -> list[Statement]:
    """The statements that may hold facts: none of licences, credits and, but for breaking changes, changelogs."""
    if noise.has_no_facts(path):
        return []
    changelog = noise.is_changelog(path)
    silent = [_is_silent(section, changelog=changelog) for section in sections]
    starts = [section.start_line for section in sections]
    return [
        statement
        for statement in statements
        if len(statement.text) <= LONGEST_BLOCK
        and (statement.role in _ALWAYS_TOLD or not silent[bisect_right(starts, statement.start_line) - 1])
    ]


def _is_silent(section: Section, *, changelog: bool) -> bool:
    if any(map(noise.heading_has_no_facts, section.path)):
        return True
    return changelog and not any(map(noise.announces_breakage, section.path))


def sections_of(lines: Sequence[str], outline: Outline, title: str) -> list[Section]:
    """The preamble, if it says anything, and one section for each heading."""
    headings = outline.headings
    sections: list[Section] = []
    before = headings[0].start_line - 1 if headings else len(lines)
    speaks = bool(outline.statements) and outline.statements[0].start_line <= before
    if before and (speaks or not all(_MARKERS_ONLY.match(line) for line in lines[:before])):
        sections.append(_section(lines, None, (), title, 1, before))
    stack: list[Heading] = []
    for index, heading in enumerate(headings):
        while stack and stack[-1].level >= heading.level:
            stack.pop()
        stack.append(heading)
        names = tuple(entry.title for entry in stack)
        last = headings[index + 1].start_line - 1 if index + 1 < len(headings) else len(lines)
        sections.append(_section(lines, heading, names, " > ".join(names), heading.start_line, last))
    return sections


def _section(
    lines: Sequence[str], heading: Heading | None, path: tuple[str, ...], name: str, first: int, last: int
) -> Section:
    while last > first and not lines[last - 1].strip():
        last -= 1
    # a heading's first line may look blank to us and not to Markdown (U+0085); it is the section's all the same
    while heading is None and first < last and not lines[first - 1].strip():
        first += 1
    return Section(heading, path, name, first, last)


def _paragraphs(
    lines: Sequence[str],
    outline: Outline,
    sections: Sequence[Section],
    references: Sequence[Reference],
    statements: Sequence[Statement],
) -> tuple[tuple[Paragraph, ...], list[int]]:
    """The paragraphs, and for each section the index of its first one."""
    mention_lines = [reference.line for reference in references]
    statement_lines = [statement.start_line for statement in statements]
    masked = _masked(lines, outline.opaque)
    paragraphs: list[Paragraph] = []
    ordinals: Counter[str] = Counter()
    firsts: list[int] = []
    for section in sections:
        firsts.append(len(paragraphs))
        for first, last in split_long(masked[section.start_line - 1 : section.end_line], section.start_line):
            names = references[bisect_left(mention_lines, first) : bisect_right(mention_lines, last)]
            below = statements[bisect_left(statement_lines, first) : bisect_right(statement_lines, last)]
            text = "\n".join(lines[first - 1 : last])
            paragraph = Paragraph(
                kind=_SECTION,
                qualified_name=section.name,
                ordinal=ordinals[section.name],
                paragraph_index=len(paragraphs),
                start_line=first,
                end_line=last,
                text=text,
                token_count=estimate_tokens(text),
                section_heading=section.heading.title if section.heading else "",
                heading_path=section.path,
                symbol_names=tuple(dict.fromkeys(reference.name for reference in names))[:MOST_NAMES],
                summary=first_sentence(below),
            )
            ordinals[section.name] += 1
            paragraphs.append(paragraph)
    return tuple(paragraphs), firsts


def _masked(lines: Sequence[str], opaque: Sequence[tuple[int, int]]) -> list[str]:
    """The lines with blank ones inside code filled, so that no paragraph is split there while the code fits."""
    masked = list(lines)
    for first, last in opaque:
        if last - first < PARAGRAPH_LIMIT:
            for index in range(first - 1, min(last, len(masked))):
                if not masked[index].strip():
                    masked[index] = "."
    return masked


def _symbols(sections: Sequence[Section], firsts: Sequence[int], line_count: int) -> tuple[Symbol, ...]:
    """Each heading as a symbol that reaches to the next heading of its level or above."""
    symbols: list[Symbol] = []
    ordinals: Counter[str] = Counter()
    ends = _section_ends(sections, line_count)
    for section, paragraph, end in zip(sections, firsts, ends, strict=True):
        heading = section.heading
        if heading is None:
            continue
        symbol = Symbol(
            name=heading.title,
            qualified_name=section.name,
            kind=SymbolKind.SECTION,
            ordinal=ordinals[section.name],
            start_line=heading.start_line,
            end_line=end,
            name_line=heading.line,
            name_column=heading.column,
            name_end_column=heading.end_column,
            paragraph=paragraph,
        )
        ordinals[section.name] += 1
        symbols.append(symbol)
    return tuple(symbols)


def _section_ends(sections: Sequence[Section], line_count: int) -> list[int]:
    """The last line of each section with the sections below it."""
    ends = [section.end_line for section in sections]
    stack: list[int] = []
    for index, section in enumerate(sections):
        level = section.heading.level if section.heading else 0
        while stack and _level(sections[stack[-1]]) >= level:
            stack.pop()
        for outer in stack:
            ends[outer] = max(ends[outer], section.end_line)
        stack.append(index)
    return [min(end, line_count) for end in ends]


def _level(section: Section) -> int:
    return section.heading.level if section.heading else 99
