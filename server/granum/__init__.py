"""Granum: a language-server sidecar that remembers a workspace at several grains."""

__version__ = "0.1.0"
