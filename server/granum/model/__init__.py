"""Frozen values and enums; no I/O, and no imports from the rest of the package."""
