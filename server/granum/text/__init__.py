"""Pure functions over text: decoding, coordinates, redaction, tokens and normal forms."""

from __future__ import annotations

from granum.text.decode import Decoded, decode, normalise_eol
from granum.text.lines import LineIndex, Position, PositionEncoding
from granum.text.normalise import fingerprint, normalise, strip_markup
from granum.text.redact import redact
from granum.text.tokens import camel_parts, estimate_tokens, identifier_parts

__all__ = [
    "Decoded",
    "LineIndex",
    "Position",
    "PositionEncoding",
    "camel_parts",
    "decode",
    "estimate_tokens",
    "fingerprint",
    "identifier_parts",
    "normalise",
    "normalise_eol",
    "redact",
    "strip_markup",
]
