"""From a text to what it says."""

from __future__ import annotations

from granum.retrieve.query import frames, marks, mentions, messages, testnames
from granum.retrieve.query.terms import terms
from granum.retrieve.query.values import Query


def understand(text: str) -> Query:
    """What a query says: a question, a symbol, an issue with its logs. Never fails; the same text gives the same value.

    Only the first ``marks.MAX_CHARACTERS`` code points are read; a note says so.
    """
    marked = marks.read(text)
    best, _ = terms(marked.pieces)
    notes = (f"only the first {marks.MAX_CHARACTERS:,} characters of the query were read",) if marked.is_cut else ()
    return Query(
        title=marked.title,
        body=marked.body,
        terms=best,
        paths=mentions.paths(marked),
        modules=mentions.modules(marked),
        symbols=mentions.symbols(marked),
        tests=testnames.tests(marked.whole),
        frames=frames.frames(marked.whole),
        messages=messages.messages(marked),
        notes=notes,
    )
