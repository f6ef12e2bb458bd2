"""Reads reStructuredText into an outline, line by line.

Why no grammar: the one that exists for tree-sitter needs quadratic time for an unclosed inline mark (a page of
``*args`` is enough), reports errors on pages that docutils takes, and leaves directives unread. Blocks are a
matter of indentation alone, so one pass over the lines finds them, in linear time for any text.

A construct inside another is read by blanking its marker out and reading the lines again at their own
indentation, to a bounded depth.
"""

from __future__ import annotations

import re

import msgspec
from msgspec.structs import replace

from granum.extract import rst_markup as markup
from granum.extract import tables
from granum.extract.outline import LONGEST_TITLE, Heading, NamedObject, Outline
from granum.extract.prose_noise import is_reference_only
from granum.extract.rst_markup import Content, indent_of, without_literal_mark
from granum.extract.statement import Role, Statement
from granum.model.layers import SourceKind
from granum.text.normalise import strip_markup

#: Deeper nesting is left out; people stop at about six.
MAX_DEPTH = 40

_LAST_NAME = re.compile(r"((?:[^\W\d]\w*(?:\.|::))*[^\W\d]\w*)\s*(?:\(|$|[:=])")
_LABELLED_CODE = re.compile(r"[\w *-]{1,40}:\*?\s*(?:``[^`]*``|:[\w:]+:`[^`]*`)\W*$")


class Place(msgspec.Struct, frozen=True, gc=False):
    """What stands around a block. ``subject`` is the term or object that it describes."""

    role: Role = Role.BODY
    source: SourceKind = SourceKind.PROSE
    label: str = ""
    subject: str = ""
    in_object: bool = False
    owner: str = ""
    depth: int = 0


def read_rst(text: str) -> Outline:
    """The outline of a reStructuredText document; never raises."""
    return RstReader(text).read()


class RstReader:
    """One document's lines, and the outline that grows from them."""

    def __init__(self, text: str) -> None:
        self.raw = text.split("\n")
        self.lines = (
            [line.expandtabs(8).rstrip() for line in self.raw] if "\t" in text else [s.rstrip() for s in self.raw]
        )
        self.indents = [indent_of(line) for line in self.lines]
        self.outline = Outline()
        self.styles: list[str] = []
        self.prefix = ""
        self.begins_object = False

    def read(self) -> Outline:
        """Reads the document from its first line to its last."""
        self._scan(0, len(self.lines), 0, Place())
        return self.outline

    def _scan(self, start: int, end: int, indent: int, place: Place) -> None:
        """Reads the blocks of a range of lines whose text begins at ``indent``."""
        if place.depth > MAX_DEPTH:
            self.outline.is_too_deep = True
            return
        at = start
        while at < end:
            depth = self.indents[at]
            if depth < 0:
                at += 1
            elif depth > indent:
                stop = self._deeper_end(at, end, indent)
                inner = min(self.indents[line] for line in range(at, stop) if self.indents[line] >= 0)
                self._scan(at, stop, inner, replace(place, depth=place.depth + 1))
                at = stop
            else:
                at = self._block(at, end, depth, place)

    def _deeper_end(self, at: int, end: int, indent: int) -> int:
        """The line behind the lines that are blank or deeper than ``indent``, blank ones at their end left out."""
        last = at
        for line in range(at, end):
            depth = self.indents[line]
            if depth > indent:
                last = line + 1
            elif depth >= 0:
                break
        return last

    def _block(self, at: int, end: int, indent: int, place: Place) -> int:
        """Reads the block that begins at a line and returns the line behind it."""
        text = self.lines[at][indent:]
        first = text[0]
        if first.isalpha() or first in "`*:|\"'" or first.isdigit():
            pass
        elif not indent and markup.is_adornment(text) and len(text) > 1 and text != "..":
            return self._overlined(at, end)
        elif first == ".":
            if markup.EXPLICIT.match(text):
                return self._explicit(at, end, indent, text, place)
        elif first == "+" and markup.GRID_BORDER.match(text):
            return self._grid(at, end, indent, place)
        elif first == "=" and markup.SIMPLE_BORDER.match(text):
            return self._simple(at, end, indent, place)
        elif first == ">" and (text == ">>>" or text.startswith(">>> ")):
            return self._opaque(at, self._block_end(at, end))
        elif first == "_" and markup.TARGET.match(text):
            return self._block_end(at, end)
        return self._listed(at, end, indent, text, place) or self._text(at, end, indent, place)

    def _listed(self, at: int, end: int, indent: int, text: str, place: Place) -> int:
        """Reads an item of any kind of list; 0 if the line begins none."""
        if match := markup.BULLET.match(text):
            return self._item(at, end, indent, match.end(), SourceKind.BULLET, place)
        if text[0] == ":" and (match := markup.FIELD.match(text)):
            return self._field(at, end, indent, match, place)
        if text[0] in "-/" and (match := markup.OPTION.match(text)):
            option = replace(place, subject=match.group().strip())
            return self._item(at, end, indent, match.end(), SourceKind.BULLET, option)
        if match := markup.ENUMERATOR.match(text):
            following = self.lines[at + 1] if at + 1 < end else ""
            if markup.enumerates(following, match.end(), indent):
                return self._item(at, end, indent, match.end(), SourceKind.NUMBERED, place)
        return 0

    def _item(self, at: int, end: int, indent: int, width: int, source: SourceKind, place: Place) -> int:
        stop = self._deeper_end(at + 1, end, indent)
        stop = max(stop, at + 1)
        inner = self._open(at, stop, indent + width, width)
        role = place.role if place.role in (Role.WARNING, Role.DEPRECATED) else Role.ITEM
        self._scan(at, stop, inner, replace(place, role=role, source=source, depth=place.depth + 1))
        return stop

    def _open(self, at: int, stop: int, begin: int, width: int) -> int:
        """Blanks a marker out and aligns its line with the body below; returns the body's indentation.

        ``begin`` is where the text behind the marker stands, in columns.
        """
        below = [self.indents[line] for line in range(at + 1, stop) if self.indents[line] >= 0]
        inner = min(below, default=begin)
        if below and at + 1 < stop and self.indents[at + 1] < 0:
            inner = min(inner, begin)
        rest = self.lines[at][begin:].strip()
        self.lines[at] = " " * inner + rest if rest else ""
        self.indents[at] = inner if rest else -1
        return inner if width else begin

    def _field(self, at: int, end: int, indent: int, match: re.Match[str], place: Place) -> int:
        stop = max(self._deeper_end(at + 1, end, indent), at + 1)
        name = match.group(1)
        if place.in_object:
            named = markup.field_role(name)
        elif place.depth == 0 and not self.outline.statements:
            named = None  # the document's own fields: author, orphan, tags
        else:
            named = Role.ITEM, name
        if named is None:
            return stop
        inner = self._open(at, stop, indent + match.end(), match.end())
        role, label = named
        field = replace(place, role=role, source=SourceKind.BULLET, label=label, subject=label, depth=place.depth + 1)
        self._scan(at, stop, inner, field)
        return stop

    def _block_end(self, at: int, end: int) -> int:
        """The next blank line."""
        while at < end and self.indents[at] >= 0:
            at += 1
        return at

    def _opaque(self, at: int, stop: int) -> int:
        self.outline.opaque.append((at + 1, stop))
        return stop

    # Headings and text

    def _overlined(self, at: int, end: int) -> int:
        """Reads a heading with an overline, or skips a transition."""
        line = self.lines[at]
        if at + 2 < end and self.lines[at + 2] == line and self.indents[at + 1] >= 0:
            self._heading(at, at + 1, at + 2, line[0] * 2)
            return at + 3
        return at + 1

    def _heading(self, start: int, at: int, last: int, style: str) -> None:
        if style not in self.styles:
            self.styles.append(style)
        raw = self.raw[at].rstrip()
        column = len(raw) - len(raw.lstrip())
        title = strip_markup(raw.strip())[:LONGEST_TITLE].strip() or raw.strip()[:LONGEST_TITLE]
        level = self.styles.index(style) + 1
        self.outline.headings.append(Heading(level, title, start + 1, last + 1, at + 1, column, len(raw)))

    def _text(self, at: int, end: int, indent: int, place: Place) -> int:
        """Reads a heading, a definition or a paragraph."""
        line = self.lines[at]
        following = at + 1
        depth = self.indents[following] if following < end else -1
        if depth == 0 and not indent and markup.underlines(line, self.lines[following]):
            self._heading(at, at, following, line and self.lines[following][0])
            return at + 2
        if depth > indent and not line.endswith("::"):
            stop = self._deeper_end(following, end, indent)
            inner = min(self.indents[line] for line in range(following, stop) if self.indents[line] >= 0)
            subject = strip_markup(line.strip())[:LONGEST_TITLE]
            role = place.role if place.role in (Role.WARNING, Role.DEPRECATED) else Role.ITEM
            term = replace(place, role=role, source=SourceKind.BULLET, label=subject, subject=subject)
            self._scan(following, stop, inner, replace(term, depth=place.depth + 1))
            return stop
        return self._paragraph(at, end, indent, place)

    def _paragraph(self, at: int, end: int, indent: int, place: Place) -> int:
        stop = at + 1
        while stop < end and self.indents[stop] >= indent and not self.lines[stop].startswith(".. ", indent):
            stop += 1
            if self.lines[stop - 1].endswith("::"):
                break
        self._emit(at, stop, place)
        if not self.lines[stop - 1].endswith("::"):
            return stop
        below = stop
        while below < end and self.indents[below] < 0:
            below += 1
        if below >= end or self.indents[below] < indent:
            return stop
        if self.indents[below] > indent:
            return self._opaque(below, self._deeper_end(below, end, indent))
        quoted = self.lines[below][indent] in "!\"#$%&'+,-/:;<=>?@[]^_{|}~" and below > stop
        return self._opaque(below, self._block_end(below, end)) if quoted else stop

    def _emit(self, at: int, stop: int, place: Place) -> None:
        lines = [line.strip() for line in self.lines[at:stop]]
        lines[-1] = without_literal_mark(lines[-1])
        if lines[0].startswith("| "):
            lines = [line.removeprefix("| ") for line in lines]
        text = "\n".join(lines)
        if not text.strip() or is_reference_only(text):
            return
        role = self._role(text, place)
        statement = Statement(
            text=self.prefix + text,
            start_line=at + 1,
            end_line=stop,
            source=place.source,
            role=role,
            label="" if role is Role.BODY else place.label,
            heading=self.outline.current_heading,
            context=place.subject,
        )
        self.prefix = ""
        self.outline.statements.append(statement)

    def _role(self, text: str, place: Place) -> Role:
        """The first paragraph of an object's description is its summary, as in a doc comment."""
        if not self.begins_object or place.role is not Role.BODY or _LABELLED_CODE.match(text):
            return place.role
        self.begins_object = False
        return Role.SUMMARY

    # Explicit markup

    def _explicit(self, at: int, end: int, indent: int, text: str, place: Place) -> int:
        stop = max(self._deeper_end(at + 1, end, indent), at + 1)
        directive = markup.DIRECTIVE.match(text)
        if directive and not text.lstrip(". ").startswith("|"):
            self._directive(at, stop, indent, directive, place)
        elif match := markup.FOOTNOTE.match(text):
            inner = self._open(at, stop, indent + match.end(), match.end())
            self._scan(at, stop, inner, replace(place, depth=place.depth + 1))
        elif text == ".." and (at + 1 >= end or self.indents[at + 1] < 0):
            return at + 1
        elif not markup.TARGET.match(text):
            self._opaque(at, stop)
        return stop

    def _directive(self, at: int, stop: int, indent: int, match: re.Match[str], place: Place) -> None:
        name = match.group(1).lower()
        content = markup.content_of(name)
        argument = self.lines[at][indent + match.end() :].strip()
        deeper = replace(place, depth=place.depth + 1)
        if content is Content.OPAQUE:
            self._opaque(at, stop)
            if name == "toctree":
                self.outline.links += markup.toctree_entries(self.lines[at + 1 : stop])
        elif content is Content.TABLE:
            table, taken = tables.directive_table(name, self.lines[at + 1 : stop])
            self._rows(table, at + 1 + taken, deeper)
        elif content is Content.ADMONITION:
            role = markup.ADMONITIONS[name]
            self._body(at, stop, indent, argument, replace(deeper, role=role, source=SourceKind.DIRECTIVE))
        elif content is Content.VERSION:
            self._version(at, stop, indent, name, argument, deeper)
        elif content is Content.TITLED and name == "admonition":
            note = replace(deeper, role=Role.NOTE, source=SourceKind.DIRECTIVE, label=argument)
            self._body(at, stop, indent, "", note)
        elif content is Content.OBJECT and argument:
            self._object(at, stop, indent, name, deeper)
        else:
            self._body(at, stop, indent, "", deeper)

    def _body(self, at: int, stop: int, indent: int, first: str, place: Place) -> None:
        """Reads a directive's content, ``first`` being the part of it behind the directive's name."""
        line = at + 1
        while line < stop and self.indents[line] > indent and markup.FIELD.match(self.lines[line].strip()):
            self.indents[line] = -1
            line += 1
        below = [self.indents[line] for line in range(at + 1, stop) if self.indents[line] >= 0]
        inner = min(below, default=indent + 3)
        self.lines[at] = " " * inner + first
        self.indents[at] = inner if first else -1
        self._scan(at, stop, inner, place)

    def _version(self, at: int, stop: int, indent: int, name: str, argument: str, place: Place) -> None:
        role, phrase = markup.VERSIONS[name]
        version, _, rest = argument.partition(" ")
        if name == "deprecated-removed":
            rest = rest.partition(" ")[2]
        self.prefix = f"{phrase} {version}: " if version else ""
        versioned = replace(place, role=role, source=SourceKind.DIRECTIVE, label=version)
        self._body(at, stop, indent, rest.strip(), versioned)
        self.prefix = ""

    def _object(self, at: int, stop: int, indent: int, kind: str, place: Place) -> None:
        """Notes the names in the signature lines and reads the description below them."""
        signature = label = ""
        line = at
        while line < stop and self.indents[line] >= 0:
            text = self.lines[line].strip()
            if line > at and markup.FIELD.match(text):
                break
            if line == at:
                match = markup.DIRECTIVE.match(text)
                text = text[match.end() :].strip() if match else text
            signature = signature or text
            label = self._name(line, stop, text, place.owner) or label
            self.indents[line] = -1
            line += 1
        owner = label if kind.rpartition(":")[2] in markup.OWNERS else place.owner
        named = replace(place, in_object=True, label=label, owner=owner, subject=signature[:LONGEST_TITLE])
        self.begins_object = True
        self._body(line - 1, stop, indent, "", named)
        self.begins_object = False

    def _name(self, at: int, stop: int, signature: str, owner: str) -> str:
        """Notes the object that a signature names, below its class, and returns that name; empty if it names none."""
        match = _LAST_NAME.search(signature)
        if match is None or (signature[match.end() - 1 : match.end()] != "(" and match.start()):
            return ""
        written = match.group(1)
        raw = self.raw[at]
        last = max(written.rfind("."), written.rfind(":")) + 1
        column = raw.find(written, raw.find("::") + 2 if raw.lstrip().startswith("..") else 0) + last
        if column < last:
            return ""
        name = written.replace("::", ".")
        name = f"{owner}.{name}" if owner and "." not in name else name
        self.outline.objects.append(NamedObject(name, at + 1, column, column + len(written) - last, stop))
        return name

    # Tables

    def _grid(self, at: int, end: int, indent: int, place: Place) -> int:
        stop = at
        while stop < end and self.indents[stop] == indent and self.lines[stop][indent] in "+|":
            stop += 1
        self._rows(tables.grid_table([line[indent:] for line in self.lines[at:stop]]), at, place)
        return stop

    def _simple(self, at: int, end: int, indent: int, place: Place) -> int:
        stop, borders = at + 1, 1
        while stop < end and (self.indents[stop] < 0 or self.indents[stop] >= indent):
            line = self.lines[stop][indent:]
            stop += 1
            if markup.SIMPLE_BORDER.match(line):
                borders += 1
                if borders > 2 or stop >= end or self.indents[stop] < 0:
                    break
        self._rows(tables.simple_table([line[indent:] for line in self.lines[at:stop]]), at, place)
        return stop

    def _rows(self, table: tables.Table, at: int, place: Place) -> None:
        if not table.headers:
            return
        for row in table.rows:
            statement = Statement(
                text="\n".join(line.strip() for line in self.lines[at + row.first : at + row.last + 1]),
                start_line=at + row.first + 1,
                end_line=at + row.last + 1,
                source=SourceKind.TABLE,
                role=Role.TABLE_ROW,
                label=place.label,
                heading=self.outline.current_heading,
                cells=row.cells,
                headers=table.headers,
            )
            self.outline.statements.append(statement)
