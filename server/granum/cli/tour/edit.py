"""The edit that the tour makes: lines above a definition, one fact less, one or two facts more. Pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from granum.model.layers import SourceKind

if TYPE_CHECKING:
    from collections.abc import Sequence

PROSE = frozenset({"markdown", "rst", "text"})
#: Empty, so that they move what stands below them and state nothing.
LINES_ABOVE = 3
RULE = "Callers must never rely on this line, because the tour has just written it."
PROSE_RULE = "Readers must never skip this line, because the tour has just written it."
FAILURE = "the tour added this failure"


class Statement(NamedTuple):
    """A fact's place in the file: 1-based inclusive lines and where it comes from."""

    start_line: int
    end_line: int
    source: SourceKind


class Target(NamedTuple):
    """The definition or section to edit: 1-based inclusive lines."""

    start_line: int
    end_line: int
    language: str
    is_function: bool


class Edit(NamedTuple):
    """The new lines of the file; ``inserted_above`` lines now stand before the target."""

    lines: list[str]
    inserted_above: int
    removed: bool
    deeds: tuple[str, ...]


def plan(lines: Sequence[str], target: Target, facts: Sequence[Statement]) -> Edit:
    """Edits the lines of a file (without line ends) around one target."""
    before, body = list(lines[: target.start_line - 1]), list(lines[target.start_line - 1 : target.end_line])
    after = list(lines[target.end_line :])
    prose = target.language in PROSE
    above = [""] * LINES_ABOVE
    added = _prose_addition() if prose else _code_addition(body, target)
    body, removed = _remove(body, target, facts)
    deeds = [f"{LINES_ABOVE} empty lines put above it"]
    if removed:
        deeds.append("one statement taken out")
    if added:
        deeds.append("a rule written under it" if prose else "a rule and a failure written at its end")
    return Edit([*before, *above, *body, *added, *after], LINES_ABOVE, removed, tuple(deeds))


def _prose_addition() -> list[str]:
    return ["", f"- {PROSE_RULE}", ""]


def _code_addition(body: Sequence[str], target: Target) -> list[str]:
    """A comment with a rule and, in a function, a new failure; nothing where the body has no line of its own."""
    outer = len(_indent(next((line for line in body if line.strip()), "")))
    inner = [_indent(line) for line in body if line.strip() and len(_indent(line)) > outer]
    if not inner:
        return []
    indent = min(inner, key=len)
    failure = [f"{indent}if __debug__:", f'{indent}    raise RuntimeError("{FAILURE}")'] if target.is_function else []
    return [f"{indent}# {RULE}", *failure]


#: How willingly the tour takes out a statement of each kind: those first that are a statement of their own.
REMOVABLE = (
    SourceKind.RAISE,
    SourceKind.ASSERTION,
    SourceKind.BULLET,
    SourceKind.COMMENT,
    SourceKind.DOCSTRING,
    SourceKind.PROSE,
)


def _remove(body: list[str], target: Target, facts: Sequence[Statement]) -> tuple[list[str], bool]:
    """Takes the first statement out that can go without breaking the syntax around it."""
    inside = [fact for fact in facts if target.start_line <= fact.start_line <= fact.end_line <= target.end_line]
    for source in REMOVABLE:
        for fact in (candidate for candidate in inside if candidate.source is source):
            first, last = fact.start_line - target.start_line, fact.end_line - target.start_line
            replacement = _replacement(body[first : last + 1], source)
            if replacement is not None:
                return body[:first] + replacement + body[last + 1 :], True
    return body, False


def _replacement(lines: Sequence[str], source: SourceKind) -> list[str] | None:
    """What stands in place of a statement's lines; None if they hold more than the statement."""
    first = lines[0].lstrip()
    if source in (SourceKind.RAISE, SourceKind.ASSERTION):
        return [_indent(lines[0]) + "pass"] if first.startswith(("raise ", "assert ")) else None
    if source is SourceKind.COMMENT:
        return [] if all(line.lstrip().startswith("#") for line in lines) else None
    if source is SourceKind.DOCSTRING:
        quoted = any(quote in line for line in lines for quote in ('"""', "'''"))
        return None if quoted or ":" in lines[-1][-1:] else []
    return []


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
