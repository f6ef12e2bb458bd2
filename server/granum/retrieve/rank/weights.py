"""Every number that ranking is made of, chosen on open issues whose fix is known."""

from __future__ import annotations

import msgspec


class Weights(msgspec.Struct, frozen=True, kw_only=True):
    """How much each signal counts; every signal lies between 0 and 1, its best candidate at 1.

    A file is worth the weighted sum of what speaks for it, again brought to 1 for the best: ``best_units`` the
    decayed sum of its best paragraphs, ``whole`` BM25 over the file as one text, ``module`` its module's and path's
    words, ``mentioned`` that the question names the file. A paragraph is worth its own text, and ``file`` times its
    file's worth.
    """

    text: float = 1.0
    file: float = 0.8
    best_units: float = 0.35
    whole: float = 0.5
    module: float = 0.2
    mentioned: float = 0.3
    #: Each further paragraph of a file counts this much of the one before.
    decay: float = 0.25


WEIGHTS = Weights()

#: How much a match in each column of the paragraphs' full text counts.
COLUMNS = {"text": 1.0, "parts": 0.6, "symbols": 0.3, "heading": 2.0, "summary": 1.5, "tags": 1.0, "module": 0.0}
