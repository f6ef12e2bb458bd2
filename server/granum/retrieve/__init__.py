"""Ranked search over the layers."""

from granum.retrieve.search import search

__all__ = ["search"]
