"""Ranked search over the layers."""
