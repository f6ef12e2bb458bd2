"""Sizes: paragraphs over the limit are split at blank lines, and paragraphs are packed into chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.model.layers import Chunk, Paragraph
from granum.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Above so many tokens a paragraph is split.
PARAGRAPH_LIMIT = 1000
#: Chunks are packed to about so many tokens.
CHUNK_SIZE = 400
#: No text of fewer characters can exceed the limit, so its tokens need no count.
SURELY_SHORT = PARAGRAPH_LIMIT


def split_long(lines: Sequence[str], start_line: int, limit: int = PARAGRAPH_LIMIT) -> list[tuple[int, int]]:
    """The parts of a run of lines, each at most ``limit`` tokens, as (first, last) line numbers.

    Parts end at blank lines; a stretch without any that is itself over the limit is cut between lines. A
    single line is never cut. Blank lines between parts belong to none.

    Args:
        lines: the run's lines.
        start_line: the number of its first line.
        limit: tokens by estimate.
    """
    if sum(map(len, lines)) <= SURELY_SHORT or estimate_tokens("\n".join(lines)) <= limit:
        return [(start_line, start_line + len(lines) - 1)]
    parts: list[tuple[int, int]] = []
    first, last, size = -1, -1, 0
    for start, end in _stretches(lines):
        tokens = estimate_tokens("\n".join(lines[start : end + 1]))
        if first >= 0 and size + tokens <= limit:
            last, size = end, size + tokens
            continue
        if first >= 0:
            parts.append((first, last))
        if tokens <= limit:
            first, last, size = start, end, tokens
        else:
            parts += _cut(lines, start, end, limit)
            first = -1
            size = 0
    if first >= 0:
        parts.append((first, last))
    return [(start_line + start, start_line + end) for start, end in parts]


def _stretches(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Runs of lines without a blank one."""
    found: list[tuple[int, int]] = []
    start = -1
    for index, line in enumerate(lines):
        if line.strip():
            start = index if start < 0 else start
        elif start >= 0:
            found.append((start, index - 1))
            start = -1
    if start >= 0:
        found.append((start, len(lines) - 1))
    return found


def _cut(lines: Sequence[str], start: int, end: int, limit: int) -> list[tuple[int, int]]:
    parts: list[tuple[int, int]] = []
    first, size = start, 0
    for index in range(start, end + 1):
        tokens = estimate_tokens(lines[index]) + 1
        if size and size + tokens > limit:
            parts.append((first, index - 1))
            first, size = index, 0
        size += tokens
    parts.append((first, end))
    return parts


def pack_chunks(paragraphs: Sequence[Paragraph]) -> tuple[Chunk, ...]:
    """Packs consecutive paragraphs to about ``CHUNK_SIZE`` tokens; a longer paragraph is a chunk of its own."""
    chunks: list[Chunk] = []
    first = 0
    size = 0
    for index, paragraph in enumerate(paragraphs):
        if size and size + paragraph.token_count > CHUNK_SIZE:
            chunks.append(_chunk(len(chunks), paragraphs, first, index - 1, size))
            first, size = index, 0
        size += paragraph.token_count
    if paragraphs:
        chunks.append(_chunk(len(chunks), paragraphs, first, len(paragraphs) - 1, size))
    return tuple(chunks)


def _chunk(number: int, paragraphs: Sequence[Paragraph], first: int, last: int, tokens: int) -> Chunk:
    return Chunk(
        chunk_index=number,
        first_paragraph=first,
        last_paragraph=last,
        start_line=paragraphs[first].start_line,
        end_line=max(paragraph.end_line for paragraph in paragraphs[first : last + 1]),
        token_count=tokens,
    )
