"""Ranked search over the layers."""

from granum.retrieve.rank import DocumentOf
from granum.retrieve.search import search

__all__ = ["DocumentOf", "search"]
