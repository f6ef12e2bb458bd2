"""What a summary says, as one text: the fields repeat much of each other, so they are stored as one JSON array."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from granum.model.layers import Summary

_Names = tuple[str, ...]
#: summary_text, purpose, key_symbols, responsibilities, constraints_mentioned and important_interactions.
SummaryBody = tuple[str, str, _Names, _Names, _Names, _Names]

decode_summary_body = msgspec.json.Decoder(SummaryBody).decode
_encode = msgspec.json.Encoder().encode


def summary_body(summary: Summary) -> SummaryBody:
    """The fields of a summary."""
    return (
        summary.summary_text,
        summary.purpose,
        summary.key_symbols,
        summary.responsibilities,
        summary.constraints_mentioned,
        summary.important_interactions,
    )


def encode_summary_body(body: SummaryBody) -> str:
    """The value of ``summary.body``."""
    return _encode(body).decode()
